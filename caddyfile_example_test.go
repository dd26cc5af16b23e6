// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"

	"github.com/a2aguard/caddy-a2a-guard/examples/agent/orders"
)

// adaptExample reads Caddyfile.example in the environment given.
func adaptExample(t *testing.T, environment map[string]string) *caddy.Config {
	t.Helper()
	for _, name := range []string{"A2A_UPSTREAM", "LISTEN"} {
		t.Setenv(name, environment[name]) // is put back at the test's end
		if environment[name] == "" {
			if err := os.Unsetenv(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	text, err := os.ReadFile("Caddyfile.example")
	if err != nil {
		t.Fatal(err)
	}
	adapted, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt(text, map[string]any{"filename": "Caddyfile.example"})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range warnings {
		t.Errorf("line %d: %s", w.Line, w.Message)
	}
	config := new(caddy.Config)
	if err := caddy.StrictUnmarshalJSON(adapted, config); err != nil {
		t.Fatal(err)
	}
	// What a test must not touch: a fixed port, the user's folders.
	config.Admin = &caddy.AdminConfig{Disabled: true, Config: &caddy.ConfigSettings{Persist: new(bool)}}
	storage, err := json.Marshal(map[string]string{"module": "file_system", "root": t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	config.StorageRaw = storage
	config.AppsRaw["tls"] = json.RawMessage(`{"disable_storage_clean":true}`)
	return config
}

func TestTheExampleIsValidAsItIs(t *testing.T) {
	config := adaptExample(t, nil)
	for _, want := range []string{`"listen":[":8080"]`, `"dial":"127.0.0.1:9999"`, `"grace_period":15000000000`} {
		if app := string(config.AppsRaw["http"]); !strings.Contains(app, want) {
			t.Errorf("%s is not in %s", want, app)
		}
	}
	if err := caddy.Validate(config); err != nil {
		t.Error(err)
	}
}

func TestTheExampleGuardsTheAgentThatTheEnvironmentNames(t *testing.T) {
	agent := orders.New(orders.Config{})
	defer agent.Close()
	server := httptest.NewServer(agent)
	defer server.Close()
	config := adaptExample(t, map[string]string{
		"A2A_UPSTREAM": server.Listener.Addr().String(),
		"LISTEN":       ":0",
	})
	config.AppsRaw["http"] = bytes.Replace(config.AppsRaw["http"], []byte(`":0"`), []byte(`"127.0.0.1:0"`), 1)
	if err := caddy.Run(config); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := caddy.Stop(); err != nil {
			t.Error(err)
		}
	}()
	url, err := guardURL()
	if err != nil {
		t.Fatal(err)
	}
	transport := new(http.Transport)
	defer transport.CloseIdleConnections()
	c := client{http: &http.Client{Transport: transport}, url: url, patience: testPatience}
	chosen, err := findScenarios(string(orders.LateArtifact))
	if err != nil {
		t.Fatal(err)
	}
	var last account
	if err := c.play(t.Context(), chosen[0], func(a account) { last = a }); err != nil {
		t.Fatal(err)
	}
	if last.String() != chosen[0].wantGuarded {
		t.Errorf("the client saw %q, want %q", &last, chosen[0].wantGuarded)
	}
}
