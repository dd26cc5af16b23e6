// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/a2aguard/caddy-a2a-guard/guard"
)

// asker puts the guard's own questions to the agent, as the caller and through
// the same handlers, on a request, variables and log fields of their own.
type asker struct {
	c        *call
	ctx      context.Context // of every question
	withdraw context.CancelFunc
	vars     map[string]any
	repl     *caddy.Replacer
}

// newAsker must run on the handler's goroutine: the request's variables are a
// plain map.
func newAsker(c *call) *asker {
	a := &asker{c: c}
	a.ctx, a.withdraw = context.WithCancel(c.span.Context(c.context()))
	if vars, ok := c.r.Context().Value(caddyhttp.VarsCtxKey).(map[string]any); ok {
		a.vars = maps.Clone(vars)
	}
	a.repl, _ = c.r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	return a
}

// ask sends one question. Whatever goes wrong, the answer is then empty.
func (a *asker) ask(need *guard.Need) (answer guard.Answer) {
	if answer.Serial = need.Serial; a.ctx.Err() != nil {
		return answer
	}
	// A deadline or a cause would count as a failure of the upstream; a plain
	// cancel does not.
	ctx, cancel := context.WithCancel(a.ctx)
	defer cancel()
	defer time.AfterFunc(need.Limit, cancel).Stop()

	rec := &answerRecorder{header: make(http.Header), max: a.c.x.Policy().Limits.MaxEvent}
	req := a.request(ctx, need, rec)
	if req == nil {
		return answer
	}
	defer func() {
		if p := recover(); p != nil && p != http.ErrAbortHandler { //nolint:errorlint // a panic value, never wrapped
			a.c.h.logger.Error("a handler behind the guard failed on a question to the agent", zap.Any("panic", p), zap.String("ref", a.c.x.Ref()))
		}
	}()
	if err := a.c.next.ServeHTTP(rec, req); err != nil || rec.overflow || ctx.Err() != nil {
		return answer
	}
	answer.Status, answer.Body = rec.status, rec.body
	return answer
}

// request builds the question's request. The route groups, variables and
// placeholders that reverse_proxy and its neighbours write belong to one pass
// through the chain, so this one gets its own.
func (a *asker) request(ctx context.Context, need *guard.Need, rec http.ResponseWriter) *http.Request {
	r := a.c.r
	server, _ := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	if server == nil {
		return nil
	}
	original := ctx.Value(caddyhttp.OriginalRequestCtxKey)
	ctx = caddyhttp.ContextWithIdleTimeouts(ctx, nil, nil)
	target, err := targetOf(r, need)
	if err != nil {
		return nil
	}
	req, err := http.NewRequestWithContext(ctx, need.Verb, "/", bytes.NewReader(need.Body))
	if err != nil {
		return nil
	}
	req.URL = target
	req.Header = r.Header.Clone()
	for _, name := range [...]string{"Expect", "Content-Length", "Accept-Encoding", "Last-Event-ID", "Range", "If-Range", "If-None-Match", "If-Modified-Since"} {
		req.Header.Del(name)
	}
	stayOnProtocol(req.Header)
	a.c.span.Inject(req.Header)
	req.Header.Set("Accept", guard.TypeJSON)
	req.Header.Set("Content-Type", guard.TypeJSON)
	req.TLS, req.RequestURI = r.TLS, r.RequestURI
	req = prepare(req, r, rec, server, a.vars, func(key string) (any, bool) {
		if a.repl == nil || strings.HasPrefix(key, "http.reverse_proxy.") {
			return nil, false
		}
		return a.repl.Get(key)
	})
	// In place: the placeholders look at this very request.
	*req = *req.WithContext(context.WithValue(req.Context(), caddyhttp.OriginalRequestCtxKey, original))
	return req
}

// prepare makes a request of the guard's own ready for a pass through the chain, in
// the place of r: with route groups, variables and placeholders of its own.
func prepare(req, r *http.Request, rec http.ResponseWriter, server *caddyhttp.Server, vars map[string]any, placeholders caddy.ReplacerFunc) *http.Request {
	req.Host, req.RemoteAddr = r.Host, r.RemoteAddr
	req.Proto, req.ProtoMajor, req.ProtoMinor = r.Proto, r.ProtoMajor, r.ProtoMinor
	repl := caddy.NewReplacer()
	req = caddyhttp.PrepareRequest(req, repl, rec, server)
	for name, value := range vars {
		caddyhttp.SetVar(req.Context(), name, value)
	}
	repl.Map(placeholders)
	return req
}

// targetOf returns where a question goes: where the call went, but for its path.
func targetOf(r *http.Request, need *guard.Need) (*url.URL, error) {
	target := *r.URL
	if need.Path == "" {
		return &target, nil
	}
	path, err := url.PathUnescape(need.Path)
	target.Path, target.RawPath = path, need.Path
	return &target, err
}

// answerRecorder keeps a bounded answer.
type answerRecorder struct {
	header   http.Header
	status   int
	body     []byte
	max      int
	overflow bool
}

func (rec *answerRecorder) Header() http.Header { return rec.header }

func (rec *answerRecorder) WriteHeader(status int) {
	if rec.status == 0 && status >= 200 {
		rec.status = status
	}
}

func (rec *answerRecorder) Write(p []byte) (int, error) {
	rec.WriteHeader(http.StatusOK)
	if rec.overflow = rec.overflow || len(rec.body)+len(p) > rec.max; rec.overflow {
		return 0, errOver
	}
	rec.body = append(rec.body, p...)
	return len(p), nil
}
