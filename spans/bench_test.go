// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"context"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

// BenchmarkSpan is one call's span with a change of state, without and with a trace.
func BenchmarkSpan(b *testing.B) {
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(ignoring{}))
	traced, parent := provider.Tracer("test").Start(context.Background(), "caddy")
	defer parent.End()
	for name, ctx := range map[string]context.Context{"untraced": context.Background(), "traced": traced} {
		b.Run(name, func(b *testing.B) {
			x := &guard.Exchange{}
			x.Operation = a2a.SendMessage
			verdict := &guard.Verdict{Raw: []byte("x"), Kind: a2a.StatusUpdate, State: a2a.Completed}
			var creators Creators
			b.ReportAllocs()
			for b.Loop() {
				s := Start(ctx, x, "desk", &creators)
				s.Verdict(verdict)
				s.End(End{Outcome: "ok", TaskID: "t1", ContextID: "c1", State: a2a.Completed}, &creators)
			}
		})
	}
}

// ignoring is a processor that makes spans be recorded.
type ignoring struct{}

func (ignoring) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (ignoring) OnEnd(sdktrace.ReadOnlySpan)                     {}
func (ignoring) Shutdown(context.Context) error                  { return nil }
func (ignoring) ForceFlush(context.Context) error                { return nil }
