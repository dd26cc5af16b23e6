// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// shutdown is the last frame of a stream that the process's exit ends.
const shutdown = "event: error\n" + `data: {"jsonrpc":"2.0","id":"q1","error":{"code":-32603,"message":"the server is shutting down; the task may still run, subscribe to it again (task t1, ref REF)",` +
	`"data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INTERNAL_ERROR","domain":"a2a-protocol.org","metadata":{"taskId":"t1","ref":"REF"}}]}}` + "\n\n"

// opened is a stream with a client and an agent.
type opened struct {
	client *answer
	agent  *call
}

// open opens a stream and lets its first frame pass.
func (s *server) open(t testing.TB, a *agent, p protocol) opened {
	t.Helper()
	answers := s.client(t, p).asks(streamCall)
	agent := a.next(t).stream().say(taskFrame)
	client := head(t, answers)
	client.expect(taskFrame)
	return opened{client, agent}
}

// openAll opens a stream over each protocol.
func (s *server) openAll(t testing.TB, a *agent, protocols ...protocol) []opened {
	t.Helper()
	var streams []opened
	for _, p := range protocols {
		streams = append(streams, s.open(t, a, p))
	}
	return streams
}

// shutDown wants the stream to end with the word of the process's exit.
func (o opened) shutDown(t testing.TB) {
	t.Helper()
	if got := anonymous(t, o.client.rest()); got != shutdown {
		t.Errorf("the stream ends with\n%s\nnot\n%s", got, shutdown)
	}
	o.agent.hangsUp(t)
}

func TestStreamsRunOnWhileTheProcessDrains(t *testing.T) {
	a := startAgent(t)
	p := start(t, reaching(a.address, "drain 1s"), allProtocols)
	streams := p.openAll(t, a, protocols...)
	finished := p.open(t, a, h1)
	p.terminate(t)
	for _, o := range streams {
		o.agent.say(workingFrame)
		o.client.expect(workingFrame)
	}
	finished.agent.say(doneFrame).end()
	finished.client.expect(doneFrame)
	if rest := finished.client.rest(); rest != "" {
		t.Errorf("after the end comes %q", rest)
	}
	for _, o := range streams {
		o.shutDown(t)
	}
	p.leaves(t)
	a.deserted(t)
}

func TestTheProcessLeavesAsSoonAsItsStreamsHaveEnded(t *testing.T) {
	a := startAgent(t)
	p := start(t, reaching(a.address, "drain 1m"))
	o := p.open(t, a, h1)
	p.terminate(t)
	o.agent.say(doneFrame).end()
	o.client.expect(doneFrame)
	p.leaves(t)
}

func TestTheGracePeriodBoundsTheDrain(t *testing.T) {
	for _, grace := range []string{"1200ms", "500ms"} {
		t.Run(grace, func(t *testing.T) {
			a := startAgent(t)
			p := start(t, reaching(a.address, "drain 1m"), globals("grace_period "+grace))
			streams := p.openAll(t, a, h1, h1TLS, h2)
			p.terminate(t)
			for _, o := range streams {
				o.shutDown(t)
			}
			p.leaves(t)
		})
	}
}

func TestStreamsOfAReplacedConfigurationEndWithTheProcess(t *testing.T) {
	for _, tt := range []struct {
		name    string
		guarded bool
	}{{"by one with a guard", true}, {"by one without", false}} {
		t.Run(tt.name, func(t *testing.T) {
			a := startAgent(t)
			p := start(t, reaching(a.address, "drain 200ms"))
			streams := p.openAll(t, a, h1, h1TLS, h2)
			if tt.guarded {
				p.reload(t, reaching(a.address, "drain 1m"))
			} else {
				p.reload(t, "reverse_proxy "+a.address)
			}
			p.terminate(t)
			for _, o := range streams {
				o.shutDown(t)
			}
			p.leaves(t)
		})
	}
}

