// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

// cardCache holds the public cards of the agents behind a guard, by the path that
// the agent is mounted at ("" at the root). They come along with the answers that
// pass, and are asked for only where a rule that acts cannot do without. A reload
// forgets them. The zero value is ready.
type cardCache struct {
	mu    sync.RWMutex
	known map[string]knownCard
	asked map[string]chan struct{} // closed once the question under way is answered
}

type knownCard struct {
	card  *a2a.Card // nil if the agent has none there
	until time.Time
}

const (
	cardLife = 10 * time.Minute // how long a card is believed
	cardLack = time.Minute      // how long that there is none
	maxCards = 64
)

// The places of a card below the path that its agent is mounted at (A2A 1.0 §8.2;
// 0.2 had another name).
const (
	cardPath    = "/.well-known/agent-card.json"
	oldCardPath = "/.well-known/agent.json"
)

// find returns the card of the agent that is called at a path: the nearest one. If
// there is none, ask tells whether the agent could be asked for it, at its own mount
// or at the root.
func (c *cardCache) find(now time.Time, path, mount string) (card *a2a.Card, ask bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if len(c.known) == 0 {
		return nil, true
	}
	nearest := -1
	for at, k := range c.known {
		if isBelow(path, at) && len(at) > nearest && k.card != nil && now.Before(k.until) {
			card, nearest = k.card, len(at)
		}
	}
	return card, card == nil && (!now.Before(c.known[""].until) || !now.Before(c.known[mount].until))
}

// isBelow reports whether a path is one, or leads below it.
func isBelow(path, other string) bool {
	below, ok := strings.CutPrefix(path, other)
	return ok && (below == "" || below[0] == '/')
}

// learn notes a card that passed, or with nil that there is none.
func (c *cardCache) learn(now time.Time, mount string, card *a2a.Card) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = make(map[string]knownCard)
	}
	old, replaces := c.known[mount]
	if card == nil && old.card != nil && now.Before(old.until) {
		return // it passed while the agent was asked in vain
	}
	if !replaces && len(c.known) >= maxCards {
		c.forgetOldest()
	}
	life := cardLife
	if card == nil {
		life = cardLack
	}
	c.known[mount] = knownCard{card, now.Add(life)}
}

func (c *cardCache) forgetOldest() {
	oldest, until := "", time.Time{}
	for mount, k := range c.known {
		if until.IsZero() || k.until.Before(until) {
			oldest, until = mount, k.until
		}
	}
	delete(c.known, oldest)
}

// ask gets the card of one mount by fetch, unless that is under way already: then it
// waits for it, as long as the caller does. It returns whether there is a card.
func (c *cardCache) ask(ctx context.Context, mount string, fetch func() *a2a.Card) bool {
	c.mu.Lock()
	if k := c.known[mount]; time.Now().Before(k.until) {
		c.mu.Unlock()
		return k.card != nil
	}
	if asked := c.asked[mount]; asked != nil {
		c.mu.Unlock()
		select {
		case <-asked:
		case <-ctx.Done():
		}
		c.mu.RLock()
		defer c.mu.RUnlock()
		return c.known[mount].card != nil
	}
	if c.asked == nil {
		c.asked = make(map[string]chan struct{})
	}
	answered := make(chan struct{})
	c.asked[mount] = answered
	c.mu.Unlock()
	card := fetch()
	c.learn(time.Now(), mount, card)
	c.mu.Lock()
	delete(c.asked, mount)
	c.mu.Unlock()
	close(answered)
	return card != nil
}

// passed learns a card that the agent has answered a client with.
func (c *cardCache) passed(path string, report *guard.CardReport) {
	mount, found := strings.CutSuffix(path, cardPath)
	if !found {
		mount = strings.TrimSuffix(path, oldCardPath)
	}
	if report.Flaw != guard.CardUnreadable {
		c.learn(time.Now(), mount, &report.Card)
	}
}

