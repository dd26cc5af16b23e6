// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"context"
	"sync"
	"testing"
	"time"
)

func TestAFollowUpCompletesAPausedTask(t *testing.T) {
	inBothVersions(t, func(t *testing.T, v version) {
		p := serve(t, Config{})
		first := p.open(v.stream, messageParams("hello", ""))
		first.expect("T(SUBMITTED) S(INPUT_REQUIRED) close")
		second := p.open(v.stream, messageParams("still no idea", first.taskID))
		second.expect("T(WORKING) S(INPUT_REQUIRED) close")
		third := p.open(v.stream, messageParams("ah, BS-1042", first.taskID))
		third.expect("T(WORKING) S(WORKING) A1 A2 A3 S(COMPLETED) close")
		if third.taskID != first.taskID {
			t.Errorf("task %s became %s", first.taskID, third.taskID)
		}
	})
}

func TestAMessageKeepsTheContextItNames(t *testing.T) {
	inBothVersions(t, func(t *testing.T, v version) {
		p := serve(t, Config{})
		_, got := p.call(v.send, `{"message":{"messageId":"m","contextId":"talk","parts":[{"text":"BS-"},{"text":"or BS-1042"}]}}`)
		if id := got.payload().ContextID; id != "talk" {
			t.Errorf("the context is %q", id)
		}
	})
}

func TestAClientThatDoesNotWaitGetsTheTaskAsItBegins(t *testing.T) {
	p := serve(t, Config{Fault: NeverReturns})
	for method, configuration := range map[string]string{
		"SendMessage":  `{"returnImmediately":true}`,
		"message/send": `{"blocking":false}`,
	} {
		answer, got := p.call(method, `{"configuration":`+configuration+`,"message":{"messageId":"m","parts":[{"text":"BS-1042"}]}}`)
		if answer != "T(SUBMITTED)" && answer != "T(WORKING)" {
			t.Errorf("%s got %s", method, answer)
		}
		if answer, _ := p.call(method, messageParams("hurry", got.taskID())); answer != "E(-32004)" {
			t.Errorf("a message to a task at work got %s", answer)
		}
	}
}

func TestASubscriberGetsTheTaskFirstAndThenWhatFollows(t *testing.T) {
	inBothVersions(t, func(t *testing.T, v version) {
		p := serve(t, Config{Fault: CancelMidrun, Stall: time.Minute})
		first := p.open(v.stream, messageParams("BS-1042", ""))
		first.expect("T(SUBMITTED) S(WORKING) A1")
		var followers []*events
		for range 3 {
			e := p.open(v.subscribe, idParams(first.taskID))
			e.expect("T(WORKING)")
			if artifacts := parseReply(t, []byte(e.raw)).payload().Artifacts; len(artifacts) != 1 || len(artifacts[0].Parts) != 1 {
				t.Errorf("the task came with %v", artifacts)
			}
			followers = append(followers, e)
		}
		p.call(v.cancel, idParams(first.taskID))
		for _, e := range append(followers, first) {
			e.expect("S(CANCELED) A2 A3 close")
		}
	})
}

func TestASubscriberOfAPausedTaskGetsTheTaskAlone(t *testing.T) {
	inBothVersions(t, func(t *testing.T, v version) {
		p := serve(t, Config{})
		_, got := p.call(v.send, messageParams("hi", ""))
		p.open(v.subscribe, idParams(got.taskID())).expect("T(INPUT_REQUIRED) close")
	})
}

func TestCancelEndsWorkPausedTasksAndForgottenOnes(t *testing.T) {
	inBothVersions(t, func(t *testing.T, v version) {
		p := serve(t, Config{})
		e := p.open(v.stream, messageParams("BS-1042 fault=never-returns", ""))
		e.expect("T(SUBMITTED) S(WORKING)")
		_, paused := p.call(v.send, messageParams("hi", ""))
		_, forgotten := p.call(v.send, messageParams("BS-1042 fault=no-final", ""))
		for _, id := range []string{e.taskID, paused.taskID(), forgotten.taskID()} {
			if answer, _ := p.call(v.cancel, idParams(id)); answer != "T(CANCELED)" {
				t.Errorf("the cancel answered %s", answer)
			}
			if answer, _ := p.call(v.get, idParams(id)); answer != "T(CANCELED)" {
				t.Errorf("the task is %s", answer)
			}
		}
		e.expect("S(CANCELED) close")
	})
}

