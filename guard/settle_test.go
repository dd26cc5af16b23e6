// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"strings"
	"testing"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

const subscribe = `{"jsonrpc":"2.0","id":"q1","method":"SubscribeToTask","params":{"id":"t1"}}`

// answer is the agent's answer to a question of the guard's.
func answer(need *guard.Need, result string) guard.Answer {
	return guard.Answer{Serial: need.Serial, Status: 200, Body: []byte(`{"jsonrpc":"2.0","id":"q1","result":` + result + `}`)}
}

// stored is a Task as GetTask gives it, with more members in its status and in
// itself.
func stored(state, inStatus, inTask string) string {
	return `{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_` + state + `"` + inStatus + `}` + inTask + `}`
}

// closing feeds a body, ends it, and returns what the guard then asks.
func closing(t *testing.T, s *guard.Stream, body string, cause guard.Cause) guard.Step {
	t.Helper()
	s.Feed(noon, []byte(body))
	step := s.Close(noon, cause)
	if step.Need == nil {
		t.Fatalf("nothing is asked; out %q", step.Out)
	}
	return step
}

func TestAnUnfinishedStreamIsSettled(t *testing.T) {
	const running = `data: {"jsonrpc":"2.0","id":"q1","result":{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}}}` + "\n\n"
	tests := []struct {
		name    string
		change  func(*policy.Config)
		request string
		body    string
		cause   guard.Cause
		answer  string // to GetTask; empty for none
		want    string // what goes out after the agent's own events, "…" for anything
		settled guard.Settlement
		end     guard.End
	}{
		{
			name: "the real state goes out", body: running, answer: stored("COMPLETED", "", `,"artifacts":[]`),
			want:    `data: {"jsonrpc":"2.0","id":"q1","result":{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}}}` + "\n\n",
			settled: guard.SettledReal, end: guard.EndMissingFinal,
		},
		{
			name: "a wrapped Task is read too", body: running, answer: `{"task":` + stored("FAILED", "", "") + "}",
			want:    `data: {"jsonrpc":"2.0","id":"q1","result":{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_FAILED"}}}}` + "\n\n",
			settled: guard.SettledReal, end: guard.EndMissingFinal,
		},
		{
			name: "an interrupted state is an end", body: running, answer: stored("INPUT_REQUIRED", "", ""),
			want:    `data: {"jsonrpc":"2.0","id":"q1","result":{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_INPUT_REQUIRED"}}}}` + "\n\n",
			settled: guard.SettledReal, end: guard.EndMissingFinal,
		},
		{
			name: "an artifact that never came goes out first, pretty-printed as it is", body: running,
			answer: stored("COMPLETED", "", ",\"artifacts\":[{\n \"artifactId\":\"a\",\"parts\":[{\"text\":\"x\"}]}]"),
			want: "data: {\"jsonrpc\":\"2.0\",\"id\":\"q1\",\"result\":{\"artifactUpdate\":{\"taskId\":\"t1\",\"contextId\":\"c1\",\"artifact\":{\ndata:  \"artifactId\":\"a\",\"parts\":[{\"text\":\"x\"}]},\"append\":false,\"lastChunk\":true}}}\n\n" +
				`data: {"jsonrpc":"2.0","id":"q1","result":{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}}}` + "\n\n",
			settled: guard.SettledReal, end: guard.EndMissingFinal,
		},
		{
			name: "an artifact that came whole does not come again", body: running + frame(artifact("a", "x", false, true)),
			answer:  stored("COMPLETED", "", `,"artifacts":[{"artifactId":"a","parts":[{"text":"x"}]}]`),
			want:    `data: {"jsonrpc":"2.0","id":"q1","result":{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}}}` + "\n\n",
			settled: guard.SettledReal, end: guard.EndMissingFinal,
		},
		{
			name: "an open artifact comes whole", body: running + frame(artifact("a", "x", false, false)),
			answer:  stored("COMPLETED", "", `,"artifacts":[{"artifactId":"a","parts":[{"text":"xy"}]}]`),
			want:    `data: {"jsonrpc":"2.0","id":"q1","result":{"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"a","parts":[{"text":"xy"}]},"append":false,"lastChunk":true}}}` + "\n\n…",
			settled: guard.SettledReal, end: guard.EndMissingFinal,
		},
		{
			name: "after an abort no artifact counts as whole", body: running + frame(artifact("a", "x", false, true)), cause: guard.Aborted,
			answer:  stored("COMPLETED", "", `,"artifacts":[{"artifactId":"a","parts":[{"text":"xy"}]}]`),
			want:    `data: {"jsonrpc":"2.0","id":"q1","result":{"artifactUpdate":…`,
			settled: guard.SettledReal, end: guard.EndUpstreamAbort,
		},
		{
			name: "artifacts beyond max_event are not cut short", body: running, change: func(c *policy.Config) { c.Limits.MaxEvent = 300 },
			answer:  stored("COMPLETED", "", `,"artifacts":[{"artifactId":"a","parts":[{"text":"`+strings.Repeat("x", 400)+`"}]}]`),
			want:    `event: error` + "\n" + `data: {"jsonrpc":"2.0","id":"q1","error":{"code":-32006,"message":"the agent ended the stream without a final status; the task has ended, call GetTask for its result (task t1, rule missing-final-status)",…`,
			settled: guard.SettledError, end: guard.EndMissingFinal,
		},
		{
			name: "no answer leaves an error", body: running,
			want:    `event: error` + "\n" + `data: {"jsonrpc":"2.0","id":"q1","error":{"code":-32006,"message":"the agent ended the stream without a final status; the task may still run, call GetTask or subscribe to it (task t1, rule missing-final-status)","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INVALID_AGENT_RESPONSE","domain":"a2a-protocol.org","metadata":{"rule":"missing-final-status","taskId":"t1"}}]}}` + "\n\n",
			settled: guard.SettledError, end: guard.EndMissingFinal,
		},
		{
			name: "the error follows the stream's habit of naming events", body: "event: message\n" + running,
			want:    "event: message\n" + `data: {"jsonrpc":"2.0","id":"q1","error":…`,
			settled: guard.SettledError, end: guard.EndMissingFinal,
		},
		{
			name: "unfinished failed says whose verdict it is", body: running, change: func(c *policy.Config) { c.Unfinished = policy.UnfinishedFailed },
			answer:  stored("WORKING", "", ""),
			want:    `data: {"jsonrpc":"2.0","id":"q1","result":{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_FAILED","message":{"messageId":"guard-t1-1","taskId":"t1","contextId":"c1","role":"ROLE_AGENT","parts":[{"text":"The guard in front of the agent ended this stream: the agent ended the stream without a final status; the task may still run, call GetTask or subscribe to it."}]},"timestamp":"2026-11-02T12:00:00.000Z"}}}}` + "\n\n",
			settled: guard.SettledFailed, end: guard.EndMissingFinal,
		},
		{
			name: "unfinished observe ends plainly", body: running, change: func(c *policy.Config) { c.Unfinished = policy.UnfinishedObserve },
			answer: stored("WORKING", "", ""), settled: guard.SettledObserved, end: guard.EndMissingFinal,
		},
		{
			name: "a subscription that ends cleanly is observed", request: subscribe, body: running,
			answer: stored("WORKING", "", ""), settled: guard.SettledObserved, end: guard.EndMissingFinal,
		},
		{
			name: "unless told otherwise", request: subscribe, body: running, change: func(c *policy.Config) { c.Unfinished = policy.UnfinishedError },
			answer: stored("WORKING", "", ""), want: "event: error\n…", settled: guard.SettledError, end: guard.EndMissingFinal,
		},
		{
			name: "an ambiguous answer tells nothing", body: running, answer: stored("COMPLETED", `,"state":"TASK_STATE_WORKING"`, ""),
			want: "event: error\n…", settled: guard.SettledError, end: guard.EndMissingFinal,
		},
		{
			name:    "0.3 in its own shape, final said",
			request: `{"jsonrpc":"2.0","id":"q1","method":"message/stream","params":{"message":{}}}`,
			body:    frame(`{"kind":"task","id":"t1","contextId":"c1","status":{"state":"working"}}`),
			answer:  `{"kind":"task","id":"t1","contextId":"c1","status":{"state":"canceled"}}`,
			want:    `data: {"jsonrpc":"2.0","id":"q1","result":{"kind":"status-update","taskId":"t1","contextId":"c1","status":{"state":"canceled"},"final":true}}` + "\n\n",
			settled: guard.SettledReal, end: guard.EndMissingFinal,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			request := sendStream
			if tt.request != "" {
				request = tt.request
			}
			s := newStream(t, newGuard(t, tt.change), request)
			step := closing(t, s, tt.body, tt.cause)
			reply := guard.Answer{Serial: step.Need.Serial}
			if tt.answer != "" {
				reply = answer(step.Need, tt.answer)
			}
			step = s.Settle(noon, reply)
			if !step.End || step.Need != nil {
				t.Errorf("the stream goes on: %+v", step)
			}
			want, more, open := strings.Cut(tt.want, "…")
			if got := string(step.Out); got != want && (!open || !strings.HasPrefix(got, want) || more != "") {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
			if s.Settled() != tt.settled || s.End() != tt.end {
				t.Errorf("settled %v, ended %v", s.Settled(), s.End())
			}
		})
	}
}

