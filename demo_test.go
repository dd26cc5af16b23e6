// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/a2aguard/caddy-a2a-guard/examples/agent/orders"
)

// The tests keep the demo's limits and hurry its agent.
const (
	testStep     = 20 * time.Millisecond
	testPatience = 2 * time.Second
)

func testDemo() *demo {
	return &demo{agentAddress: "127.0.0.1:0", guardAddress: "127.0.0.1:0", step: testStep, patience: testPatience}
}

// openTestStage starts agent and guard; options are lines for the a2a_guard
// block.
func openTestStage(t *testing.T, options string) *stage {
	t.Helper()
	s, err := openStage(stageConfig{
		agentAddress: "127.0.0.1:0", guardAddress: "127.0.0.1:0", step: testStep, guardOptions: options,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(s.folder); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the folder %s is left behind: %v", s.folder, err)
		}
	})
	return s
}

// play plays scenarios in the manner of the command, with the guard's options
// given.
func play(t *testing.T, options string, chosen []*scenario) []*row {
	t.Helper()
	b := newBoard(chosen)
	if err := b.play(t.Context(), openTestStage(t, options), testPatience, func(int) {}); err != nil {
		t.Fatal(err)
	}
	return b.rows
}

func TestEveryScenarioComesOutAsTheGuardPromises(t *testing.T) {
	var played []orders.Fault
	for _, r := range play(t, demoOptions, scenarios) {
		played = append(played, r.fault)
		for _, fault := range r.faults {
			t.Errorf("%s: %s", r.fault, fault)
		}
		withoutGuard, withGuard := &r.accounts[direct], &r.accounts[guarded]
		if withGuard.Bad {
			t.Errorf("%s: a guarded client is left with %q", r.fault, withGuard)
		}
		if withoutGuard.Bad != r.mends() {
			t.Errorf("%s: mended is %t, but a client without guard is left with %q", r.fault, r.mends(), withoutGuard)
		}
		if same := sameBytes(withoutGuard, withGuard); same == r.mends() {
			t.Errorf("%s: mended is %t, but that the bytes are the same is %t", r.fault, r.mends(), same)
		}
		if (len(r.rules) > 0) != r.mends() {
			t.Errorf("%s: mended is %t, but the guard acted on %v", r.fault, r.mends(), r.rules)
		}
	}
	for _, must := range []orders.Fault{
		orders.None, orders.NoFinal, orders.NeverReturns, orders.LateArtifact, orders.LateArtifactDelayed,
		orders.Raises, orders.CancelFails, orders.CancelMidrun, orders.UpdateBeforeTask, orders.MessageInStream,
		orders.TwoMessages, orders.MidFrame, orders.WrongFinal,
	} {
		if !slices.Contains(played, must) {
			t.Errorf("no scenario plays %s", must)
		}
	}
}

func TestAGuardThatOnlyObservesDoesNotKeepThePromises(t *testing.T) {
	for _, r := range play(t, demoOptions+"\nprofile observe", scenarios) {
		if kept := len(r.faults) == 0; kept == r.mends() {
			t.Errorf("%s: kept is %t: %q", r.fault, kept, r.faults)
		}
	}
}

