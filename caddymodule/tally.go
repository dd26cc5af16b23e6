// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"sync"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/metrics"
)

// theMetrics are those of the process: counts outlive a reload.
var theMetrics = sync.OnceValue(metrics.New)

// measure begins to count, if that is wanted.
func (h *Handler) measure() error {
	if !h.Metrics {
		return nil
	}
	h.meter = theMetrics().Agent(h.Name)
	return theMetrics().Register(h.ctx.GetMetricsRegistry())
}

// tally is what is counted of one call once it is over.
type tally struct {
	outcome   metrics.Outcome
	state     a2a.State
	inspected time.Duration
}

// judged adds the time since a part of the core began to run.
func (c *call) judged(since time.Time) {
	if c.h.meter != nil || c.span.Traced() {
		c.tally.inspected += time.Since(since)
	}
}

// fault notes that no usable answer came.
func (c *call) fault(f metrics.Fault) {
	c.tally.outcome = metrics.UpstreamError
	c.h.meter.Fault(f)
}

// judgement notes how a whole answer came out.
func (c *call) judgement(status int, j *guard.Judgement) {
	switch {
	case j.Failed:
		c.tally.outcome = metrics.Failed
	case j.Reply != nil && status >= 400:
		c.fault(metrics.HTTPStatus)
	case j.Reply != nil:
		c.tally.outcome = metrics.Replaced
	}
	if c.x.Operation.Sends() || c.x.Operation == a2a.CancelTask {
		c.tally.state = j.State
		c.h.meter.State(j.State)
	}
}

// count counts a call that is over.
func (c *call) count() {
	m := c.h.meter
	if m == nil {
		return
	}
	for i := range c.x.Violations {
		m.Violation(&c.x.Violations[i])
	}
	done := metrics.Call{
		Operation: c.x.Operation,
		Binding:   c.x.Binding,
		Dialect:   c.x.Dialect,
		Outcome:   c.outcome(),
		Took:      time.Since(c.begun),
		Inspected: c.tally.inspected,
		Trace:     c.span.TraceID(),
	}
	if c.x.Operation.Sends() {
		done.State = c.state()
	}
	if s := c.stream(); s != nil && s.End() == guard.EndUpstreamAbort {
		m.Fault(metrics.BrokenOff)
	}
	if memory, ok := c.h.guard.Tasks.(*guard.Tasks); ok {
		done.Tasks = memory.Len()
	}
	m.Call(&done)
}

// state is the last state of the call's task that its client was told of.
func (c *call) state() a2a.State {
	if s := c.stream(); s != nil {
		return s.State()
	}
	return c.tally.state
}

// outcome is how the call came out.
func (c *call) outcome() metrics.Outcome {
	s := c.stream()
	if s == nil {
		return c.tally.outcome
	}
	switch s.End() {
	case guard.EndError:
		return metrics.Failed
	case guard.EndUpstreamAbort:
		return metrics.UpstreamError
	case guard.EndClientGone:
		return metrics.ClientGone
	case guard.EndMissingFinal, guard.EndFirstEventTimeout, guard.EndIdleTimeout, guard.EndMaxDuration, guard.EndShutdown:
		return metrics.Replaced
	default:
		return metrics.OK
	}
}
