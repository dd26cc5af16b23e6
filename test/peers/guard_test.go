// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	_ "github.com/a2aguard/caddy-a2a-guard/caddymodule"
)

// A violation is a broken rule as the guard's log tells of it.
type violation struct {
	Rule, Action, Task string
}

// startGuard runs Caddy with a guard before the agent at a URL, until the test
// ends. Idle connections close before the agents close them, as README advises. It
// returns the guard's address and a function that reads the violations
// logged so far. ADDRESS in an option is the guard's. Only one guard can run at a
// time.
func startGuard(t *testing.T, upstream string, options ...string) (address string, violations func() []violation) {
	t.Helper()
	agent, err := url.Parse(upstream)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	// Caddy gets the open socket: no other process can come to its port.
	socket, err := listener.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, socket.Close) })
	folder := t.TempDir()
	logFile := filepath.Join(folder, "caddy.log")
	load(t, fmt.Sprintf(`{
	admin off
	persist_config off
	auto_https off
	storage file_system %s
	storage_check off
	storage_clean_interval off
	grace_period 1s
	log {
		output file %s {
			roll_disabled
		}
		format json
	}
}
http:// {
	bind fd/%d
	a2a_guard {
		%s
	}
	reverse_proxy %s {
		transport http {
			keepalive 2s
		}
	}
}
`, folder, logFile, socket.Fd(), strings.ReplaceAll(strings.Join(options, "\n\t\t"), "ADDRESS", listener.Addr().String()), agent.Host))
	t.Cleanup(func() { closed(t, caddy.Stop) })
	return fmt.Sprintf("http://%s/", listener.Addr()), func() []violation { return readViolations(t, logFile) }
}

// load runs Caddy with a Caddyfile.
func load(t *testing.T, caddyfile string) {
	t.Helper()
	config, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(caddyfile), nil)
	if err != nil {
		t.Fatalf("adapting the Caddyfile: %v\n%s", err, caddyfile)
	}
	if err := caddy.Load(config, true); err != nil {
		t.Fatalf("loading the configuration: %v\n%s", err, config)
	}
}

// readViolations reads the guard's lines of a Caddy log.
func readViolations(t *testing.T, logFile string) []violation {
	t.Helper()
	text, err := os.ReadFile(logFile)
	if err != nil {
		t.Fatal(err)
	}
	var found []violation
	for line := range bytes.Lines(text) {
		var entry struct {
			violation
			Msg string
		}
		if err := json.Unmarshal(line, &entry); err != nil {
			t.Fatalf("reading the log line %s: %v", line, err)
		}
		if entry.Msg == "protocol violation" {
			found = append(found, entry.violation)
		}
	}
	return found
}
