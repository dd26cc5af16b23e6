// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package grafana

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/test/grafana/draw"
)

// stack is what examples/compose brings up, as processes on this machine, without
// the parts that only look: guard, agents, traffic and Prometheus.
type stack struct {
	prometheus draw.Prometheus
	admin      string // of the guard's Caddy
	caddyfile  []byte
}

// startStack runs the stack until the test ends.
func startStack(t *testing.T) *stack {
	t.Helper()
	folder := t.TempDir()
	build := exec.Command("go", "build", "-o", folder+"/", ".", "./examples/agent", "./examples/traffic")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	bin := func(name string) string { return filepath.Join(folder, name) }
	ports := make(map[string]string)
	for _, name := range []string{"ADMIN", "METRICS", "ORDERS", "NEXT", "BILLING", "AGENT", "AGENT_NEXT", "NOBODY"} {
		ports[name] = freePort(t)
	}
	local := func(name string) string { return "127.0.0.1:" + ports[name] }

	spawn(t, nil, bin("agent"), "-listen", local("AGENT"), "-step", "20ms")
	spawn(t, nil, bin("agent"), "-listen", local("AGENT_NEXT"), "-step", "100ms")
	s := &stack{admin: local("ADMIN"), caddyfile: onLoopback(t)}
	if err := os.WriteFile(bin("Caddyfile"), s.caddyfile, 0o600); err != nil {
		t.Fatal(err)
	}
	spawn(t, []string{
		"XDG_DATA_HOME=" + folder, "XDG_CONFIG_HOME=" + folder,
		"ADMIN=" + s.admin, "METRICS_PORT=" + ports["METRICS"],
		"ORDERS_PORT=" + ports["ORDERS"], "ORDERS_NEXT_PORT=" + ports["NEXT"], "BILLING_PORT=" + ports["BILLING"],
		"ORDERS=" + local("AGENT"), "ORDERS_NEXT=" + local("AGENT_NEXT"), "BILLING=" + local("NOBODY"),
		"IDLE_TIMEOUT=2s",
	}, bin("caddy-a2a-guard"), "run", "--config", bin("Caddyfile"))
	answers(t, "http://"+local("METRICS")+"/")
	s.prometheus = startPrometheus(t, local("METRICS"))
	for _, args := range [][]string{
		{"-url", "http://" + local("ORDERS") + "/", "-every", "100ms", "-faults", "0.02"},
		{"-url", "http://" + local("NEXT") + "/", "-every", "100ms", "-faults", "0.5"},
		{"-url", "http://" + local("BILLING") + "/", "-every", "500ms"},
	} {
		spawn(t, nil, bin("traffic"), args...)
	}
	return s
}

// onLoopback is the example's Caddyfile, for a guard that this machine alone can
// reach.
func onLoopback(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(composeFolder, "Caddyfile"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Replace(text, []byte("{\n"), []byte("{\n\tdefault_bind 127.0.0.1\n"), 1)
}

// reload loads the configuration anew.
func (s *stack) reload(t *testing.T) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.admin+"/load", bytes.NewReader(s.caddyfile))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "text/caddyfile")
	request.Header.Set("Cache-Control", "must-revalidate") // although it is the same
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("reloading: %s", response.Status)
	}
}
