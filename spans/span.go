// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package spans tells of calls in traces. It makes spans where Caddy's tracing
// directive has put one into the request's context, with that span's own provider,
// and nothing elsewhere.
package spans

import (
	"context"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

const tracerName = "github.com/a2aguard/caddy-a2a-guard"

// maxText is the longest id that a span bears, in bytes.
const maxText = 128

// Span is one call's. The zero value tells nothing. It is not for concurrent use.
type Span struct {
	span       trace.Span
	ctx        context.Context
	state      a2a.State
	violations int
}

// Start begins the span of a call of an agent's whose context has a recorded one. It
// leads to the span in which the call's task was first seen.
func Start(ctx context.Context, x *guard.Exchange, agent string, creators *Creators) Span {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return Span{}
	}
	attributes := []attribute.KeyValue{
		attribute.String("a2a.agent", agent),
		attribute.String("rpc.method", x.Operation.Method(a2a.V10)),
		attribute.String("a2a.binding", x.Binding.String()),
		attribute.String("a2a.protocol.version", x.Dialect.String()),
		attribute.String("gen_ai.operation.name", "invoke_agent"),
	}
	if x.Binding == a2a.JSONRPC {
		attributes = append(attributes, attribute.String("rpc.system.name", "jsonrpc"))
	}
	if x.ID != nil {
		attributes = append(attributes, attribute.String("jsonrpc.request.id", clip(x.ID.Text())))
	}
	ctx, span := parent.TracerProvider().Tracer(tracerName).Start(ctx, "a2a "+x.Operation.String(),
		trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attributes...), trace.WithLinks(creators.links(x.TaskID.Text())...))
	return Span{span: span, ctx: ctx}
}

// Context is the given one with the span in it.
func (s *Span) Context(ctx context.Context) context.Context {
	if s.span == nil {
		return ctx
	}
	return trace.ContextWithSpan(ctx, s.span)
}

// Inject names the span in a request's header, for the agent's own spans to hang
// below it (W3C Trace Context).
func (s *Span) Inject(header http.Header) {
	if s.span != nil {
		propagation.TraceContext{}.Inject(s.ctx, propagation.HeaderCarrier(header))
	}
}

// Traced reports whether the span tells anything.
func (s *Span) Traced() bool { return s.span != nil }

// TraceID is the id of the span's trace, empty if it tells nothing.
func (s *Span) TraceID() string {
	if s.span == nil {
		return ""
	}
	return s.span.SpanContext().TraceID().String()
}

// Began marks the beginning of a stream by a span of its own, which backends show at
// once: the call's they show when that is over.
func (s *Span) Began() { s.mark("a2a stream began") }

func (s *Span) mark(name string, attributes ...attribute.KeyValue) {
	if s.span == nil {
		return
	}
	_, span := s.span.TracerProvider().Tracer(tracerName).Start(s.ctx, name, trace.WithAttributes(attributes...))
	span.End()
}

// Verdict tells of one event of a stream: of the rules that it broke, and of the
// state that it brings.
func (s *Span) Verdict(v *guard.Verdict) {
	if s.span == nil {
		return
	}
	for i := range v.Violations {
		s.Violation(&v.Violations[i])
	}
	switch {
	case v.Action == policy.Drop:
		s.span.AddEvent("a2a.dropped", trace.WithAttributes(attribute.String("a2a.event.kind", v.Kind.String()), attribute.Int("a2a.event.bytes", len(v.Raw))))
	case v.State != a2a.Unspecified && v.State != s.state:
		s.state = v.State
		state := attribute.String("a2a.task.state", v.State.String())
		s.span.AddEvent("a2a.state", trace.WithAttributes(state))
		s.mark("a2a state", state)
	}
}

// Violation tells of a broken rule; notices are not told.
func (s *Span) Violation(v *guard.Violation) {
	if s.span == nil || v.Rule.Info().Notice {
		return
	}
	s.violations++
	s.span.AddEvent("a2a.violation", trace.WithAttributes(
		attribute.String("a2a.rule", v.Rule.String()), attribute.String("a2a.action", v.Decision.String())))
}

// End is what a call's span says in the end.
type End struct {
	Outcome   string
	Failed    bool // whether that is an error
	TaskID    string
	ContextID string
	State     a2a.State
	Events    int           // of a stream
	Inspected time.Duration // in the guard
}

// End ends the span.
func (s *Span) End(e End, creators *Creators) {
	if s.span == nil {
		return
	}
	creators.note(e.TaskID, s.span.SpanContext())
	s.span.SetAttributes(
		attribute.String("a2a.outcome", e.Outcome),
		attribute.Int("a2a.violations", s.violations),
		attribute.Int64("a2a.guard.inspect_us", e.Inspected.Microseconds()),
	)
	if e.TaskID != "" {
		s.span.SetAttributes(attribute.String("a2a.task.id", clip(e.TaskID)))
	}
	if e.ContextID != "" {
		s.span.SetAttributes(attribute.String("a2a.context.id", clip(e.ContextID)), attribute.String("gen_ai.conversation.id", clip(e.ContextID)))
	}
	if e.State != a2a.Unspecified {
		s.span.SetAttributes(attribute.String("a2a.task.state", e.State.String()))
	}
	if e.Events > 0 {
		s.span.SetAttributes(attribute.Int("a2a.events", e.Events))
	}
	if e.Failed {
		s.span.SetStatus(codes.Error, e.Outcome)
	}
	s.span.End()
}

func clip(id string) string { return id[:min(len(id), maxText)] }
