// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	card03 "github.com/a2aproject/a2a-go/a2a"
	resolver03 "github.com/a2aproject/a2a-go/a2aclient/agentcard"
	server03 "github.com/a2aproject/a2a-go/a2asrv"
	card10 "github.com/a2aproject/a2a-go/v2/a2a"
	resolver10 "github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	server10 "github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/a2aguard/caddy-a2a-guard/test/peers"
	"github.com/a2aguard/caddy-a2a-guard/test/peers/gosdk03"
	"github.com/a2aguard/caddy-a2a-guard/test/peers/gosdk10"
)

// nowhere is an address of the agent's that clients cannot reach.
const nowhere = "http://127.0.0.1:1"

// TestOfficialClientsComeToTheGuardByTheCard has an agent whose card names an
// address that only the guard's operator could reach.
func TestOfficialClientsComeToTheGuardByTheCard(t *testing.T) {
	agent10 := gosdk10.NewAgent()
	t.Cleanup(agent10.Close)
	agent03 := gosdk03.NewAgent()
	t.Cleanup(agent03.Close)
	client10 := gosdk10.NewClient()
	t.Cleanup(client10.Close)
	client03 := gosdk03.NewClient()
	t.Cleanup(client03.Close)
	for _, tt := range []struct {
		name    string
		cards   http.Handler
		agent   http.Handler
		client  peers.Client
		resolve func(t *testing.T, url string) (rpc string)
	}{
		{
			name: "Go 1.0",
			cards: server10.NewStaticAgentCardHandler(&card10.AgentCard{
				Name: "orders", Version: "1", Capabilities: card10.AgentCapabilities{Streaming: true},
				SupportedInterfaces: []*card10.AgentInterface{card10.NewAgentInterface(nowhere+"/rpc/", card10.TransportProtocolJSONRPC)},
			}),
			agent:  agent10,
			client: client10,
			resolve: func(t *testing.T, url string) string {
				card, err := resolver10.NewResolver(http.DefaultClient).Resolve(t.Context(), url)
				if err != nil {
					t.Fatal(err)
				}
				return card.SupportedInterfaces[0].URL
			},
		},
		{
			name: "Go 0.3",
			cards: server03.NewStaticAgentCardHandler(&card03.AgentCard{
				Name: "orders", Version: "1", Capabilities: card03.AgentCapabilities{Streaming: true},
				ProtocolVersion: "0.3.0", URL: nowhere + "/rpc/", PreferredTransport: card03.TransportProtocolJSONRPC,
			}),
			agent:  agent03,
			client: client03,
			resolve: func(t *testing.T, url string) string {
				card, err := resolver03.NewResolver(http.DefaultClient).Resolve(t.Context(), url)
				if err != nil {
					t.Fatal(err)
				}
				return card.URL
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.Handle("/.well-known/agent-card.json", tt.cards)
			mux.Handle("/rpc/", http.StripPrefix("/rpc", tt.agent))
			server := httptest.NewServer(mux)
			defer server.Close()
			guard, violations := startGuard(t, server.URL, "card {", "public_url http://ADDRESS", "}")
			rpc := tt.resolve(t, guard)
			if rpc != guard+"rpc/" {
				t.Fatalf("the card leads to %s", rpc)
			}
			call := peers.Call{Verb: "stream", URL: rpc, Limit: patience, Text: peers.Script{{Do: "task", State: "submitted"}, {Do: "status", State: "completed", Final: true}}.Text()}
			if end := tt.client.Do(t.Context(), call, func([]byte) {}); end.How != "ok" {
				t.Errorf("the call ends with %v", end)
			}
			http.DefaultClient.CloseIdleConnections()
			if found := violations(); len(found) > 0 {
				t.Errorf("the guard saw %v", found)
			}
		})
	}
}
