// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

//go:build conformance

package peers_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/test/peers/tck"
)

// TestTheConformanceKitFailsNothingMoreThroughTheGuard runs the official conformance
// kit against an agent on the Go SDK, directly and through the guard, and writes what
// came of it into TCK.md. Run it with make conformance.
func TestTheConformanceKitFailsNothingMoreThroughTheGuard(t *testing.T) {
	script := exec.Command("tck/install.sh")
	script.Stderr = os.Stderr
	out, err := script.Output()
	if err != nil {
		t.Fatalf("installing the kit: %v", err)
	}
	kit := strings.TrimSpace(string(out))

	var agent http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { agent.ServeHTTP(w, r) }))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	agent = tck.NewAgent(server.URL + "/")
	// The kit's webhooks listen on loopback.
	guard, violations := startGuard(t, server.URL, "card {", "public_url http://ADDRESS", "}", "push_allow localhost 127.0.0.0/8 ::1")

	direct := runKit(t, kit, server.URL)
	guarded := runKit(t, kit, strings.TrimSuffix(guard, "/"))
	for name, result := range direct {
		if result == passed && guarded[name] != passed {
			t.Errorf("%s passed directly, through the guard it is %q", name, guarded[name])
		}
	}
	if err := os.WriteFile("TCK.md", []byte(kitReport(filepath.Base(kit), direct, guarded, violations())), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What came of a test of the kit.
const passed, failed, skipped = "passed", "failed", "skipped"

// runKit runs the kit against an agent and returns what came of each of its tests.
func runKit(t *testing.T, kit, url string) map[string]string {
	t.Helper()
	results := filepath.Join(t.TempDir(), "results.xml")
	command := exec.Command(filepath.Join(kit, ".venv/bin/python"), "-m", "pytest", "tests/compatibility", "-q", "--tb=no",
		"-p", "no:cacheprovider", "--sut-host="+url, "--transport=jsonrpc,http_json", "--junitxml="+results)
	command.Dir = kit
	out, err := command.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) { // 1: some tests failed
		t.Fatalf("running the kit: %v\n%s", err, out)
	}
	text, err := os.ReadFile(results)
	if err != nil {
		t.Fatal(err)
	}
	var suites struct {
		Cases []struct {
			Class   string    `xml:"classname,attr"`
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
			Error   *struct{} `xml:"error"`
			Skipped *struct{} `xml:"skipped"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal(text, &suites); err != nil {
		t.Fatal(err)
	}
	found := make(map[string]string)
	for _, c := range suites.Cases {
		result := passed
		switch {
		case c.Failure != nil || c.Error != nil:
			result = failed
		case c.Skipped != nil:
			result = skipped
		}
		found[strings.TrimPrefix(c.Class, "tests.compatibility.")+"."+c.Name] = result
	}
	if len(found) == 0 {
		t.Fatalf("the kit ran no test\n%s", out)
	}
	return found
}

// kitReport is the report on a run of the kit.
func kitReport(kit string, direct, guarded map[string]string, violations []violation) string {
	text := "# The official conformance kit\n\n" +
		"What `" + kit + "`\n" +
		"says of an agent on the Go SDK for protocol 1.0, over JSON-RPC and HTTP+JSON,\n" +
		"directly and through the guard in profile `standard`. Nothing may fail through the\n" +
		"guard that passes without it. An expected failure counts as skipped.\n" +
		"Written by `make conformance`.\n\n" +
		"| | passed | failed | skipped |\n|---|---|---|---|\n"
	for _, run := range []struct {
		name    string
		results map[string]string
	}{{"directly", direct}, {"through the guard", guarded}} {
		count := make(map[string]int)
		for _, result := range run.results {
			count[result]++
		}
		text += fmt.Sprintf("| %s | %d | %d | %d |\n", run.name, count[passed], count[failed], count[skipped])
	}
	text += "\n## Differences\n\n"
	different := false
	for _, name := range slices.Sorted(maps.Keys(direct)) {
		if direct[name] != guarded[name] {
			different = true
			text += fmt.Sprintf("- `%s`: directly %s, through the guard %s\n", name, direct[name], guarded[name])
		}
	}
	if !different {
		text += "None.\n"
	}
	text += "\n## Fails either way\n\n"
	for _, name := range slices.Sorted(maps.Keys(direct)) {
		if direct[name] == failed && guarded[name] == failed {
			text += "- `" + name + "`\n"
		}
	}
	text += "\n## What the guard saw\n\n"
	seen := make(map[string]int)
	for _, v := range violations {
		seen[v.Rule+" "+v.Action]++
	}
	for _, rule := range slices.Sorted(maps.Keys(seen)) {
		text += fmt.Sprintf("- %s: %d\n", rule, seen[rule])
	}
	if len(seen) == 0 {
		text += "No broken rule.\n"
	}
	return text
}
