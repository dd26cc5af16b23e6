// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"errors"
	"fmt"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// policy compiles the configuration.
func (h *Handler) policy() (*policy.Policy, error) {
	c := policy.Config{Limits: policy.DefaultLimits(), CancelUnfinished: h.CancelUnfinished, Rules: map[string]policy.Mode{},
		Versions: h.Versions, RequireAuthorization: h.RequireAuthorization, TaskOwner: h.TaskOwner, RedactErrors: h.RedactErrors}
	var errs [4]error
	if h.Profile != "" {
		c.Profile, errs[0] = policy.ParseProfile(h.Profile)
	}
	if h.Unfinished != "" {
		c.Unfinished, errs[1] = policy.ParseUnfinished(h.Unfinished)
	}
	if h.StreamErrors != "" {
		c.StreamErrors, errs[2] = policy.ParseStreamErrors(h.StreamErrors)
	}
	for id, mode := range h.Rules {
		var err error
		if c.Rules[id], err = policy.ParseMode(mode); err != nil {
			errs[3] = fmt.Errorf("rule %s: %w", id, err)
		}
	}
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	h.limits(&c.Limits)
	return policy.New(c)
}

func (h *Handler) limits(l *policy.Limits) {
	for _, set := range []struct {
		to   *time.Duration
		from *caddy.Duration
	}{
		{&l.FirstEvent, h.FirstEventTimeout},
		{&l.Idle, h.IdleTimeout},
		{&l.Paused, h.PausedTimeout},
		{&l.MaxDuration, h.MaxDuration},
		{&l.SettleAfter, h.SettleAfter},
		{&l.Call, h.CallTimeout},
		{&l.Hold, h.Hold},
		{&l.Linger, h.Linger},
		{&l.Heartbeat, h.Heartbeat},
		{&l.Lookup, h.LookupTimeout},
		{&l.RequestBody, h.RequestBodyTimeout},
	} {
		if set.from != nil {
			*set.to = time.Duration(*set.from)
		}
	}
	if h.MaxRequestBody != 0 {
		l.MaxRequestBody = h.MaxRequestBody
	}
	if h.MaxEvent != 0 {
		l.MaxEvent = h.MaxEvent
	}
}
