// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/goleak"
)

func TestValidateTouchesNothing(t *testing.T) {
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	occupied, err := net.Listen("tcp", "127.0.0.1:0") // who listens there fails
	if err != nil {
		t.Fatal(err)
	}
	defer occupied.Close()
	upstream, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer upstream.Close()
	dialled := make(chan bool)
	go func() {
		defer close(dialled)
		for {
			conn, err := upstream.Accept()
			if err != nil {
				return
			}
			conn.Close()
			dialled <- true
		}
	}()

	home := t.TempDir()
	config := filepath.Join(home, "Caddyfile")
	text := fmt.Sprintf("{\n\tadmin off\n\tdefault_bind 127.0.0.1\n}\n\nhttp://:%s {\n\ta2a_guard {\n\t\tcancel_unfinished\n\t}\n\treverse_proxy %s\n}\n", port(occupied.Addr().String()), upstream.Addr())
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"validate", "--config", config}, {"adapt", "--validate", "--config", config}} {
		command := exec.Command(path, args...)
		command.Dir = home
		command.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home)
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("%q: %v\n%s", args, err, out)
		}
	}
	upstream.Close()
	for range dialled {
		t.Error("the agent is dialled")
	}
	var files []string
	err = filepath.WalkDir(home, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && path != config {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) > 0 {
		t.Errorf("validating writes %q, %v", files, err)
	}
}

func TestAWrongConfigurationLeavesNothingBehind(t *testing.T) {
	const config = `{"admin":{"disabled":true,"config":{"persist":false}},"apps":{"http":{"servers":{"s":{"listen":["127.0.0.1:0"],"routes":[{"handle":[{"handler":"a2a_guard"},{"handler":"a2a_guard","name":"second",%s}]}]}}}}}`
	before := goleak.IgnoreCurrent()
	for _, tt := range []struct{ members, want string }{
		{`"title":"desk"`, `unknown field "title"`},
		{`"hold":"soon"`, `invalid duration`},
		{`"max_event":"1MiB"`, "cannot unmarshal string"},
		{`"profile":"lenient"`, `unknown profile "lenient"`},
		{`"unfinished":"completed"`, `unknown unfinished action "completed"`},
		{`"stream_errors":"text"`, `unknown stream error framing "text"`},
		{`"client_gone":"cancel"`, `unknown client_gone action "cancel"`},
		{`"rules":{"late-artefact":"enforce"}`, `unknown rule "late-artefact"`},
		{`"rules":{"late-artifact":"on"}`, `unknown rule mode "on"`},
		{`"rules":{"state-regression":"enforce"}`, `rule "state-regression" can only be observed`},
		{`"rpc_paths":["a2a"]`, `rpc_path "a2a" must begin with a slash`},
		{`"linger":-1`, "linger is negative"},
		{`"drain":-1`, "drain is negative"},
		{`"lookup_timeout":0`, "lookup_timeout must be more than zero"},
		{`"max_event":-1`, "max_event -1 must be at least 256 bytes"},
		{`"max_request_body":-1`, "max_request_body -1 must be at least 256 bytes"},
		{`"push_allow":["hooks.internal:80"]`, `push_allow: "hooks.internal:80" is no host name, address or network`},
		{`"card":{"public_url":"agents.example.com"}`, `card public_url "agents.example.com": it must begin with https://`},
		{`"tasks":{"max":-1}`, "the bounds of tasks must not be negative"},
		{`"tasks":{"ttl":-1}`, "the bounds of tasks must not be negative"},
	} {
		t.Run(tt.members, func(t *testing.T) {
			err := caddy.Load(fmt.Appendf(nil, config, tt.members), true)
			if err == nil {
				err = caddy.Stop()
				t.Fatalf("it is loaded; stopping: %v", err)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the error is %v", err)
			}
		})
	}
	if err := leaks(before); err != nil {
		t.Error(err)
	}
}

func TestTwoGuardsHaveTheirOwnRules(t *testing.T) {
	a := startAgent(t)
	s := serve(t, "handle_path /strict/* {\n"+reaching(a.address, "name first", "profile strict")+"\n}\n"+
		"handle_path /loose/* {\n"+reaching(a.address, "name second", "profile observe", "linger 1m")+"\n}")
	second := frame(`"message":{"messageId":"m9","role":"ROLE_AGENT","parts":[{"text":"late"}]}`)
	for _, tt := range []struct {
		path, want string
		action     string
	}{
		{"/strict/", taskFrame + doneFrame, "drop"},
		{"/loose/", taskFrame + doneFrame + second, "would_drop"},
	} {
		c := s.client(t, h1)
		r, leave := c.request("POST", tt.path, streamCall, header("A2A-Version", "1.0"))
		answers := c.send(r, leave)
		a.next(t).stream().say(taskFrame, doneFrame, second).end()
		head(t, answers).check(200, typeSSE, tt.want)
		if got := logged.violations(); !slices.Contains(got, "no-event-after-terminal "+tt.action) {
			t.Errorf("after a call to %s the log blames %q", tt.path, got)
		}
	}
}

func TestTheMemoryOfTwoGuardsIsOneIfTheirNameIs(t *testing.T) {
	alice := header("Authorization", "Bearer alice")
	const again = `{"jsonrpc":"2.0","id":"q1","method":"SendMessage","params":{"message":{"messageId":"m2","taskId":"t1","role":"ROLE_USER","parts":[{"text":"x"}]}}}`
	a := startAgent(t)
	site := func(path, name string) string {
		return "handle_path " + path + " {\n" + reaching(a.address, "name "+name, "rule send-to-terminal enforce") + "\n}\n"
	}
	s := serve(t, site("/a/*", "one")+site("/b/*", "one")+site("/c/*", "another"))
	call := func(path, body string) <-chan asked {
		c := s.client(t, h1)
		r, leave := c.request("POST", path, body, alice)
		return c.send(r, leave)
	}
	answers := call("/a/", streamCall)
	a.next(t).stream().say(taskFrame, doneFrame).end()
	head(t, answers).check(200, typeSSE, taskFrame+doneFrame)

	if body := head(t, call("/b/", again)).rest(); !strings.Contains(body, `"rule":"send-to-terminal"`) {
		t.Errorf("a guard of the same name answers %s", body)
	}
	answers = call("/c/", again)
	a.next(t).json(result(task))
	head(t, answers).check(200, typeJSON, result(task))
}

func TestAGuardBehindAGuardChangesNothing(t *testing.T) {
	a := startAgent(t)
	s := serve(t, "route {\n"+guarded("name outer")+"\n"+guarded("name inner")+"\nreverse_proxy "+a.address+"\n}", allProtocols)
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			o := s.open(t, a, p)
			o.agent.say(workingFrame)
			o.client.expect(workingFrame)
			o.agent.end()
			a.next(t).json(result(task))
			rest := o.client.rest()
			if strings.Count(rest, `"code":-32006`) != 1 || strings.Count(rest, "data: ") != 1 {
				t.Errorf("the stream ends with %s", rest)
			}
		})
	}
}
