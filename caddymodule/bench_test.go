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

// BenchmarkEvent is the way of one event through the handler, as reverse_proxy
// writes it.
func BenchmarkEvent(b *testing.B) {
	h := guarded(b, "")
	c := sink{make(http.Header)}
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(streamCall))
	r.Header.Set("Authorization", "Bearer alice")
	r = caddyhttp.PrepareRequest(r, caddy.NewReplacer(), c, new(caddyhttp.Server))
	artifact := []byte(`data: {"jsonrpc":"2.0","id":"q1","result":{"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"a","parts":[{"text":"` + strings.Repeat("word ", 25) + `"}]}}}}` + "\n\n")
	err := h.ServeHTTP(c, r, caddyhttp.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "text/event-stream")
		flush := http.NewResponseController(w).Flush
		if err := say(w, taskFrame); err != nil {
			return err
		}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := w.Write(artifact); err != nil {
				return err
			}
			if err := flush(); err != nil {
				return err
			}
		}
		return say(w, doneFrame)
	}))
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkCall is a unary call's way.
func BenchmarkCall(b *testing.B) {
	h := guarded(b, "")
	answer := []byte(`{"jsonrpc":"2.0","id":"q1","result":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"},"artifacts":[{"artifactId":"a","parts":[{"text":"` + strings.Repeat("word ", 170) + `"}]}]}}`)
	agent := caddyhttp.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "application/json")
		_, err := w.Write(answer)
		return err
	})
	server := new(caddyhttp.Server)
	b.ReportAllocs()
	for b.Loop() {
		c := sink{make(http.Header)}
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(unaryCall))
		r.Header.Set("Authorization", "Bearer alice")
		r = caddyhttp.PrepareRequest(r, caddy.NewReplacer(), c, server)
		if err := h.ServeHTTP(c, r, agent); err != nil {
			b.Fatal(err)
		}
	}
}
