// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestStreamsEndByTheRulesThatTheyBeganWith(t *testing.T) {
	for _, tt := range []struct{ name, next string }{
		{"another guard", "a2a_guard {\nname other\nunfinished error\nprofile observe\n}\nreverse_proxy AGENT"},
		{"no guard", "reverse_proxy AGENT"},
		{"nothing", "respond \"closed\""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			t.Cleanup(func() {
				if err := leaks(before); err != nil {
					t.Errorf("the reload leaves behind: %v", err)
				}
			})
			a := startAgent(t)
			s := serve(t, reaching(a.address, "unfinished failed", "linger 10ms", "rule late-artifact enforce"), allProtocols)
			streams := s.openAll(t, a, protocols...)
			s.load(t, strings.ReplaceAll(tt.next, "AGENT", a.address))
			for _, o := range streams {
				o.agent.say(workingFrame)
				o.client.expect(workingFrame)
			}
			for _, o := range streams {
				o.agent.end()
				question := a.next(t)
				if !question.asked() {
					t.Errorf("the agent gets %s", question.body)
				}
				question.json(result(task))
				if got := o.client.next(); !strings.Contains(got, `"state":"TASK_STATE_FAILED"`) {
					t.Errorf("the stream ends with %s", got)
				}
				if rest := o.client.rest(); rest != "" {
					t.Errorf("after the end comes %q", rest)
				}
			}
		})
	}
}

func TestAStreamThatAReloadMeetsIsCutAsBefore(t *testing.T) {
	a := startAgent(t)
	s := serve(t, reaching(a.address, "linger 10ms"), allProtocols)
	streams := s.openAll(t, a, protocols...)
	s.load(t, reaching(a.address, "linger 1m"))
	for _, o := range streams {
		o.agent.say(doneFrame, artifact("a", "late"))
		o.client.expect(doneFrame)
		if rest := o.client.rest(); rest != "" {
			t.Errorf("after the end comes %q", rest)
		}
		o.agent.hangsUp(t)
	}
	a.deserted(t)
}

func TestNewCallsMeetTheNewRules(t *testing.T) {
	a := startAgent(t)
	s := serve(t, reaching(a.address))
	s.open(t, a, h1)
	s.load(t, reaching(a.address, "unfinished failed"))
	o := s.open(t, a, h1)
	o.agent.end()
	a.next(t).json(result(task))
	if got := o.client.rest(); !strings.Contains(got, `"state":"TASK_STATE_FAILED"`) {
		t.Errorf("the stream ends with %s", got)
	}
}

func TestTheMemoryOfTasksSurvivesAReload(t *testing.T) {
	alice, bob := header("Authorization", "Bearer alice"), header("Authorization", "Bearer bob")
	const again = `{"jsonrpc":"2.0","id":"q2","method":"SendMessage","params":{"message":{"messageId":"m2","taskId":"t1","role":"ROLE_USER","parts":[{"text":"x"}]}}}`
	a := startAgent(t)
	s := serve(t, reaching(a.address, "rule send-to-terminal enforce"))
	finish := func() {
		t.Helper()
		answers := s.client(t, h1).asks(streamCall, alice)
		a.next(t).stream().say(taskFrame, doneFrame).end()
		head(t, answers).check(http.StatusOK, typeSSE, taskFrame+doneFrame)
	}
	remembered := func(who func(*http.Request), want bool) {
		t.Helper()
		answers := s.client(t, h1).asks(again, who)
		if !want {
			a.next(t).json(result(task))
		}
		body := head(t, answers).rest()
		if got := strings.Contains(body, `"code":-32004`) && strings.Contains(body, `"rule":"send-to-terminal"`); got != want {
			t.Errorf("the call is answered with %s", body)
		}
	}
	finish()
	remembered(alice, true)
	remembered(bob, false)

	s.load(t, reaching(a.address, "rule send-to-terminal enforce", "unfinished failed"))
	remembered(alice, true)
	remembered(bob, false)

	for _, wrong := range []string{"no_such_directive", guarded("lookup_timeout 0s")} {
		if err := s.tryLoad("route {\n" + reaching(a.address, "rule send-to-terminal enforce") + "\n" + wrong + "\n}"); err == nil {
			t.Errorf("%s is loaded", wrong)
		}
	}
	remembered(alice, true)

	s.load(t, reaching(a.address, "name another", "rule send-to-terminal enforce"))
	remembered(alice, false)

	s.load(t, reaching(a.address, "rule send-to-terminal enforce"))
	remembered(alice, false)
}
