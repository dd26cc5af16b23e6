// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/google/uuid"
	"go.uber.org/zap"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/metrics"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// ServeHTTP guards one request. A call is told by its path in HTTP+JSON, and by the
// body of a POST in JSON-RPC; everything else passes with the original writer and
// request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	isPost := r.Method == http.MethodPost
	rpcPath := isPost && h.paths.has(r.URL.Path)
	var route a2a.Route
	if !rpcPath {
		// reverse_proxy sends the path on as it is here.
		route = h.guard.Route(r.Method, r.URL.EscapedPath())
	}
	isCall := rpcPath || route.Operation != a2a.Other
	if !isCall && isCardRequest(r) {
		return h.serveCard(w, r, next)
	}
	encoded := isEncoded(r.Header["Content-Encoding"])
	wary := h.guard.Wary()
	if wary && h.peeks(r) {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return nil
	}
	if !isCall && (!isPost || !wary && (encoded || isGRPC(r))) {
		return next.ServeHTTP(w, r)
	}
	b := body{more: r.Body}
	if !encoded {
		b = h.readBody(w, r, h.bodyTime(isCall), isCall || wary)
	}
	start := time.Now()
	handed := false
	ref := func() string { return reference(r, handed) }
	in := guard.Request{
		Route:       route,
		Query:       r.URL.RawQuery,
		Body:        b.bytes,
		Truncated:   b.truncated,
		Late:        b.late,
		Broken:      b.err != nil,
		RPCPath:     rpcPath,
		Encoded:     encoded,
		Version:     version(r),
		ContentType: r.Header.Get("Content-Type"),
		Principal:   h.principal(r),
		Credentials: h.guard.Policy.Decide(policy.AuthnRequired).Do == policy.Off || hasCredentials(r),
		Ref:         ref,
		Host:        r.Host,
		Base:        r.URL.Path,
	}
	if route.Operation != a2a.Other {
		in.Base = route.Prefix
	}
	mount := h.mountOf(r.URL.Path, rpcPath)
	if in.Card, in.AskCard = h.agentCards.find(start, r.URL.Path, mount); in.Card != nil {
		in.Extensions = extensions(r)
	}
	x, ok := h.inspect(start, &in)
	if ok && x != nil && x.NeedsCard {
		in.Card, in.AskCard, in.Extensions = h.askForCard(r, next, mount), false, extensions(r)
		x, ok = h.inspect(start, &in)
	}
	if !ok && !h.guard.Policy.Observes() {
		return caddyhttp.Error(http.StatusInternalServerError, errFailed)
	}
	if x == nil {
		b.restore(r)
		return next.ServeHTTP(w, r)
	}
	c := &call{h: h, x: x, w: w, r: r, next: next, left: r.Context().Done(), begun: start, known: rpcPath, handed: &handed}
	c.trace()
	c.announce()
	c.judged(start)
	defer c.report()
	switch {
	case x.Refusal != nil:
		if b.more != nil && r.ProtoMajor == 1 {
			w.Header().Set("Connection", "close") // else the answer waits for the rest of the body
		}
		c.tally.outcome = metrics.Refused
		c.answer(x.Refusal)
		return nil
	case !x.Judged():
		b.restore(r)
		handed = true
		return next.ServeHTTP(w, r)
	}
	return c.limited(in.Principal, func() error { return c.serve(&b) })
}

// inspect lets the core look at a request; ok is false if the core failed.
func (h *Handler) inspect(now time.Time, in *guard.Request) (x *guard.Exchange, ok bool) {
	ok = h.protect(in.Ref, func() { x = h.guard.Inspect(now, *in) })
	return x, ok
}

// peeks reports whether a request asks by HEAD for what a GET would be a call:
// servers that answer tell which tasks exist. A2A has no such calls.
func (h *Handler) peeks(r *http.Request) bool {
	return r.Method == http.MethodHead && h.guard.Route(http.MethodGet, r.URL.EscapedPath()).Operation != a2a.Other
}

// isGRPC reports whether a request is a gRPC call, which is passed on as it is.
func isGRPC(r *http.Request) bool {
	rest, ok := strings.CutPrefix(r.Header.Get("Content-Type"), "application/grpc")
	return ok && r.ProtoMajor == 2 && (rest == "" || strings.ContainsRune("+-;", rune(rest[0])))
}

// isEncoded reports whether any line of a Content-Encoding names one: servers differ in
// which they take.
func isEncoded(lines []string) bool {
	for _, encoding := range lines {
		if encoding != "" && !strings.EqualFold(encoding, "identity") {
			return true
		}
	}
	return false
}

// bodyTime is how long a body may take, zero for any time. A deadline spoils the
// body for whoever reads on, so there is none where it may have to be passed on.
func (h *Handler) bodyTime(isCall bool) time.Duration {
	if !isCall || h.guard.Policy.Observes() {
		return 0
	}
	return h.guard.Policy.Limits.RequestBody
}

// errFailed is what becomes of a request that the guard itself failed on.
var errFailed = errors.New("the guard failed on the request")

// principal stands for whoever sent the request, empty if nothing tells callers
// apart.
func (h *Handler) principal(r *http.Request) string {
	if h.Principal != "" {
		repl, ok := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
		if !ok {
			return ""
		}
		// "{tenant}/{user}" without a user is nobody, and not one whom all share.
		who, err := repl.ReplaceOrErr(h.Principal, true, true)
		if err != nil {
			return ""
		}
		return who
	}
	var scratch [512]byte
	text := scratch[:0]
	for _, name := range [...]string{"Authorization", "Cookie", "X-Api-Key"} {
		for _, value := range r.Header[name] {
			text = append(append(append(append(text, name...), 0), value...), 0)
		}
	}
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		text = append(text, r.TLS.PeerCertificates[0].Raw...)
	}
	if len(text) == 0 {
		return ""
	}
	hash := sha256.Sum256(text)
	return string(hash[:])
}

// hasCredentials reports whether a request says who sends it in a way that is meant
// for that. A cookie is not: browsers send them with everything.
func hasCredentials(r *http.Request) bool {
	return r.Header.Get("Authorization") != "" || r.Header.Get("X-Api-Key") != "" ||
		r.TLS != nil && len(r.TLS.PeerCertificates) > 0
}

// version is the protocol version that a request bears, in its header or its query
// (A2A 1.0 §3.6.1).
func version(r *http.Request) string {
	if v := r.Header.Get("A2a-Version"); v != "" || r.URL.RawQuery == "" { // in canonical form, which costs nothing
		return v
	}
	return r.URL.Query().Get("A2A-Version")
}

// reference names the exchange in errors and logs: the trace's id if there is
// one, else Caddy's request id, which the access log bears too. Caddy makes that when
// first asked and keeps it among the request's variables, a plain map: once the
// request was handed on, a connection that is being dialled may be reading them.
func reference(r *http.Request, handed bool) string {
	ctx := r.Context()
	if id, ok := caddyhttp.GetVar(ctx, "trace_id").(string); ok && id != "" {
		return id
	}
	if handed && caddyhttp.GetVar(ctx, "uuid") == nil {
		id := uuid.NewString()
		if extra, ok := ctx.Value(caddyhttp.ExtraLogFieldsCtxKey).(*caddyhttp.ExtraLogFields); ok {
			extra.Set(zap.String("uuid", id))
		}
		return id
	}
	repl, ok := ctx.Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	if !ok {
		return ""
	}
	id, _ := repl.GetString("http.request.uuid")
	return id
}
