// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// writeLimits makes a server of every protocol whose writes are bounded.
func writeLimits(lines ...string) option {
	return globals("servers {\nprotocols h1 h2 h2c h3\ntimeouts {\n" + strings.Join(lines, "\n") + "\n}\n}")
}

// A write deadline that an earlier write left behind must not break a stream in
// which nothing is said for longer.
func TestQuietStreamsOutliveTheIdleLimitOfWrites(t *testing.T) {
	const limit = 60 * time.Millisecond
	question := status("INPUT_REQUIRED")
	for _, tt := range []struct {
		name          string
		before, after string // the silence
	}{
		{"the last frame comes after the silence", "", doneFrame},
		{"the end comes after the silence", doneFrame, ""},
		{"the agent closes after a question", question, ""},
	} {
		for _, encode := range []string{"", "encode gzip\n"} {
			t.Run(tt.name+" "+encode, func(t *testing.T) {
				a := startAgent(t)
				s := serve(t, encode+reaching(a.address, "linger 1m"), writeLimits("write_idle "+limit.String()))
				streams := s.openAll(t, a, protocols...)
				for _, o := range streams {
					o.agent.say(tt.before)
				}
				<-time.After(3 * limit)
				for i, o := range streams {
					o.agent.say(tt.after).end()
					if rest := o.client.rest(); rest != tt.before+tt.after {
						t.Errorf("over %s the stream ends with %q", protocols[i].name, rest)
					}
				}
			})
		}
	}
}

func TestTheGuardsOwnEndOutlivesTheIdleLimitOfWrites(t *testing.T) {
	a := startAgent(t)
	s := serve(t, reaching(a.address, "idle_timeout 150ms", "lookup_timeout 50ms"), writeLimits("write_idle 50ms"))
	for i, o := range s.openAll(t, a, protocols...) {
		a.next(t).json(result(task))
		if rest := o.client.rest(); !strings.Contains(rest, `"rule":"never-ending-stream"`) {
			t.Errorf("over %s the stream ends with %q", protocols[i].name, rest)
		}
		o.agent.hangsUp(t)
	}
}

// A server that bounds whole responses must not cut streams without a word.
func TestTheWriteTimeoutEndsStreamsWithAnError(t *testing.T) {
	for _, limits := range [][]string{{"write 800ms"}, {"write 800ms", "write_idle 100ms"}, {"write 800ms", "write_idle -1s"}} {
		t.Run(strings.Join(limits, ", "), func(t *testing.T) {
			a := startAgent(t)
			s := serve(t, reaching(a.address), writeLimits(limits...))
			warning := logged.wait(t, "the server's write timeout bounds every event stream; set it to 0 where agents stream")
			if warning["level"] != "warn" || warning["write_timeout"] != 0.8 {
				t.Errorf("the log says %v", warning)
			}
			streams := s.openAll(t, a, protocols...)
			var paused []opened
			for _, p := range protocols {
				o := s.open(t, a, p)
				o.agent.say(status("AUTH_REQUIRED"))
				paused = append(paused, o)
			}
			for i, o := range streams {
				rest := o.client.rest()
				if !strings.HasPrefix(rest, "event: error\n") || !strings.Contains(rest, `"code":-32603`) || !strings.Contains(rest, `"rule":"never-ending-stream"`) {
					t.Errorf("over %s the stream ends with %q", protocols[i].name, rest)
				}
				o.agent.hangsUp(t)
			}
			for i, o := range paused {
				if rest := o.client.rest(); rest != status("AUTH_REQUIRED") {
					t.Errorf("over %s the paused stream ends with %q", protocols[i].name, rest)
				}
				o.agent.hangsUp(t)
			}
		})
	}
}

func TestTheWriteTimeoutEndsCallsWithAnError(t *testing.T) {
	a := startAgent(t)
	s := serve(t, reaching(a.address), writeLimits("write 800ms"))
	var answers []<-chan asked
	var calls []*call
	for _, p := range protocols {
		answers = append(answers, s.client(t, p).asks(getCall))
		calls = append(calls, a.next(t))
	}
	for i := range protocols {
		head(t, answers[i]).check(http.StatusGatewayTimeout, typeJSON, failed(-32603, agentLate, internal, "call-timeout", "t1"))
		calls[i].hangsUp(t)
	}
}

func TestWithoutAWriteTimeoutNobodyIsWarned(t *testing.T) {
	serve(t, reaching("127.0.0.1:9"), writeLimits("write 0s"))
	for _, line := range logged.all("the server's write timeout bounds every event stream; set it to 0 where agents stream") {
		t.Errorf("the log says %v", line)
	}
}
