// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/a2aguard/caddy-a2a-guard/test/peers"
	"github.com/a2aguard/caddy-a2a-guard/test/peers/gosdk03"
	"github.com/a2aguard/caddy-a2a-guard/test/peers/gosdk10"
	"github.com/a2aguard/caddy-a2a-guard/test/peers/process"
	"github.com/a2aguard/caddy-a2a-guard/test/peers/tap"
)

// TestMain looks for goroutines that outlive the tests. The Go SDK itself never
// ends the execution of a task without a final status.
func TestMain(m *testing.M) {
	var leaks []goleak.Option
	for _, module := range []string{"github.com/a2aproject/a2a-go/v2/", "github.com/a2aproject/a2a-go/"} {
		for _, function := range []string{
			"internal/taskexec.runProducerConsumer",
			"internal/taskexec.(*executionHandler).processEvents",
			"a2asrv/eventqueue.newInMemoryEventBroker.func1",
		} {
			leaks = append(leaks, goleak.IgnoreAnyFunction(module+function))
		}
	}
	goleak.VerifyTestMain(m, leaks...)
}

// The folders of the peers in other languages.
const javaScript, java, python = "js", "java", "python"

// An sdk is one SDK in one protocol version and binding, empty for JSON-RPC.
type sdk struct{ name, version, binding string }

const httpJSON = "HTTP+JSON"

// sdks are all that there are: Go has no HTTP+JSON in 0.3.
var sdks = []sdk{
	{"Go", "1.0", ""}, {"JavaScript", "1.0", ""}, {"Go", "0.3", ""}, {"JavaScript", "0.3", ""},
	{"Go", "1.0", httpJSON}, {"JavaScript", "1.0", httpJSON}, {"JavaScript", "0.3", httpJSON},
	{"Java", "1.0", ""}, {"Python", "1.0", ""}, {"Python", "1.0", httpJSON},
	{"Python", "0.3", ""}, {"Python", "0.3", httpJSON},
}

func (s sdk) String() string { return strings.TrimSpace(s.name + " " + s.version + " " + s.binding) }

// clientsOf are the SDKs whose clients speak an agent's protocol version in its
// binding.
func clientsOf(agent sdk) []sdk {
	return slices.DeleteFunc(slices.Clone(sdks), func(s sdk) bool {
		return s.version != agent.version || s.binding != agent.binding
	})
}

// speaking makes a client's calls in a binding.
type speaking struct {
	peers.Client
	rest bool
}

// Do implements peers.Client.
func (s speaking) Do(ctx context.Context, call peers.Call, event func([]byte)) peers.End {
	call.REST = s.rest
	return s.Client.Do(ctx, call, event)
}

// startTap puts a tap before the server at a URL.
func startTap(t *testing.T, url string) *tap.Tap {
	t.Helper()
	tap, err := tap.New(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tap.Close)
	return tap
}

// startAgent starts an agent on an SDK and returns its address.
func startAgent(t *testing.T, s sdk) string {
	t.Helper()
	if program := programOf(t, s, "agents"); program.Command != nil {
		agents, err := process.StartAgents(program)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closed(t, agents.Close) })
		return agents.URLs[s.version]
	}
	var agent interface {
		http.Handler
		Close()
	}
	if s.version == "1.0" {
		agent = gosdk10.NewAgent()
	} else {
		agent = gosdk03.NewAgent()
	}
	server := httptest.NewServer(agent)
	t.Cleanup(func() {
		agent.Close()
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL + "/"
}

// startClient starts an SDK's client.
func startClient(t *testing.T, s sdk) peers.Client {
	t.Helper()
	return speaking{startLibrary(t, s), s.binding == httpJSON}
}

func startLibrary(t *testing.T, s sdk) peers.Client {
	t.Helper()
	if program := programOf(t, s, "clients"); program.Command != nil {
		clients, err := process.StartClients(program)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closed(t, clients.Close) })
		return clients.Version(s.version)
	}
	if s.version == "1.0" {
		client := gosdk10.NewClient()
		t.Cleanup(client.Close)
		return client
	}
	client := gosdk03.NewClient()
	t.Cleanup(client.Close)
	return client
}

func closed(t *testing.T, close func() error) {
	t.Helper()
	if err := close(); err != nil {
		t.Error(err)
	}
}

// programOf is the program with an SDK's agents or clients, none for Go's. Where
// it cannot run the test is skipped, which must not happen in CI.
func programOf(t *testing.T, s sdk, which string) process.Program {
	t.Helper()
	switch s.name {
	case "JavaScript":
		need(t, "node", filepath.Join(javaScript, "node_modules"), "install Node 20 or later and run make peers")
		return process.Program{Folder: javaScript, Command: []string{"node", which + ".js"}}
	case "Java":
		need(t, "java", filepath.Join(java, "target", "lib"), "install JDK 17 or later and Maven and run make peers")
		class := "peers." + strings.ToUpper(which[:1]) + which[1:]
		return process.Program{Folder: java, Command: []string{"java", "-cp", "target/classes:target/lib/*", class}}
	case "Python":
		version := "v" + strings.ReplaceAll(s.version, ".", "")
		need(t, "python3", filepath.Join(pythonPeers(version), ".installed"), "install Python 3.11 or later with venv and run make peers")
		interpreter := filepath.Join(pythonPeers(version), "bin", "python")
		return process.Program{Folder: python, Command: []string{interpreter, "-B", "-m", version + "." + which}}
	default:
		return process.Program{}
	}
}

// pythonPeers is the folder that the Makefile installs a version of the Python SDK in.
func pythonPeers(version string) string {
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		cache = filepath.Join(os.Getenv("HOME"), ".cache")
	}
	return filepath.Join(cache, "caddy-a2a-guard", "python", version)
}

// need skips the test, or fails it in CI, where a command or a folder is missing.
func need(t *testing.T, command, folder, remedy string) {
	t.Helper()
	_, err := exec.LookPath(command)
	if err == nil {
		_, err = os.Stat(folder)
	}
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("peers are missing: %v: %s", err, remedy)
	default:
		t.Skipf("peers are missing: %v: %s", err, remedy)
	}
}
