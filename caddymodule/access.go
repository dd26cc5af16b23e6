// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

// tell adds what is known of a call that is over to the access log, in fields a2a.*,
// and to the request's variables, {http.vars.a2a.*}. Where the site has no access log
// nobody looks.
func (c *call) tell() {
	ctx := c.r.Context()
	server, _ := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	extra, _ := ctx.Value(caddyhttp.ExtraLogFieldsCtxKey).(*caddyhttp.ExtraLogFields)
	if server == nil || server.Logs == nil || extra == nil {
		return
	}
	say := func(name, value string) {
		if value != "" {
			extra.Add(zap.String("a2a."+name, value))
			caddyhttp.SetVar(ctx, "a2a."+name, value)
		}
	}
	say("agent", c.h.Name)
	say("binding", c.x.Binding.String())
	say("version", c.x.Dialect.String())
	say("method", c.x.Operation.String())
	say("outcome", c.outcome().String())
	say("task", clip(c.taskID()))
	say("context", clip(c.contextID()))
	if state := c.state(); state != a2a.Unspecified {
		say("state", state.String())
	}
	if s := c.stream(); s != nil {
		say("end", s.End().String())
		extra.Add(zap.Int("a2a.events", s.Events()))
		caddyhttp.SetVar(ctx, "a2a.events", s.Events())
	}
}
