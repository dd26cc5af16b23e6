// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"fmt"
	"net/http"
	"net/netip"
	"sync"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/metrics"
)

// callCounts holds the counters of each guard by name, over reloads: a call is
// counted out where it was counted in.
var callCounts = caddy.NewUsagePool()

// callCounter counts what each caller has in flight. There is no entry for a caller
// without a call, so there are never more than calls.
type callCounter struct {
	mu sync.Mutex
	n  map[callerKey]int
}

// callerKey is one count: of a caller's streams, or of its other calls.
type callerKey struct {
	streams bool
	caller  string
}

// Destruct implements caddy.Destructor. Calls of an old configuration may still be
// counted out, so it does nothing.
func (*callCounter) Destruct() error { return nil }

// enter counts a call in, unless there are limit of them; force counts it in anyway.
func (c *callCounter) enter(k callerKey, limit int, force bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n[k] >= limit && !force {
		return false
	}
	c.n[k]++
	return true
}

// leave counts a call out.
func (c *callCounter) leave(k callerKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n[k]--; c.n[k] <= 0 {
		delete(c.n, k)
	}
}

// count takes the counter of the guard's name, if anything is limited.
func (h *Handler) count() error {
	if h.MaxStreams == 0 && h.MaxCalls == 0 {
		return nil
	}
	counter, _, err := callCounts.LoadOrNew(h.Name, func() (caddy.Destructor, error) {
		return &callCounter{n: make(map[callerKey]int)}, nil
	})
	if err != nil {
		return fmt.Errorf("opening the call counter of %q: %w", h.Name, err)
	}
	h.calls = counter.(*callCounter)
	return nil
}

// limited runs a call within its caller's limit, or answers that there is none left.
func (c *call) limited(caller string, run func() error) error {
	h, streams := c.h, c.x.Operation.Streams()
	limit := h.MaxCalls
	if streams {
		limit = h.MaxStreams
	}
	if h.calls == nil || limit == 0 {
		return run()
	}
	if caller == "" {
		caller = clientNetwork(c.r)
	}
	key := callerKey{streams, caller}
	if !h.calls.enter(key, limit, false) {
		var reply *guard.Reply
		if c.protect(func() { reply = c.x.TooMany() }); reply != nil {
			c.tally.outcome = metrics.Refused
			c.answer(reply)
			return nil
		}
		h.calls.enter(key, limit, true)
	}
	defer h.calls.leave(key)
	return run()
}

// clientNetwork stands for a caller whom nothing else tells apart: its address, of
// which one subscriber has 2^64 in IPv6.
func clientNetwork(r *http.Request) string {
	address, _ := caddyhttp.GetVar(r.Context(), caddyhttp.ClientIPVarKey).(string)
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return "address " + address
	}
	ip = ip.Unmap()
	if ip.Is6() {
		network, _ := ip.WithZone("").Prefix(64) // never longer than the address
		return "address " + network.String()
	}
	return "address " + ip.String()
}