func TestAStreamThatHasNotBegunEndsWithTheProcess(t *testing.T) {
	a := startAgent(t)
	p := start(t, reaching(a.address, "drain 100ms", "hold 1m"))
	answers := p.client(t, h1).asks(streamCall)
	called := a.next(t).stream()
	waiting := p.client(t, h2).asks(streamCall)
	silent := a.next(t)
	slow := p.client(t, h1).asks(streamCall)
	half := a.next(t)
	half.w.Header().Set("Content-Type", typeJSON)
	half.say(result(task)[:10])
	p.terminate(t)
	want := strings.NewReplacer("event: error\n", "", "the task may still run, subscribe to it again (task t1, ", "a task that was begun may still run (", `"taskId":"t1",`, "").Replace(shutdown)
	for _, a := range []<-chan asked{answers, waiting, slow} {
		head(t, a).check(200, typeSSE, want)
	}
	for _, c := range []*call{called, silent, half} {
		c.hangsUp(t)
	}
	p.leaves(t)
}

func TestAClientThatDoesNotReadKeepsNoProcess(t *testing.T) {
	piece := artifact("a", strings.Repeat("x", 1<<20))
	written := make(chan bool)
	over := make(chan struct{})
	defer close(over)
	a := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", typeSSE)
		for {
			if _, err := io.WriteString(w, piece); err != nil {
				return
			}
			select {
			case written <- true:
			case <-over:
				return
			}
		}
	})
	p := start(t, reaching(a.address, "drain 100ms"))
	for _, protocol := range []protocol{h1, h1TLS, h2} {
		p.client(t, protocol).post(streamCall) // and nothing of the body is read
		for stuck := false; !stuck; {
			select {
			case <-written:
			case <-time.After(100 * time.Millisecond):
				stuck = true
			}
		}
	}
	go func() { // what an agent writes once its connection is free again
		for {
			select {
			case <-written:
			case <-over:
				return
			}
		}
	}()
	p.terminate(t)
	p.leaves(t)
}

func TestAnAgentIsReadToItsEndAlsoDuringTheExit(t *testing.T) {
	for _, protocol := range []protocol{h1, h2} {
		t.Run(protocol.name, func(t *testing.T) {
			a := startAgent(t)
			p := start(t, reaching(a.address, "drain 1m", "client_gone drain"))
			o := p.open(t, a, protocol)
			o.client.leave()
			p.terminate(t)
			o.agent.say(workingFrame, doneFrame)
			select {
			case <-o.agent.left:
				t.Error("the agent's stream is cut")
			case <-p.exited:
				t.Error("the process does not wait")
			case <-time.After(50 * time.Millisecond):
			}
			o.agent.end()
			p.leaves(t)
		})
	}
}

func TestACallIsAnsweredBeforeTheProcessLeaves(t *testing.T) {
	a := startAgent(t)
	p := start(t, reaching(a.address, "drain 50ms"), allProtocols)
	var answers []<-chan asked
	var calls []*call
	for _, protocol := range protocols {
		answers = append(answers, p.client(t, protocol).asks(getCall))
		calls = append(calls, a.next(t))
	}
	p.terminate(t)
	for i := range protocols {
		calls[i].json(result(task))
		head(t, answers[i]).check(200, typeJSON, result(task))
	}
	p.leaves(t)
}

func TestACallThatWaitsForItsTaskEndsWithTheProcess(t *testing.T) {
	a := startAgent(t)
	p := start(t, reaching(a.address, "profile strict", "drain 100ms"))
	answers := p.client(t, h1).asks(sendCall, header("A2A-Version", "1.0"))
	a.next(t).json(result(`{"task":` + task + `}`))
	question := a.next(t)
	if !question.asked() {
		t.Fatalf("the agent gets %s", question.body)
	}
	p.terminate(t)
	want := strings.TrimSpace(strings.TrimPrefix(shutdown, "event: error\ndata: "))
	head(t, answers).check(200, typeJSON, want)
	question.hangsUp(t)
	p.leaves(t)
}

func TestACallThatWaitsForItsTaskEndsWithItsClient(t *testing.T) {
	a := startAgent(t)
	s := serve(t, "log\n"+reaching(a.address, "profile strict"))
	c := s.client(t, h1)
	r, leave := c.request(http.MethodPost, "/", sendCall, header("A2A-Version", "1.0"))
	c.send(r, leave)
	a.next(t).json(result(`{"task":` + task + `}`))
	question := a.next(t)
	leave()
	question.hangsUp(t)
	logged.wait(t, "handled request") // else its last words are the next test's
}
