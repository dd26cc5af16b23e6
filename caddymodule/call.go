// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/spans"
)

// call is one judged exchange on its way through Caddy. The agent's request runs
// under a context of the call's own, canceled without a cause: reverse_proxy would
// take a cause for a failed upstream.
type call struct {
	h      *Handler
	x      *guard.Exchange
	w      http.ResponseWriter
	reason atomic.Uint32 // why it was cut, the first reason wins
	r      *http.Request
	next   caddyhttp.Handler
	left   <-chan struct{} // closed when the client leaves

	cancel context.CancelFunc // cuts the agent's request
	begun  time.Time
	known  bool // its path leads to an agent
	tally  tally
	span   spans.Span
	handed *bool        // the request was handed on
	told   *atomic.Bool // the access log has it; nil if there is none
	url    url.URL      // of the agent's request: a question to the agent begins where the call did

	// The request's body is read by the agent and by placeholders.
	forAgent, forPlaceholders wholeBody

	out    *responseWriter
	writer responseWriter // what out points to: one piece of memory is found faster than two
}

// The reasons of a cut.
const (
	cutNone uint32 = iota
	cutDone        // the client has its answer
	cutGone        // the client left
)

// serve hands the request on and sees its answer through to the end.
func (c *call) serve(b *body) error {
	ctx, cancel := context.WithCancel(c.span.Context(c.context()))
	defer cancel()
	c.cancel = cancel
	c.out = newResponseWriter(c)
	defer c.out.stop()

	agent := c.r.WithContext(ctx)
	agent.Header = c.r.Header.Clone()
	c.url = *c.r.URL
	agent.URL = &c.url
	// A compressed stream cannot be judged, and the transport asks for one if the
	// header is merely absent.
	agent.Header.Set("Accept-Encoding", "identity")
	agent.Header.Del("Expect") // the body is here already
	stayOnProtocol(agent.Header)
	c.span.Inject(agent.Header)
	c.forPlaceholders.give(c.r, b.bytes)
	c.forAgent.give(agent, b.bytes)
	agent.TransferEncoding, agent.Trailer = nil, nil
	*c.handed = true
	aborted, err := c.ask(agent)
	return c.out.finish(aborted, err)
}

// stayOnProtocol takes an offer to change the protocol out of a call's headers:
// an upgraded connection would go round the guard.
func stayOnProtocol(header http.Header) {
	if header.Get("Upgrade") == "" {
		return
	}
	header.Del("Upgrade")
	header.Del("Http2-Settings")
	header.Del("Connection")
}

// ask lets the rest of the chain answer. Its writer aborts by a panic, which is
// ours if we cut it and the agent's otherwise; both are ends like others.
func (c *call) ask(agent *http.Request) (aborted bool, err error) {
	defer func() {
		switch p := recover(); {
		case p == nil:
		case p == http.ErrAbortHandler: //nolint:errorlint // a panic value, never wrapped
			aborted = true
		default:
			panic(p)
		}
	}()
	return false, c.next.ServeHTTP(c.out, agent)
}

// context is what the agent's request and the guard's own questions live in: they
// end when the client leaves, unless the agent is to be read to its end.
func (c *call) context() context.Context {
	if c.h.ClientGone == clientGoneDrain {
		return context.WithoutCancel(c.r.Context())
	}
	return c.r.Context()
}

// cut ends the agent's request. It takes no lock.
func (c *call) cut(reason uint32) {
	c.gone() // a client that left earlier is the first reason
	c.reason.CompareAndSwap(cutNone, reason)
	c.cancel()
}

// clientGone runs when a write to the client fails.
func (c *call) clientGone() {
	if c.reason.CompareAndSwap(cutNone, cutGone) && c.h.ClientGone != clientGoneDrain {
		c.cancel()
	}
}

// gone reports whether the client left before it had its answer.
func (c *call) gone() bool {
	select {
	case <-c.left:
		c.reason.CompareAndSwap(cutNone, cutGone)
	default:
	}
	return c.reason.Load() == cutGone
}

// answer writes a whole answer of the guard's.
func (c *call) answer(reply *guard.Reply) {
	header := c.w.Header()
	header.Del("Content-Encoding")
	header.Del("Trailer")
	header.Set("Content-Type", reply.ContentType)
	header.Set("Content-Length", strconv.Itoa(len(reply.Body)))
	if reply.ContentType == guard.TypeSSE {
		completeCacheControl(header)
	}
	if reply.Challenge != "" {
		header.Set("Www-Authenticate", reply.Challenge)
	}
	if reply.RetryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(reply.RetryAfter))
	}
	c.w.WriteHeader(reply.Status)
	if _, err := c.w.Write(reply.Body); err != nil {
		c.h.logger.Debug("the client left before its answer", zap.Error(err))
	}
	if reply.Fault != nil {
		c.h.logger.Info("answered in the agent's place", zap.Int("status", reply.Status), zap.Int("code", int(reply.Fault.Code)),
			zap.String("rule", reply.Fault.Rule), zap.Stringer("method", c.x.Operation), zap.String("ref", c.x.Ref()))
	}
}

// learn notes that the call's path leads to a JSON-RPC agent: it has answered as
// one.
func (c *call) learn() {
	if c.x.Binding != a2a.JSONRPC {
		return
	}
	if path := c.r.URL.Path; !c.known && !c.h.paths.has(path) {
		c.h.paths.add(path)
	}
}

// protect runs a part of the core. A panic there is the guard's own fault: it is
// logged and answered for, and never takes the client's connection down.
func (c *call) protect(part func()) (ok bool) { return c.h.protect(c.x.Ref, part) }

func (h *Handler) protect(ref func() string, part func()) (ok bool) {
	defer func() {
		if p := recover(); p != nil {
			ok = false
			h.logger.Error("the guard failed; please report this", zap.Any("panic", p), zap.ByteString("stack", debug.Stack()), zap.String("ref", ref()))
		}
	}()
	part()
	return true
}

// errorStatus is the HTTP status that an error of the chain stands for.
func errorStatus(err error) int {
	var handlerError caddyhttp.HandlerError
	if errors.As(err, &handlerError) && handlerError.StatusCode >= http.StatusBadRequest {
		return handlerError.StatusCode
	}
	return http.StatusBadGateway
}

// lifetime is when the server stops taking writes for the request, less the time
// that a stream's end needs; ok is false if it never does.
func (c *call) lifetime() (end time.Time, ok bool) {
	server, _ := c.r.Context().Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
	if server == nil || server.WriteTimeout <= 0 {
		return time.Time{}, false
	}
	limit := time.Duration(server.WriteTimeout)
	return c.begun.Add(limit - min(limit/4, 500*time.Millisecond)), true
}
