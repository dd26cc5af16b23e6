// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"sync/atomic"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

// facts are what the access log and the request's variables tell of a call, each
// under "a2a." and its name; nil or empty if there is nothing to tell.
var facts = [...]struct {
	name string
	of   func(*call) any
}{
	{"agent", func(c *call) any { return c.h.Name }},
	{"binding", func(c *call) any { return c.x.Binding.String() }},
	{"version", func(c *call) any { return c.x.Dialect.String() }},
	{"method", func(c *call) any { return c.x.Operation.String() }},
	{"outcome", func(c *call) any { return c.outcome().String() }},
	{"task", func(c *call) any { return clip(c.taskID()) }},
	{"context", func(c *call) any { return clip(c.contextID()) }},
	{"state", func(c *call) any {
		if state := c.state(); state != a2a.Unspecified {
			return state.String()
		}
		return nil
	}},
	{"end", func(c *call) any {
		if s := c.stream(); s != nil {
			return s.End().String()
		}
		return nil
	}},
	{"events", func(c *call) any {
		if s := c.stream(); s != nil {
			return s.Events()
		}
		return nil
	}},
}

// facet is one fact of a call as a variable, {http.vars.a2a.*}, empty until the call
// is over. It is set before the request is handed on: the variables are a plain map,
// which a connection that is being dialled may read even after the call.
type facet struct {
	c    *call
	fact int
	over *atomic.Bool
}

// String implements fmt.Stringer.
func (f *facet) String() string {
	if !f.over.Load() {
		return ""
	}
	return caddy.ToString(facts[f.fact].of(f.c))
}

// announce sets the call's variables. Where the site has no access log nobody looks.
func (c *call) announce() {
	ctx := c.r.Context()
	server, _ := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	if server == nil || server.Logs == nil {
		return
	}
	c.told = new(atomic.Bool)
	facets := make([]facet, len(facts))
	for i, fact := range facts {
		facets[i] = facet{c, i, c.told}
		caddyhttp.SetVar(ctx, "a2a."+fact.name, &facets[i])
	}
}

// tell adds what is known of a call that is over to the access log.
func (c *call) tell() {
	if c.told == nil {
		return
	}
	c.told.Store(true)
	extra, _ := c.r.Context().Value(caddyhttp.ExtraLogFieldsCtxKey).(*caddyhttp.ExtraLogFields)
	if extra == nil {
		return
	}
	for _, fact := range facts {
		if value := fact.of(c); value != nil && value != "" {
			extra.Add(zap.Any("a2a."+fact.name, value))
		}
	}
}
