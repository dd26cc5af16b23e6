// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"fmt"
	"strings"
	"testing"
)

// describe renders what a test compares, in one line.
func (r *Request) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v %v known=%v rpc=%v", r.Operation, r.Dialect, r.Known, r.RPC)
	for _, f := range []struct {
		name  string
		token Token
	}{{"id", r.ID}, {"task", r.TaskID}, {"context", r.ContextID}, {"tenant", r.Tenant}, {"message", r.MessageID}, {"references", r.References}} {
		if f.token != nil {
			fmt.Fprintf(&b, " %s=%s", f.name, f.token)
		}
	}
	if r.HistoryLength >= 0 {
		fmt.Fprintf(&b, " history=%d", r.HistoryLength)
	}
	for _, f := range []struct {
		name string
		set  bool
	}{{"artifacts", r.IncludeArtifacts}, {"badid", r.BadID}, {"blocking", r.Blocking}, {"batch", r.Batch}, {"duplicate", r.Flaw == DuplicateKeys}, {"variant", r.Flaw == CaseVariantKeys}} {
		if f.set {
			b.WriteString(" " + f.name)
		}
	}
	return b.String()
}

func TestRequestsAreRead(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{
			"1.0 send",
			`{"jsonrpc":"2.0","id":"q1","method":"SendMessage","params":{"tenant":"acme","message":{"messageId":"m","taskId":"t1","contextId":"c1","role":"ROLE_USER","parts":[{"text":"x"}]}}}`,
			`send_message 1.0 known=true rpc=true id="q1" task="t1" context="c1" tenant="acme" message="m" blocking`,
		},
		{
			"1.0 send that wants some history",
			`{"id":1,"method":"SendMessage","params":{"message":{},"configuration":{"historyLength":3}}}`,
			`send_message 1.0 known=true rpc=false id=1 history=3 blocking`,
		},
		{
			"list that wants no history but the artifacts",
			`{"id":1,"method":"ListTasks","params":{"history_length":0,"includeArtifacts":true}}`,
			`list_tasks 1.0 known=true rpc=false id=1 history=0 artifacts blocking`,
		},
		{
			"get whose history length is none",
			`{"id":1,"method":"GetTask","params":{"id":"t1","historyLength":-1}}`,
			`get_task 1.0 known=true rpc=false id=1 task="t1" blocking`,
		},
		{
			"1.0 send that does not wait",
			`{"id":1,"method":"SendMessage","params":{"message":{},"configuration":{"returnImmediately":true}}}`,
			`send_message 1.0 known=true rpc=false id=1`,
		},
		{
			"0.3 stream that does not wait",
			`{"id":1,"method":"message/stream","params":{"message":{"taskId":""},"configuration":{"blocking":false}}}`,
			`send_streaming_message 0.3 known=true rpc=false id=1`,
		},
		{
			"get names its task by id, not by taskId",
			`{"id":0,"method":"GetTask","params":{"id":"t1","taskId":"t2"}}`,
			`get_task 1.0 known=true rpc=false id=0 task="t1" blocking`,
		},
		{
			"push config names its task by taskId",
			`{"id":9007199254740993,"method":"CreateTaskPushNotificationConfig","params":{"id":"p1","taskId":"t2","url":"x"}}`,
			`create_push_config 1.0 known=true rpc=false id=9007199254740993 task="t2" blocking`,
		},
		{
			"0.3 push config names its task by id",
			`{"id":1,"method":"tasks/pushNotificationConfig/get","params":{"id":"t3"}}`,
			`get_push_config 0.3 known=true rpc=false id=1 task="t3" blocking`,
		},
		{
			"proto spelling",
			`{"id":1,"method":"SendStreamingMessage","params":{"message":{"task_id":"t1","context_id":"c1"}}}`,
			`send_streaming_message 1.0 known=true rpc=false id=1 task="t1" context="c1" blocking`,
		},
		{
			"escaped names and values",
			`{"\u0069d":"\u0061","\u006dethod":"\u0047etTask","params":{"\u0069d":"t\u0031"}}`,
			`get_task 1.0 known=true rpc=false id="\u0061" task="t\u0031" blocking`,
		},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"tasks/send"}`, `other 0.3 known=false rpc=true id=1 blocking`},
		{"no JSON-RPC at all", `{"hello":"world"}`, `other 1.0 known=false rpc=false blocking`},
		{"null id", `{"id":null,"method":"GetTask"}`, `get_task 1.0 known=true rpc=false blocking`},
		{"boolean id", `{"id":true,"method":"GetTask"}`, `get_task 1.0 known=true rpc=false badid blocking`},
		{"object id", `{"id":{},"method":"GetTask"}`, `get_task 1.0 known=true rpc=false badid blocking`},
		{"null params", `{"id":1,"method":"SendMessage","params":null}`, `send_message 1.0 known=true rpc=false id=1 blocking`},
		{"params of another kind", `{"id":1,"method":"SendMessage","params":[{"message":{"taskId":"t1"}}]}`, `send_message 1.0 known=true rpc=false id=1 blocking`},
		{"two methods, one known", `{"id":1,"method":"x","method":"GetTask"}`, `get_task 1.0 known=true rpc=false id=1 blocking duplicate`},
		{"two methods, the known one first", `{"id":1,"method":"GetTask","method":"x"}`, `get_task 1.0 known=true rpc=false id=1 blocking duplicate`},
		{"one field twice", `{"id":1,"method":"SendMessage","params":{"message":{"taskId":"a","taskId":"b"}}}`, `send_message 1.0 known=true rpc=false id=1 task="b" blocking duplicate`},
		{"two spellings", `{"id":1,"method":"SendMessage","params":{"message":{"taskId":"a","task_id":"b"}}}`, `send_message 1.0 known=true rpc=false id=1 task="b" blocking variant`},
		{"another case beside it", `{"id":1,"method":"SendMessage","params":{"message":{"TASKID":"b","taskId":"a"}}}`, `send_message 1.0 known=true rpc=false id=1 task="a" blocking variant`},
		{"a letter that folds to ASCII", `{"id":1,"method":"SendMessage","params":{"message":{"taſkId":"b","taskId":"a"}}}`, `send_message 1.0 known=true rpc=false id=1 task="a" blocking variant`},
		{"user data may repeat itself", `{"id":1,"method":"SendMessage","params":{"metadata":{"a":1,"a":2},"message":{"parts":[{"data":{"id":1,"id":2}}]}}}`, `send_message 1.0 known=true rpc=false id=1 blocking`},
		{"a method that only some servers see", `{"id":1,"METHOD":"GetTask"}`, `get_task 1.0 known=true rpc=false id=1 blocking variant`},
		{"batch", ` [{"method":"GetTask"},{"method":"x"}]`, `get_task 1.0 known=true rpc=false batch`},
		{"batch of strangers", `[1,{"a":2}]`, `other 1.0 known=false rpc=false batch`},
		{"scalar", `"x"`, `other 1.0 known=false rpc=false`},
		{"lone surrogate", `{"id":"\ud83d","method":"GetTask"}`, `get_task 1.0 known=true rpc=false id="\ud83d" blocking`},
	}
	var rr RequestReader
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var r Request
			if err := rr.Read([]byte(tt.body), &r); err != nil {
				t.Fatal(err)
			}
			if got := r.describe(); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestUnreadableRequests(t *testing.T) {
	tests := []struct {
		name, body string
		known      bool
	}{
		{"empty", "", false},
		{"cut", `{"method":"GetTask"`, true},
		{"no JSON", "{bad", false},
		{"two values", `{"method":"GetTask"}{}`, true},
		{"BOM", "\ufeff{}", false},
		{"NUL", "{\x00}", false},
		{"too deep", strings.Repeat(`{"params":`, 10_001), false},
	}
	var rr RequestReader
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var r Request
			if err := rr.Read([]byte(tt.body), &r); err == nil {
				t.Error("read without an error")
			}
			if r.Known != tt.known {
				t.Errorf("known is %v", r.Known)
			}
		})
	}
}

func FuzzRequestReader(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":"q1","method":"SendMessage","params":{"message":{"taskId":"t1"}}}`,
		`[{"method":"GetTask"}]`, `{"id":1,"method":"x","method":"GetTask"}`, "{bad", `{"\ud83d":1}`,
	} {
		f.Add([]byte(seed))
	}
	var shared RequestReader
	f.Fuzz(func(t *testing.T, body []byte) {
		var fresh RequestReader
		var a, b Request
		errA, errB := shared.Read(body, &a), fresh.Read(body, &b)
		if (errA == nil) != (errB == nil) || a.describe() != b.describe() {
			t.Errorf("a used reader says %s (%v), a new one %s (%v)", a.describe(), errA, b.describe(), errB)
		}
	})
}