func TestABrokenPromiseIsShownAndFailsTheCommand(t *testing.T) {
	lie := *scenarios[0]
	lie.wantGuarded = "S | rejected"
	keep := scenarios
	scenarios = []*scenario{&lie}
	t.Cleanup(func() { scenarios = keep })
	var out bytes.Buffer
	if err := testDemo().run(t.Context(), &screen{Writer: &out}); !errors.Is(err, errNotAsPromised) {
		t.Errorf("the command ended with %v", err)
	}
	for _, want := range []string{"NOT AS PROMISED", "! 1 not as promised", `saw "S W a a a C | completed", expected "S | rejected"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
}

func TestTheTableIsPlainTextThatFitsItsWidth(t *testing.T) {
	var out bytes.Buffer
	if err := testDemo().run(t.Context(), &screen{Writer: &out}); err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, s := range scenarios {
		next := strings.Index(out.String()[at:], "\n "+s.title)
		if next < 0 {
			t.Fatalf("the row %q is missing, or not in its place:\n%s", s.title, &out)
		}
		at += next
	}
	for line := range strings.Lines(out.String()) {
		if width := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); width > tableWidth {
			t.Errorf("a line of %d columns: %s", width, line)
		}
	}
	if i := bytes.IndexFunc(out.Bytes(), func(r rune) bool { return r != '\n' && r < ' ' || r > '~' }); i >= 0 {
		t.Errorf("there is more than plain text: %q", out.Bytes()[i:min(i+20, out.Len())])
	}
	for _, want := range []string{"> 15 mended, = 3 passed byte for byte", "late-artifact x4", "go run . demo --serve"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
}

func TestOneFaultIsShownWithItsBytes(t *testing.T) {
	d := testDemo()
	d.fault = string(orders.LateArtifact)
	var out bytes.Buffer
	if err := d.run(t.Context(), &screen{Writer: &out, painter: true, live: true}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), `"artifactId":"receipt"`); got != 1 {
		t.Errorf("the late artifact is shown %d times, want once:\n%s", got, &out)
	}
	live, _, shown := strings.Cut(out.String(), "\x1b[?25h")
	last := live[max(strings.LastIndex(live, "\x1b[1A"), 0):]
	if !shown || !strings.Contains(last, "drops the artifact") || !strings.HasSuffix(last, "\x1b[K\n") {
		t.Errorf("the live table was last drawn as %q", last)
	}
}

func TestWrongArgumentsAreErrorsThatHelp(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	tests := map[string]struct {
		change func(*demo)
		want   []string
	}{
		"an unknown fault": {func(d *demo) { d.fault = "no-such" }, []string{`"no-such"`, "no-final"}},
		"the agent's port is taken": {
			func(d *demo) { d.agentAddress = taken.Addr().String() },
			[]string{"starting the agent", taken.Addr().String(), "--agent"},
		},
		"the guard's port is taken": {
			func(d *demo) { d.guardAddress = taken.Addr().String() },
			[]string{"starting the guard", taken.Addr().String(), "--listen"},
		},
		"no address": {func(d *demo) { d.guardAddress = "here" }, []string{"starting the guard", "here", "--listen"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d := testDemo()
			test.change(d)
			var out bytes.Buffer
			err := d.run(t.Context(), &screen{Writer: &out})
			for _, want := range test.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("the error %v does not say %s", err, want)
				}
			}
			if out.Len() > 0 {
				t.Errorf("the screen shows %s", &out)
			}
		})
	}
}

func TestAnInterruptEndsTheDemo(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	d := testDemo()
	d.fault = string(orders.NeverReturns)
	err := d.run(ctx, &screen{Writer: writerFunc(func(p []byte) (int, error) {
		stop() // as soon as there is something to see
		return len(p), nil
	})})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestServeOffersCallsThatCanBeMade(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	d := testDemo()
	d.serve = true
	text, in := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- d.run(ctx, &screen{Writer: in}) }()
	shown := make([]byte, 1<<16)
	n, err := text.Read(shown)
	if err != nil {
		t.Fatal(err)
	}
	calls := regexp.MustCompile(`(?m)^ curl -sN (\S+) -H 'Content-Type: application/json' -d '(.*)'$`).FindAllSubmatch(shown[:n], -1)
	if len(calls) != 14 {
		t.Fatalf("%d calls are offered, want 7 direct and 7 guarded:\n%s", len(calls), shown[:n])
	}
	transport := new(http.Transport)
	defer transport.CloseIdleConnections()
	for i, call := range calls {
		c := client{http: &http.Client{Transport: transport}, url: string(call[1])}
		resp, err := c.post(ctx, string(call[2]))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close() // open until the demo ends
		if kind := resp.Header.Get("Content-Type"); kind != "text/event-stream" {
			t.Errorf("%s got %s", call[0], kind)
		}
		if i%2 == 1 && bytes.Equal(call[1], calls[i-1][1]) {
			t.Errorf("%s is not guarded", call[0])
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestClosingTheStageGivesOpenStreamsTheirEnd(t *testing.T) {
	s := openTestStage(t, "")
	c := client{http: new(http.Client), url: s.guardURL}
	defer c.http.CloseIdleConnections()
	resp, err := c.post(t.Context(), v10.ask("", orders.NeverReturns))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	a := new(account)
	if err := readEvents(resp.Body, a, func(*payload) error { return nil }); err != nil {
		t.Errorf("the stream broke off: %v", err)
	}
	if a.close(""); a.Ending != "error -32006" {
		t.Errorf("the client saw %q", a)
	}
}
