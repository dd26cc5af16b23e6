// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
)

// TestTheSidecarsCaddyfileTellsTheGuardFromTheAgent runs what examples/kubernetes gives
// the guard, in an environment as empty as a container's.
func TestTheSidecarsCaddyfileTellsTheGuardFromTheAgent(t *testing.T) {
	text, err := os.ReadFile("../examples/kubernetes/guard/Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	var ready atomic.Bool
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/.well-known/agent-card.json" && !ready.Load():
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.URL.Path == "/.well-known/agent-card.json":
			_, _ = w.Write([]byte(`{"name":"desk","supportedInterfaces":[]}`))
		default:
			w.Header().Set("Content-Type", typeJSON)
			_, _ = w.Write([]byte(result(task)))
		}
	}))
	defer agent.Close()
	calls, probes := freeAddress(t), freeAddress(t)
	p := new(process)
	p.run(t, strings.NewReplacer(
		"admin off", "admin off\n\tdefault_bind 127.0.0.1\n\tlog {\n\t\tformat json\n\t}",
		":8080", ":"+port(calls), ":9464", ":"+port(probes), "/tmp", t.TempDir(),
	).Replace(string(text)), []string{"A2A_NAME=desk", "A2A_UPSTREAM=" + strings.TrimPrefix(agent.URL, "http://")})

	get := func(url string) (status int, body string) {
		t.Helper()
		response, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(text)
	}
	for _, tt := range []struct {
		path   string
		ready  bool
		status int
	}{
		{"/livez", false, http.StatusOK},
		{"/readyz", false, http.StatusServiceUnavailable},
		{"/readyz", true, http.StatusOK},
	} {
		ready.Store(tt.ready)
		if status, body := get("http://" + probes + tt.path); status != tt.status {
			t.Errorf("%s with a ready agent %v: %d %s", tt.path, tt.ready, status, body)
		}
	}
	r, err := http.NewRequest(http.MethodPost, "http://"+calls+"/", strings.NewReader(getCall))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", typeJSON)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if _, body := get("http://" + probes + "/metrics"); !strings.Contains(body, `a2a_guard_requests_total{agent="desk"`) {
		t.Errorf("the metrics lack the call:\n%.2000s", body)
	}
	agent.Close()
	for path, want := range map[string]int{"/livez": http.StatusOK, "/readyz": http.StatusBadGateway} {
		if status, body := get("http://" + probes + path); status != want {
			t.Errorf("%s without an agent: %d %s", path, status, body)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}
