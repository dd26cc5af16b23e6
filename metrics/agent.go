// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// Outcome is how a call came out.
type Outcome uint8

// The outcomes.
const (
	OK            Outcome = iota // the agent's answer passed
	Failed                       // so did its protocol error
	Refused                      // the guard did not let the call reach the agent
	Replaced                     // the guard answered in the agent's place
	UpstreamError                // no usable answer came
	ClientGone                   // the client left before its answer was whole

	outcomeCount
)

var outcomeNames = [outcomeCount]string{"ok", "error", "refused", "replaced", "upstream_error", "client_gone"}

// String returns the outcome's label.
func (o Outcome) String() string { return outcomeNames[o] }

// Fault is why no usable answer came.
type Fault uint8

// The faults.
const (
	Unreachable Fault = iota // no connection
	TimedOut                 // no answer in time
	BrokenOff                // the connection broke in the midst of the answer
	HTTPStatus               // an HTTP error without a protocol error in it

	faultCount
)

var faultNames = [faultCount]string{"refused", "timeout", "aborted", "http_status"}

// String returns the fault's label.
func (f Fault) String() string { return faultNames[f] }

// Agent counts the calls of one agent. A nil Agent counts nothing. Its methods may
// be called at the same time.
type Agent struct {
	requests   table[prometheus.Counter]
	took       table[prometheus.Observer]
	inspect    table[prometheus.Observer]
	violations table[prometheus.Counter]
	notices    table[prometheus.Counter]
	upstream   table[prometheus.Counter]
	tasks      table[prometheus.Gauge]
	states     table[prometheus.Counter]
	lasted     table[prometheus.Observer]

	active      table[prometheus.Gauge]
	streams     table[prometheus.Counter]
	open        table[prometheus.Observer]
	first       table[prometheus.Observer]
	gap         table[prometheus.Observer]
	events      table[prometheus.Counter]
	size        table[prometheus.Observer]
	dropped     table[prometheus.Counter]
	synthesized table[prometheus.Counter]
	settled     table[prometheus.Counter]
}

var (
	methods  = enum(a2a.OperationCount)
	bindings = label{2, func(i int) string { return [...]string{a2a.JSONRPC: "jsonrpc", a2a.REST: "http_json"}[i] }}
	versions = label{2, func(i int) string { return a2a.Dialect(i).String() }}
	kinds    = enum(a2a.KindCount)
	states   = enum(a2a.StateCount)
	rules    = enum(policy.RuleCount)
	// A decision's number is its action's, or under observation comes behind those.
	decisions = label{2 * policy.ActionCount, func(i int) string {
		if would := i - policy.ActionCount; would >= 0 {
			return policy.Decision{Do: policy.Observe, Would: policy.Action(would)}.String()
		}
		return policy.Decision{Do: policy.Action(i)}.String()
	}}
)

// Agent returns what counts under an agent's name.
func (s *Set) Agent(name string) *Agent {
	return &Agent{
		requests:   newTable(name, s.requests.WithLabelValues, bindings, versions, methods, enum(outcomeCount)),
		took:       newTable(name, s.took.WithLabelValues, bindings, methods),
		inspect:    newTable(name, s.inspect.WithLabelValues),
		violations: newTable(name, s.violations.WithLabelValues, rules, decisions),
		notices:    newTable(name, s.notices.WithLabelValues, rules),
		upstream:   newTable(name, s.upstream.WithLabelValues, enum(faultCount)),
		tasks:      newTable(name, s.tasks.WithLabelValues),
		states:     newTable(name, s.states.WithLabelValues, states),
		lasted:     newTable(name, s.lasted.WithLabelValues, states),

		active:      newTable(name, s.active.WithLabelValues, methods),
		streams:     newTable(name, s.streams.WithLabelValues, methods, enum(guard.EndCount)),
		open:        newTable(name, s.open.WithLabelValues),
		first:       newTable(name, s.first.WithLabelValues),
		gap:         newTable(name, s.gap.WithLabelValues),
		events:      newTable(name, s.events.WithLabelValues, kinds),
		size:        newTable(name, s.size.WithLabelValues),
		dropped:     newTable(name, s.dropped.WithLabelValues, rules),
		synthesized: newTable(name, s.synthesized.WithLabelValues, kinds),
		settled:     newTable(name, s.settled.WithLabelValues, enum(guard.SettlementCount)),
	}
}

// Call is one call that is over.
type Call struct {
	Operation a2a.Operation
	Binding   a2a.Binding
	Dialect   a2a.Dialect
	Outcome   Outcome
	Took      time.Duration // until its answer was written
	Inspected time.Duration // of that, in the guard
	State     a2a.State     // to which it brought its task, Unspecified if that is not known
	Tasks     int           // that the guard remembers now
	Trace     string        // the trace's id, empty if there is none
}

// Call counts a call.
func (a *Agent) Call(c *Call) {
	if a == nil {
		return
	}
	a.requests.at(int(c.Binding), int(c.Dialect), int(c.Operation), int(c.Outcome)).Inc()
	observe(a.took.at(int(c.Binding), int(c.Operation)), c.Took, c.Trace)
	a.inspect.at().Observe(c.Inspected.Seconds())
	a.tasks.at().Set(float64(c.Tasks))
	if c.State.Terminal() || c.State.Interrupted() {
		observe(a.lasted.at(int(c.State)), c.Took, c.Trace)
	}
}

// observe adds a time, with the trace that shows what took it.
func observe(to prometheus.Observer, took time.Duration, trace string) {
	if trace == "" {
		to.Observe(took.Seconds())
		return
	}
	to.(prometheus.ExemplarObserver).ObserveWithExemplar(took.Seconds(), prometheus.Labels{"trace_id": trace})
}

// Fault counts a call to which no usable answer came.
func (a *Agent) Fault(f Fault) {
	if a != nil {
		a.upstream.at(int(f)).Inc()
	}
}

// Violation counts a broken rule, or a notice.
func (a *Agent) Violation(v *guard.Violation) {
	switch {
	case a == nil:
	case v.Rule.Info().Notice:
		a.notices.at(int(v.Rule)).Inc()
	default:
		decision := int(v.Decision.Do)
		if v.Decision.Do == policy.Observe && v.Decision.Would.Acts() {
			decision = policy.ActionCount + int(v.Decision.Would)
		}
		a.violations.at(int(v.Rule), decision).Inc()
	}
}

// State counts a task's state that clients were told.
func (a *Agent) State(s a2a.State) {
	if a != nil && s != a2a.Unspecified {
		a.states.at(int(s)).Inc()
	}
}
