// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// Stream counts one event stream. The zero value counts nothing; a Stream is not for
// concurrent use.
type Stream struct {
	agent     *Agent
	operation a2a.Operation
	trace     string
	called    time.Time // when the call came
	began     time.Time // when its answer began
	last      time.Time // when the last event came, zero before the first
	state     a2a.State
}

// Stream begins to count a stream, whose call came earlier.
func (a *Agent) Stream(called, now time.Time, op a2a.Operation, trace string) Stream {
	if a == nil {
		return Stream{}
	}
	a.active.at(int(op)).Inc()
	return Stream{agent: a, operation: op, trace: trace, called: called, began: now}
}

// Verdict counts one event.
func (s *Stream) Verdict(now time.Time, v *guard.Verdict) {
	a := s.agent
	if a == nil {
		return
	}
	for i := range v.Violations {
		a.Violation(&v.Violations[i])
	}
	switch {
	case v.Raw == nil && v.Reply != nil:
		a.synthesized.at(int(v.Kind)).Inc()
	case v.Raw != nil:
		a.events.at(int(v.Kind)).Inc()
		a.size.at().Observe(float64(len(v.Raw)))
		switch gap := now.Sub(s.last); {
		case s.last.IsZero():
			observe(a.first.at(), now.Sub(s.called), s.trace)
		case gap > 0: // else they came together
			a.gap.at().Observe(gap.Seconds())
		}
		s.last = now
	}
	if v.Action == policy.Drop {
		if rule, ok := worst(v); ok {
			a.dropped.at(int(rule)).Inc()
		}
		return
	}
	if v.State != a2a.Unspecified && v.State != s.state {
		s.state = v.State
		a.State(v.State)
	}
}

// worst is the rule that had an event dropped; ok is false for what says nothing, and
// is dropped without breaking one.
func worst(v *guard.Verdict) (rule policy.Rule, ok bool) {
	for i := range v.Violations {
		if v.Violations[i].Decision.Do == v.Action {
			return v.Violations[i].Rule, true
		}
	}
	return 0, false
}

// End counts the stream's end, once.
func (s *Stream) End(now time.Time, end guard.End, settled guard.Settlement) {
	a := s.agent
	if a == nil {
		return
	}
	a.active.at(int(s.operation)).Dec()
	a.streams.at(int(s.operation), int(end)).Inc()
	observe(a.open.at(), now.Sub(s.began), s.trace)
	if settled != guard.Unsettled {
		a.settled.at(int(settled)).Inc()
	}
	s.agent = nil
}