// mountOf is where the agent that a call is for may have a card of its own: at the
// base path, or where it is known to take JSON-RPC; else at the root.
func (h *Handler) mountOf(path string, rpcPath bool) string {
	base := strings.TrimRight(h.BasePath, "/")
	switch {
	case rpcPath:
		return strings.TrimRight(path, "/")
	case isBelow(path, base):
		return base
	}
	return ""
}

// askForCard asks the agent of a call for its card, at its mount and then at the
// root. Whatever goes wrong, there is none.
func (h *Handler) askForCard(r *http.Request, next caddyhttp.Handler, mount string) *a2a.Card {
	fetch := func(mount string) bool {
		return h.agentCards.ask(r.Context(), mount, func() *a2a.Card { return h.fetchCard(r, next, mount) })
	}
	if !fetch(mount) && mount != "" {
		fetch("")
	}
	card, _ := h.agentCards.find(time.Now(), r.URL.Path, mount)
	return card
}

// fetchCard sends one request for a card the way that the call goes, without
// anything that is the caller's own: the answer is everybody's.
func (h *Handler) fetchCard(r *http.Request, next caddyhttp.Handler, mount string) (card *a2a.Card) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	defer time.AfterFunc(h.guard.Policy.Limits.Lookup, cancel).Stop()
	defer func() {
		if p := recover(); p != nil && p != http.ErrAbortHandler { //nolint:errorlint // a panic value, never wrapped
			h.logger.Error("a handler behind the guard failed on a request for the agent's card", zap.Any("panic", p))
		}
	}()
	rec := &answerRecorder{header: make(http.Header), max: maxCard}
	req := cardRequest(ctx, r, mount, rec)
	if req == nil {
		return nil
	}
	if err := next.ServeHTTP(rec, req); err != nil || rec.status != http.StatusOK || rec.overflow || ctx.Err() != nil {
		return nil
	}
	found, err := a2a.ReadCard(rec.body)
	if err != nil || found.Flaw != a2a.NoFlaw {
		return nil
	}
	return &found
}

// cardRequest builds the request. Variables and placeholders of handlers in front of
// the guard may tell the way to the agent, so they come along; who calls does not.
func cardRequest(ctx context.Context, r *http.Request, mount string, rec http.ResponseWriter) *http.Request {
	server, _ := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	if server == nil {
		return nil
	}
	ctx = caddyhttp.ContextWithIdleTimeouts(ctx, nil, nil)
	url := *r.URL
	url.Path, url.RawPath, url.RawQuery, url.ForceQuery = mount+cardPath, "", "", false
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url.String(), http.NoBody) //nolint:gosec // it goes where the call goes
	if err != nil {
		return nil
	}
	req.Header.Set("Accept", guard.TypeJSON)
	req.Header.Set("Accept-Encoding", "identity")
	req.RequestURI = url.RequestURI()
	if r.TLS != nil {
		tls := *r.TLS
		tls.PeerCertificates, tls.VerifiedChains = nil, nil
		req.TLS = &tls
	}
	vars, _ := r.Context().Value(caddyhttp.VarsCtxKey).(map[string]any)
	repl, _ := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	return prepare(req, r, rec, server, maps.Clone(vars), func(key string) (any, bool) {
		switch {
		case strings.HasPrefix(key, "http.auth."), strings.HasPrefix(key, "http.request."):
			return "", true // the caller's
		case repl == nil, strings.HasPrefix(key, "http.reverse_proxy."):
			return nil, false
		}
		return repl.Get(key)
	})
}

// extensions are the values of the headers by which a call names extensions; 0.3 had
// another name (A2A 1.0 §3.2.6).
func extensions(r *http.Request) []string {
	if now, before := r.Header["A2a-Extensions"], r.Header["X-A2a-Extensions"]; len(before) > 0 {
		return append(append(make([]string, 0, len(now)+len(before)), now...), before...)
	}
	return r.Header["A2a-Extensions"]
}
