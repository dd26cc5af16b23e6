// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"encoding/json"
	"net/http"
)

// card tells clients of both versions what the agent is and where (A2A 1.0
// §4.4.1, A2A 0.3 §5.5).
type card struct {
	Name               string       `json:"name"`
	Description        string       `json:"description"`
	Version            string       `json:"version"`
	Interfaces         []endpoint   `json:"supportedInterfaces"` // 1.0
	ProtocolVersion    string       `json:"protocolVersion"`     // 0.3, as the next two
	URL                string       `json:"url"`
	PreferredTransport string       `json:"preferredTransport"`
	Capabilities       capabilities `json:"capabilities"`
	InputModes         []string     `json:"defaultInputModes"`
	OutputModes        []string     `json:"defaultOutputModes"`
	Skills             []skill      `json:"skills"`
}

type endpoint struct {
	URL      string `json:"url"`
	Binding  string `json:"protocolBinding"`
	Protocol string `json:"protocolVersion"`
}

type capabilities struct {
	Streaming         bool `json:"streaming"`
	PushNotifications bool `json:"pushNotifications"`
}

type skill struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	Examples    []string `json:"examples"`
}

// serveCard answers with the address that the client used, so that a proxy in
// front need not rewrite the card.
func serveCard(w http.ResponseWriter, r *http.Request) {
	url := "http://" + r.Host + "/"
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(card{
		Name:               "Order desk",
		Description:        "Says where an order is. Misbehaves on request.",
		Version:            "1.0.0",
		Interfaces:         []endpoint{{url, "JSONRPC", "1.0"}, {url, "JSONRPC", "0.3"}},
		ProtocolVersion:    "0.3.0",
		URL:                url,
		PreferredTransport: "JSONRPC",
		Capabilities:       capabilities{Streaming: true},
		InputModes:         []string{"text/plain"},
		OutputModes:        []string{"text/plain"},
		Skills: []skill{{
			ID: "order-status", Name: "Order status",
			Description: "Finds an order by its number and says where it is.",
			Tags:        []string{"orders"},
			Examples:    []string{"Where is BS-1042?"},
		}},
	})
}