func TestAnUnfinishedTaskIsCancelledOnRequest(t *testing.T) {
	cancelling := func(c *policy.Config) { c.CancelUnfinished = true }
	s := newStream(t, newGuard(t, cancelling), sendStream)
	step := closing(t, s, frame(task("WORKING")), guard.EOF)
	step = s.Settle(noon, answer(step.Need, stored("WORKING", "", "")))
	if step.Need == nil || string(step.Need.Body) != `{"jsonrpc":"2.0","id":"q1","method":"CancelTask","params":{"id":"t1"}}` {
		t.Fatalf("asks %+v", step.Need)
	}
	step = s.Settle(noon, answer(step.Need, stored("CANCELED", "", "")))
	if !step.End || !strings.Contains(string(step.Out), "TASK_STATE_CANCELED") || s.Settled() != guard.SettledCanceled {
		t.Errorf("out %q, settled %v", step.Out, s.Settled())
	}
	for name, s := range map[string]*guard.Stream{
		"a subscription": newStream(t, newGuard(t, cancelling), subscribe),
		"an abort":       newStream(t, newGuard(t, cancelling), sendStream),
	} {
		cause := guard.EOF
		if name == "an abort" {
			cause = guard.Aborted
		}
		step := closing(t, s, frame(task("WORKING")), cause)
		if step = s.Settle(noon, answer(step.Need, stored("WORKING", "", ""))); step.Need != nil {
			t.Errorf("%s cancels a task", name)
		}
	}
}

