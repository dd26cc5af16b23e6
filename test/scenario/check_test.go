// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"strings"
	"testing"
)

// Each line changes a good case so that it lies. The player must find it out.
func TestEveryLieIsFoundOut(t *testing.T) {
	const stream = `guard   idle_timeout 60s
client  SendStreamingMessage
agent   F(T(WORKING)) OPEN
asked   GetTask -> J(Task(WORKING))
expect  F(T(WORKING))
expect  HEARTBEAT 2
expect  @60s ERROR -32603 never-ending-stream
expect  @60s END
report  never-ending-stream end
ended   idle_timeout error
guard   heartbeat 25s`
	const refused = `client  SendMessage
agent   502 text/html "x" EOF
agent   header Retry-After: 7
expect  REJECT 502 application/json -32603 http-status-jsonrpc
report  http-status-jsonrpc reject`
	const message = `client  message/stream
agent   F(s(working,false)) F(m("note")) F(s(completed,true)) EOF
expect  F(s(working,false)) STATUS working "note"
expect  F(s(completed,true)) END
report  message-after-task rewrite
ended   terminal`
	tests := []struct{ name, good, truth, lie, want string }{
		{"other bytes", stream, "expect  F(T(WORKING))", "expect  F(T(SUBMITTED))", "comes"},
		{"too little", stream, "expect  F(T(WORKING))\n", "", "0 heartbeats, not 2"},
		{"too few heartbeats", stream, "HEARTBEAT 2", "HEARTBEAT 1", "2 heartbeats, not 1"},
		{"no heartbeats", stream, "expect  HEARTBEAT 2\n", "", "an event of the guard's should come"},
		{"another code", stream, "ERROR -32603", "ERROR -32006", "the error is not -32006"},
		{"another rule", stream, "-32603 never-ending-stream", "-32603 upstream-abort", "does not name rule upstream-abort"},
		{"another time", stream, "@60s ERROR", "@61s ERROR", "what should come at 1m1s comes at 1m0s"},
		{"another end's time", stream, "@60s END", "@61s END", "what should come at 1m1s comes at 1m0s"},
		{"a broken end", stream, "@60s END", "BROKEN", "does not end in BROKEN"},
		{"something after the end", stream, "expect  @60s ERROR -32603 never-ending-stream\n", "", "after what was expected comes"},
		{"another action", stream, "never-ending-stream end\n", "never-ending-stream drop\n", `reports ["never-ending-stream end"]`},
		{"no report", stream, "report  never-ending-stream end\n", "", "reports"},
		{"a notice", stream, "ended", "notice  unknown-method\nended", "notices [], not"},
		{"another question", stream, "asked   GetTask", "asked   CancelTask", `the guard asks ["GetTask"], not ["CancelTask"]`},
		{"another end", stream, "idle_timeout error", "idle_timeout observed", "the stream ended"},
		{"another status", refused, "REJECT 502", "REJECT 504", `the answer is 502 "application/json", not 504`},
		{"another content type", refused, "502 application/json", "502 text/event-stream", "the answer is 502"},
		{"another error", refused, "-32603 http-status-jsonrpc", "-32603 call-timeout", "does not name rule call-timeout"},
		{"another id", refused, "-32603 http-status-jsonrpc", "-32603 http-status-jsonrpc id=null", `the error answers id "q1", not null`},
		{"no rejection", refused, "expect  REJECT 502 application/json -32603 http-status-jsonrpc", "expect  PASS END", "the head is 502"},
		{"another state", message, "STATUS working", "STATUS submitted", "no status submitted"},
		{"another version", message, "STATUS working", "STATUS WORKING", "no status TASK_STATE_WORKING"},
		{"other words", message, `"note"` + "\nexpect", `"hello"` + "\nexpect", `the status says "note", not "hello"`},
		{"nothing of it", message, `expect  F(s(working,false)) STATUS working "note"` + "\n", "", "comes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if found := problems(t, tt.good); found != "" {
				t.Fatalf("the good case is bad: %s", found)
			}
			lie := strings.Replace(tt.good, tt.truth, tt.lie, 1)
			if lie == tt.good {
				t.Fatal("nothing was changed")
			}
			if got := problems(t, lie); !strings.Contains(got, tt.want) {
				t.Errorf("found out: %s\nwanted: %s", got, tt.want)
			}
		})
	}
}

// problems plays a case and joins what is wrong with it.
func problems(t *testing.T, text string) string {
	t.Helper()
	c, err := Parse("lie", text)
	if err != nil {
		t.Fatal(err)
	}
	s := c.Scenes[0]
	results, err := s.Play(AsWritten)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for i, r := range results {
		for _, err := range s.Check(s.Exchanges[i], r) {
			all = append(all, err.Error())
		}
	}
	return strings.Join(all, "\n")
}