func TestATaskOutlivesItsClient(t *testing.T) {
	inBothVersions(t, func(t *testing.T, v version) {
		p := serve(t, Config{Step: 5 * time.Millisecond})
		ctx, leave := context.WithCancel(t.Context())
		e := p.openAs(ctx, v.stream, messageParams("BS-1042", ""))
		e.expect("T(SUBMITTED)")
		leave()
		eventually(t, "the task completes", func() bool {
			answer, _ := p.call(v.get, idParams(e.taskID))
			return answer == "T(COMPLETED)"
		})
	})
}

func TestASlowClientHoldsNobodyUp(t *testing.T) {
	p := serve(t, Config{Chunks: 40_000}) // some MB, more than a connection's buffers take
	slow := p.open("SendStreamingMessage", messageParams("BS-1042", ""))
	slow.expect("T(SUBMITTED)")
	eventually(t, "the task completes", func() bool {
		return p.agent.store.find(slow.taskID).read().status.state == completed
	})
	slow.response.Body.Close()
}

func TestChunksSetsTheLengthOfTheArtifact(t *testing.T) {
	for _, n := range []int{1, 2, 7} {
		p := serve(t, Config{Chunks: n})
		_, got := p.call("SendMessage", messageParams("BS-1042", ""))
		if parts := got.payload().Artifacts[0].Parts; len(parts) != n {
			t.Errorf("%d chunks became %d parts", n, len(parts))
		}
	}
}

func TestALifeEndsTheWorkThatWouldNot(t *testing.T) {
	p := serve(t, Config{Fault: NeverReturns, Life: 20 * time.Millisecond})
	p.open("SendStreamingMessage", messageParams("BS-1042", "")).expect("T(SUBMITTED) S(WORKING) close")
}

func TestCloseEndsWorkAndStreamsAndTakesNoMore(t *testing.T) {
	inBothVersions(t, func(t *testing.T, v version) {
		p := serve(t, Config{})
		var open []*events
		for _, f := range []Fault{NeverReturns, CancelMidrun, StallThenFinish} {
			e := p.open(v.stream, messageParams("BS-1042 fault="+string(f), ""))
			e.expect("T(SUBMITTED) S(WORKING)")
			open = append(open, e)
		}
		p.agent.Close()
		for _, e := range open {
			for word := e.next(); word != "close"; word = e.next() {
				if word != "A1" && word != "comments" {
					t.Errorf("closing sent %s", word)
				}
			}
		}
		if answer, _ := p.call(v.send, messageParams("BS-1042", "")); answer != "E(-32603)" {
			t.Errorf("a closed agent answered %s", answer)
		}
	})
}

func TestTheStoreForgetsTheOldestTask(t *testing.T) {
	var s store
	first := s.add("").id
	for range maxTasks {
		s.add("")
	}
	if s.find(first) != nil || len(s.jobs) != maxTasks || len(s.ids) != maxTasks {
		t.Errorf("the store holds %d jobs and %d ids", len(s.jobs), len(s.ids))
	}
}

// TestManyClientsAtOnce gives the race detector something to see.
func TestManyClientsAtOnce(t *testing.T) {
	p := serve(t, Config{Step: time.Millisecond, Stall: 2 * time.Millisecond})
	var clients sync.WaitGroup
	for i, f := range append(Faults(), None) {
		if f == NeverReturns {
			continue
		}
		v := versions[i%2]
		clients.Go(func() {
			e := p.open(v.stream, messageParams("BS-1042 fault="+string(f), ""))
			e.next()
			var others sync.WaitGroup
			for j := range 4 {
				others.Go(func() { p.call(versions[j%2].get, idParams(e.taskID)) })
				others.Go(func() { drain(p.open(versions[j%2].subscribe, idParams(e.taskID))) })
				if j == 3 {
					others.Go(func() { p.call(v.cancel, idParams(e.taskID)) })
				}
			}
			others.Wait()
		})
	}
	clients.Wait()
}

// drain reads a stream to its end, whatever it carries.
func drain(e *events) {
	for word := ""; word != "close" && word != "abort"; {
		word = e.next()
	}
}