func TestATimeLimitAsksBeforeItCuts(t *testing.T) {
	working := `{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-02T12:00:00Z"}}}`
	expired := noon.Add(policy.DefaultLimits().Idle)
	begin := func() (*guard.Stream, guard.Step) {
		s := newStream(t, newGuard(t, func(c *policy.Config) { c.Limits.Heartbeat = 0 }), sendStream)
		s.Feed(noon, []byte(frame(working)))
		if at, ok := s.Deadline(); !ok || !at.Equal(expired) {
			t.Fatalf("the deadline is %v, %v", at, ok)
		}
		step := s.Expire(expired)
		if step.Need == nil || step.End {
			t.Fatalf("nothing is asked: %+v", step)
		}
		return s, step
	}
	t.Run("news start it afresh", func(t *testing.T) {
		s, step := begin()
		step = s.Settle(expired, answer(step.Need, stored("WORKING", `,"timestamp":"2026-11-02T12:05:00Z"`, "")))
		if at, _ := s.Deadline(); step.End || len(step.Out) > 0 || !at.Equal(expired.Add(10*time.Minute)) {
			t.Errorf("%+v, deadline %v", step, at)
		}
	})
	t.Run("the same old state does not", func(t *testing.T) {
		s, step := begin()
		step = s.Settle(expired, answer(step.Need, stored("WORKING", `,"timestamp":"2026-11-02T12:00:00.000Z"`, "")))
		if !step.End || !strings.Contains(string(step.Out), `"code":-32603`) || s.End() != guard.EndIdleTimeout {
			t.Errorf("%s, ended %v", step.Out, s.End())
		}
	})
	t.Run("an event answers it", func(t *testing.T) {
		s, asked := begin()
		s.Feed(expired, []byte(frame(status("WORKING"))))
		step := s.Settle(expired, answer(asked.Need, stored("FAILED", "", "")))
		if step.End || len(step.Out) > 0 {
			t.Errorf("a late answer ends the stream: %q", step.Out)
		}
	})
	t.Run("a comment does not", func(t *testing.T) {
		s, asked := begin()
		s.Feed(expired, []byte(": ping\n\n"))
		step := s.Settle(expired, answer(asked.Need, stored("FAILED", "", "")))
		if !step.End || !strings.Contains(string(step.Out), "TASK_STATE_FAILED") {
			t.Errorf("out %q", step.Out)
		}
	})
	t.Run("after the agent's own end it is asked again", func(t *testing.T) {
		s, asked := begin()
		again := s.Close(expired, guard.EOF)
		if again.Need == nil || again.End {
			t.Fatalf("%+v", again)
		}
		if step := s.Settle(expired, answer(asked.Need, stored("WORKING", "", ""))); step.End {
			t.Errorf("the first answer still counts: %q", step.Out)
		}
		step := s.Settle(expired, answer(again.Need, stored("COMPLETED", "", "")))
		if !step.End || s.End() != guard.EndMissingFinal || !strings.Contains(string(step.Out), "COMPLETED") {
			t.Errorf("%q, ended %v", step.Out, s.End())
		}
	})
}
