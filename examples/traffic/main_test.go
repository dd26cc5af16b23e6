// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/a2aguard/caddy-a2a-guard/examples/agent/orders"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConversationsUseEveryMethodAndEveryFault(t *testing.T) {
	agent := orders.New(orders.Config{Life: time.Millisecond}) // nothing hangs
	defer agent.Close()
	var mu sync.Mutex
	var bodies strings.Builder
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		bodies.Write(body)
		mu.Unlock()
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		agent.ServeHTTP(w, r)
	}))
	defer server.Close()
	c := &client{http: server.Client(), url: server.URL}
	p := plan{share: 0.5}
	ctx := context.WithoutCancel(t.Context())
	for range 2 * max(len(wellBehaved), len(faulty)) {
		p.conversation()(ctx, c)
	}
	for _, method := range []string{
		"SendMessage", "SendStreamingMessage", "GetTask", "CancelTask", "SubscribeToTask",
		"message/send", "message/stream", "tasks/get",
	} {
		if !strings.Contains(bodies.String(), `"method":"`+method+`"`) {
			t.Errorf("nobody calls %s", method)
		}
	}
	for _, fault := range orders.Faults() {
		if !strings.Contains(bodies.String(), "fault="+string(fault)) {
			t.Errorf("nobody asks for %s", fault)
		}
	}
}

func TestTheCommandRunsUntilItIsStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { stop() }))
	defer server.Close()
	if err := run(ctx, []string{"-url", server.URL, "-every", "1ms"}, io.Discard); err != nil {
		t.Error(err)
	}
	if err := run(t.Context(), []string{"-every", "0"}, io.Discard); err == nil {
		t.Error("a rate without bounds is accepted")
	}
}
