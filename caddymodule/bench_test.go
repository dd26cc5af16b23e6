// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// sink is a client that takes everything at once.
type sink struct{ header http.Header }

func (s sink) Header() http.Header         { return s.header }
func (s sink) WriteHeader(int)             {}
func (s sink) Write(p []byte) (int, error) { return len(p), nil }
func (s sink) FlushError() error           { return nil }

// pour sends a call through the handler to an agent and drops the answer.
func pour(t testing.TB, h *Handler, call string, agent caddyhttp.HandlerFunc) {
	c := sink{make(http.Header)}
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(call))
	r.Header.Set("Authorization", "Bearer alice") // tasks are remembered
	r.Header.Set("A2A-Version", "1.0")
	r.Header.Set("Content-Type", "application/json")
	r = caddyhttp.PrepareRequest(r, caddy.NewReplacer(), c, new(caddyhttp.Server))
	if err := h.ServeHTTP(c, r, agent); err != nil {
		t.Fatal(err)
	}
}

// events are an agent's that writes chunks of an artifact, as reverse_proxy
// copies and flushes them, for as long as the body of a test goes on.
func events(t testing.TB, body func(event func())) caddyhttp.HandlerFunc {
	artifact := []byte(`data: {"jsonrpc":"2.0","id":"q1","result":{"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"a","parts":[{"text":"` +
		strings.Repeat("word ", 25) + `"}]}}}}` + "\n\n")
	return func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "text/event-stream")
		flush := http.NewResponseController(w).Flush
		if err := say(w, taskFrame); err != nil {
			return err
		}
		body(func() {
			if n, err := w.Write(artifact); n != len(artifact) || err != nil {
				t.Fatal(n, err)
			}
			if err := flush(); err != nil {
				t.Fatal(err)
			}
		})
		return say(w, doneFrame)
	}
}

// telling are the options of guards that tell nobody, or Prometheus.
var telling = map[string]string{"silent": "", "counting": "metrics on"}

func TestPassingAnEventAllocatesNothing(t *testing.T) {
	for name, options := range telling {
		t.Run(name, func(t *testing.T) {
			pour(t, guarded(t, options), streamCall, events(t, func(event func()) {
				event() // buffers grow, series begin
				event()
				if n := testing.AllocsPerRun(100, event); n != 0 {
					t.Errorf("%v allocations", n)
				}
			}))
		})
	}
}

// BenchmarkEvent is the way of one event through the handler.
func BenchmarkEvent(b *testing.B) {
	for name, options := range telling {
		b.Run(name, func(b *testing.B) {
			pour(b, guarded(b, options), streamCall, events(b, func(event func()) {
				b.ReportAllocs()
				for b.Loop() {
					event()
				}
			}))
		})
	}
}

// BenchmarkCall is the way of a unary call with an answer of 1 KiB, the making of
// the request included.
func BenchmarkCall(b *testing.B) {
	answer := []byte(`{"jsonrpc":"2.0","id":"q1","result":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"},"artifacts":[{"artifactId":"a","parts":[{"text":"` +
		strings.Repeat("word ", 170) + `"}]}]}}`)
	for name, options := range telling {
		b.Run(name, func(b *testing.B) {
			h := guarded(b, options)
			b.ReportAllocs()
			for b.Loop() {
				pour(b, h, unaryCall, func(w http.ResponseWriter, _ *http.Request) error {
					w.Header().Set("Content-Type", "application/json")
					_, err := w.Write(answer)
					return err
				})
			}
		})
	}
}
