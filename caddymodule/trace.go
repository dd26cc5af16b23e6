// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"github.com/a2aguard/caddy-a2a-guard/metrics"
	"github.com/a2aguard/caddy-a2a-guard/spans"
)

// trace begins the call's span, if the request is traced.
func (c *call) trace() {
	c.span = spans.Start(c.r.Context(), c.x, c.h.Name, &c.h.creators)
}

// endSpan tells how the call came out.
func (c *call) endSpan() {
	if !c.span.Traced() {
		return
	}
	for i := range c.x.Violations {
		c.span.Violation(&c.x.Violations[i])
	}
	outcome := c.outcome()
	end := spans.End{
		Outcome:   outcome.String(),
		Failed:    outcome != metrics.OK && outcome != metrics.ClientGone,
		TaskID:    c.taskID(),
		ContextID: c.contextID(),
		State:     c.state(),
		Inspected: c.tally.inspected,
	}
	if s := c.stream(); s != nil {
		end.Events = s.Events()
	}
	c.span.End(end, &c.h.creators)
}
