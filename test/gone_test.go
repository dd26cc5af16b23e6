// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// proxies are the ways to flush that reverse_proxy has; AGENT stands for an
// address.
var proxies = []struct{ name, directive string }{
	{"plain", "reverse_proxy AGENT"},
	{"flush_interval -1", "reverse_proxy AGENT {\nflush_interval -1\n}"},
}

func TestAClientThatLeavesEndsTheAgentsStream(t *testing.T) {
	for _, proxy := range proxies {
		t.Run(proxy.name, func(t *testing.T) {
			a := startAgent(t)
			s := serve(t, "log\n"+guarded("linger 1m")+"\n"+strings.ReplaceAll(proxy.directive, "AGENT", a.address), allProtocols)
			for _, p := range protocols {
				t.Run(p.name, func(t *testing.T) {
					o := s.open(t, a, p)
					o.client.leave()
					o.agent.hangsUp(t)

					o = s.open(t, a, p)
					o.agent.say(doneFrame) // the end, but the stream stays open
					o.client.expect(doneFrame)
					o.client.leave()
					o.agent.hangsUp(t)

					r, leave := s.client(t, p).request(http.MethodPost, "/", streamCall)
					waiting := s.client(t, p).send(r, leave)
					call := a.next(t) // and no head comes
					leave()
					call.hangsUp(t)
					if got := <-waiting; got.err == nil {
						t.Errorf("a client that left gets %v", got.response)
					}
				})
			}
			a.deserted(t)
			statuses := make(map[any]int)
			for range len(protocols) * 3 {
				statuses[logged.wait(t, "handled request")["status"]]++
			}
			if len(statuses) != 2 || statuses[200.0] != len(protocols)*2 || statuses[499.0] != len(protocols) {
				t.Errorf("the access log has the statuses %v", statuses)
			}
			if got := logged.violations(); len(got) > 0 {
				t.Errorf("the agent is blamed: %q", got)
			}
			for _, message := range []string{"the agent did not answer", "answered in the agent's place"} {
				if lines := logged.all(message); len(lines) > 0 {
					t.Errorf("the log says %v", lines)
				}
			}
		})
	}
}

func TestDrainReadsTheAgentToItsEnd(t *testing.T) {
	alice := header("Authorization", "Bearer alice")
	const again = `{"jsonrpc":"2.0","id":"q1","method":"SendMessage","params":{"message":{"messageId":"m2","taskId":"t1","role":"ROLE_USER","parts":[{"text":"x"}]}}}`
	for _, proxy := range proxies {
		for _, p := range protocols {
			t.Run(proxy.name+" "+p.name, func(t *testing.T) {
				a := startAgent(t)
				s := serve(t, "log\n"+guarded("client_gone drain", "rule send-to-terminal enforce")+"\n"+strings.ReplaceAll(proxy.directive, "AGENT", a.address), allProtocols)
				answers := s.client(t, p).asks(streamCall, alice)
				agent := a.next(t).stream().say(taskFrame)
				client := head(t, answers)
				client.expect(taskFrame)
				client.leave()
				select {
				case <-agent.left:
					t.Fatal("the agent's stream is cut")
				case <-time.After(30 * time.Millisecond):
				}
				agent.say(artifact("a", strings.Repeat("x", 1<<20)), workingFrame)
				select {
				case <-agent.left:
					t.Fatal("the agent's stream is cut")
				case <-time.After(10 * time.Millisecond):
				}
				agent.say(doneFrame).end()
				logged.wait(t, "handled request")

				// What the agent said to nobody is remembered.
				body := head(t, s.client(t, h1).asks(again, alice)).rest()
				if !strings.Contains(body, `"rule":"send-to-terminal"`) {
					t.Errorf("a message to the task is answered with %s", body)
				}
				if got := logged.violations(); len(got) != 1 || got[0] != "send-to-terminal answer" {
					t.Errorf("the log blames %q", got)
				}
			})
		}
	}
}

func TestAnAgentThatIsDrainedIsHeldToItsLimits(t *testing.T) {
	a := startAgent(t)
	s := serve(t, reaching(a.address, "client_gone drain", "idle_timeout 50ms", "lookup_timeout 50ms", "linger 10ms"))
	for _, p := range []protocol{h1, h2} {
		idle := s.open(t, a, p)
		idle.client.leave()
		if question := a.next(t); !question.asked() {
			t.Errorf("the agent gets %s", question.body)
		} else {
			question.json(result(task))
		}
		idle.agent.hangsUp(t)

		lingering := s.open(t, a, p)
		lingering.client.leave()
		lingering.agent.say(doneFrame).hangsUp(t)
	}
	a.deserted(t)
}
