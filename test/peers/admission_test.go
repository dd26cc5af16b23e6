// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// startMute is an agent that has a card without any capability, and nothing else.
func startMute(t *testing.T) string {
	t.Helper()
	const card = `{"url":"http://agent/","supportedInterfaces":[{"url":"http://agent/","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{}}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/.well-known/agent-card.json" {
			t.Errorf("the agent gets %s %s", r.Method, r.URL)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, card)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestEveryClientIsToldWhyItIsNotAdmitted(t *testing.T) {
	for _, tt := range []struct {
		option   string
		versions []string // of the clients that are refused
		verbs    []string
		says     []string // any of it: some libraries know the code, some tell the text or the status alone
	}{
		{"profile strict", []string{"1.0", "0.3"}, []string{"stream"}, []string{"error -32004", "HTTP Error 501"}},
		{"require_authorization", []string{"1.0", "0.3"}, []string{"stream", "send"}, []string{"401", "the call bears no credentials", "error -31401", "Authentication failed"}},
		{"versions 0.3", []string{"1.0"}, []string{"stream", "send"}, []string{"error -32009", "this server does not take calls of that protocol version"}},
		{"versions 1.0", []string{"0.3"}, []string{"stream", "send"}, []string{"error -32600", "this server does not take calls of that protocol version", "HTTP Error 400"}},
	} {
		t.Run(tt.option, func(t *testing.T) {
			guard, _ := startGuard(t, startMute(t), tt.option)
			for _, sdk := range sdks {
				if !slices.Contains(tt.versions, sdk.version) {
					continue
				}
				t.Run(sdk.String()+" client", func(t *testing.T) {
					c := &caller{client: startClient(t, sdk), url: guard, limit: patience}
					for _, verb := range tt.verbs {
						if verb == "stream" {
							c.stream(message("Hello."))
						} else {
							c.send(message("Hello."))
						}
					}
					for _, call := range c.calls {
						told := slices.ContainsFunc(tt.says, func(text string) bool { return strings.Contains(call.String()+call.End.Message, text) })
						if call.End.How != "error" || len(call.Events) > 0 || !told {
							t.Errorf("%s: the client saw %s: %s", call.verb, call, call.End.Message)
						}
					}
				})
			}
		})
	}
}
