// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

func redacting(c *policy.Config) { c.RedactErrors = true }

// withheld are the violations of the rule, as rule:decision.
func withheld(x *guard.Exchange) (found []string) {
	for _, v := range x.Violations {
		if v.Rule == policy.ErrorRedaction {
			found = append(found, fmt.Sprintf("%v:%v %d", v.Rule, v.Decision, v.Withheld.Bytes))
		}
	}
	return found
}

func TestErrorsInPlainAnswersAreWithheld(t *testing.T) {
	const internal = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INTERNAL_ERROR","domain":"a2a-protocol.org"}`
	reason := func(s string) string { return strings.Replace(internal, "INTERNAL_ERROR", s, 1) }
	tests := []struct {
		name, target, version string
		status                int
		body, want            string // the same if none is given
	}{
		{"500", "GET /tasks/t1", "1.0", 500, `{"error":{"code":500,"status":"INTERNAL","message":"KeyError: 'x'","details":[` + internal + `,"trace"]}}`,
			`{"error":{"code":500,"status":"INTERNAL","message":"Internal error","details":[` + internal + `]}}`},
		{"500 by its reason", "POST /message:send", "1.0", 400, `{"error":{"message":"boom","details":[` + reason("INVALID_AGENT_RESPONSE") + `]}}`,
			`{"error":{"message":"Invalid agent response","details":[` + reason("INVALID_AGENT_RESPONSE") + `]}}`},
		{"500 of another reason", "GET /tasks/t1", "1.0", 500, `{"error":{"code":500,"status":"INTERNAL","message":"no push","details":[` + reason("PUSH_NOTIFICATION_NOT_SUPPORTED") + `]}}`, ""},
		{"404", "GET /tasks/t1", "1.0", 404, `{"error":{"code":404,"status":"NOT_FOUND","message":"no such task: KeyError: 't1'"}}`, ""},
		{"501", "GET /tasks/t1", "1.0", 501, `{"error":{"code":501,"status":"UNIMPLEMENTED","message":"not here"}}`, ""},
		{"500 of 0.3", "GET /v1/tasks/t1", "", 500, `{"message":"KeyError: 'x'"}`, `{"message":"Internal error"}`},
		{"502 of 0.3", "GET /v1/tasks/t1", "", 502, `{"message":"bad agent","type":"X"}`, `{"message":"Internal error"}`},
		{"a code of 0.3", "GET /v1/tasks/t1", "", 500, `{"code":-32006,"message":"boom"}`, `{"code":-32006,"message":"Invalid agent response"}`},
		{"another code of 0.3", "GET /v1/tasks/t1", "", 500, `{"code":-32004,"message":"not supported"}`, ""},
		{"404 of 0.3", "GET /v1/tasks/t1", "", 404, `{"message":"no such task"}`, ""},
		{"a framework's own", "POST /message:send", "1.0", 500, `{"detail":"KeyError: 'x'"}`,
			`{"error":{"code":500,"status":"INTERNAL","message":"Internal error","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INTERNAL_ERROR","domain":"a2a-protocol.org","metadata":{}}]}}`},
		{"a framework's own, about the request", "POST /message:send", "1.0", 422, `{"detail":"KeyError: 'x'"}`, ""},
		{"another application's", "GET /tasks/t1", "", 500, `{"reason":"boom"}`, ""},
		{"nothing to withhold", "GET /tasks/t1", "1.0", 500, `{"error":{"code":500,"status":"INTERNAL","message":"Internal error."}}`, ""},
		{"a failed task", "GET /tasks/t1", "1.0", 200, `{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_FAILED","message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"goroutine 7 [running]:"}]}}}`,
			`{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_FAILED","message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"Internal error"}]}}}`},
		{"a failed task of 0.3", "GET /v1/tasks/t1", "", 200, `{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_FAILED","message":{"message_id":"m","role":"ROLE_AGENT","content":[{"text":"E: File \"/x.py\", line 3"}]}}}`,
			`{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_FAILED","message":{"message_id":"m","role":"ROLE_AGENT","content":[{"text":"Internal error"}]}}}`},
		{"a list", "GET /tasks", "1.0", 200,
			`{"tasks":[{"id":"t1","status":{"state":"TASK_STATE_WORKING"}},{"id":"t2","status":{"state":"TASK_STATE_FAILED","message":{"parts":[{"text":"panic: x"}]}}},{"id":"t3","status":{"state":"TASK_STATE_FAILED","message":{"parts":[{"text":"panic: y"}]}}}],"nextPageToken":""}`,
			`{"tasks":[{"id":"t1","status":{"state":"TASK_STATE_WORKING"}},{"id":"t2","status":{"state":"TASK_STATE_FAILED","message":{"parts":[{"text":"Internal error"}]}}},{"id":"t3","status":{"state":"TASK_STATE_FAILED","message":{"parts":[{"text":"Internal error"}]}}}],"nextPageToken":""}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := plainCall(t, newGuard(t, redacting), tt.target, tt.version, plainSend)
			j := x.Judge(noon, guard.Head{Status: tt.status, ContentType: guard.TypeJSON}, []byte(tt.body))
			if j.Reply != nil || string(j.Body) != tt.want {
				t.Errorf("\n got %s (%v)\nwant %s", j.Body, refusal(j.Reply), tt.want)
			}
			if found := withheld(x); len(found) != min(len(tt.want), 1) {
				t.Errorf("reported is %q", found)
			}
			watching := plainCall(t, newGuard(t, nil), tt.target, tt.version, plainSend)
			if j := watching.Judge(noon, guard.Head{Status: tt.status, ContentType: guard.TypeJSON}, []byte(tt.body)); j.Body != nil || j.Reply != nil {
				t.Errorf("without the option it becomes %s", j.Body)
			}
		})
	}
}

func TestErrorsInPlainStreamsAreWithheld(t *testing.T) {
	working := `data: {"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}}` + "\n\n"
	tests := []struct{ name, target, version, event, want string }{
		{"1.0", "POST /message:stream", "1.0", "event: error\ndata: " + `{"error":{"code":500,"status":"INTERNAL","message":"boom"}}`,
			"event: error\ndata: " + `{"error":{"code":500,"status":"INTERNAL","message":"Internal error"}}`},
		{"0.3", "POST /v1/message:stream", "", `data: {"message":"boom"}`, `data: {"message":"Internal error"}`},
		{"over lines", "POST /v1/message:stream", "", "data: {\ndata: \"message\":\"boom\"\ndata: }", `data: {"message":"Internal error"}`},
		{"of the agent's own shape", "POST /message:stream", "1.0", "event: error\ndata: " + `{"detail":"boom"}`,
			"event: error\ndata: " + `{"error":{"code":500,"status":"INTERNAL","message":"Internal error","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INTERNAL_ERROR","domain":"a2a-protocol.org","metadata":{}}]}}`},
		{"one that helps", "POST /v1/message:stream", "", `data: {"code":-32004,"message":"not supported"}`, `data: {"code":-32004,"message":"not supported"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body, want := working+tt.event+"\n\n", working+tt.want+"\n\n"
			for _, cuts := range [][]int{nil, {len(working) + 5}} {
				r := play(t, plainStream(t, newGuard(t, redacting), tt.target, tt.version), []byte(body), cuts, guard.EOF)
				if got := r.out.String(); got != want {
					t.Errorf("\n got %q\nwant %q", got, want)
				}
			}
		})
	}
}

func TestErrorsWithoutACodeOrAVersionAreWithheld(t *testing.T) {
	for _, tt := range []struct {
		status     int
		body, want string
	}{
		{200, `{"jsonrpc":"2.0","id":1,"error":{"message":"boom"}}`, `{"jsonrpc":"2.0","id":1,"error":{"message":"Internal error"}}`},
		{200, `{"jsonrpc":"2.0","id":1,"error":{"code":"-32603","message":"boom"}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":"-32603","message":"Internal error"}}`},
		{500, `{"error":{"code":500,"message":"boom"}}`, `{"error":{"code":500,"message":"Internal error"}}`},
		{404, `{"error":{"code":404,"message":"not here"}}`, ``},
		{500, `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no such task"}}`, ``},
	} {
		x := newGuard(t, redacting).Inspect(noon, guard.Request{Body: []byte(`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1"}}`), Version: "1.0"})
		if j := x.Judge(noon, guard.Head{Status: tt.status, ContentType: guard.TypeJSON}, []byte(tt.body)); string(j.Body) != tt.want || j.Reply != nil {
			t.Errorf("%d %s becomes\n%s (%s), not\n%s", tt.status, tt.body, j.Body, refusal(j.Reply), tt.want)
		}
	}
}

// TestTracesAreTold tells what programs print of a failure from what people say.
func TestTracesAreTold(t *testing.T) {
	traces := []string{
		"Traceback (most recent call last):\n  File \"/srv/app/x.py\", line 9\nKeyError: 'db_url'", "Handler failed: KeyError('db_url')", "ValueError: x",
		"requests.exceptions.ConnectionError", "java.lang.NullPointerException", "x\n\tat com.shop.Order.find(Order.java:42)", "at sun.misc.X(Native Method) java.io.IOException: x",
		"TypeError: Cannot read properties of undefined (reading 'id')\n    at Object.<anonymous> (/srv/index.js:9:3)", "cannot read property 'x' of null",
		"panic: runtime error: index out of range\n\ngoroutine 1 [running]:", "thread 'main' panicked at src/main.rs:2:5", "app.rb:12:in `find'",
		"System.InvalidOperationException: x\n   at Shop.Orders.Find(Int32 id) in C:\\src\\Orders.cs:line 42", "'NoneType' object has no attribute 'id'", "failed in /srv/app/orders/find.py:12", "Stack trace: x",
	}
	words := []string{
		"The order 4711 was shipped already.", "Error: no such order.", "An exception was made for you.", "An error occurred at 9:30.", "I looked at every file (orders.py, find.js) and found nothing.",
		"You asked about OrderError. It is raised at the end.", "No panic, we are at line 9.", "Meet me at shop.example.com:443.", "Look at https://shop.example.com/orders/find.html", "The query failed: timeout after 30 s",
		"See main.go:42 for how it works.", "The answer is in C:\\orders.txt:7.", "Ask for the goroutine pool.", "errors.New is a function, MyError is a type.", "", ":", "Error:", "(Exception)",
	}
	for _, text := range append(traces, words...) {
		x := plainCall(t, newGuard(t, redacting), "GET /tasks/t1", "1.0", "")
		body := fmt.Appendf(nil, `{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_FAILED","message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":%q}]}}}`, text)
		j := x.Judge(noon, guard.Head{Status: 200, ContentType: guard.TypeJSON}, body)
		isTrace := len(withheld(x)) > 0
		want := false
		for _, trace := range traces {
			want = want || trace == text
		}
		if isTrace != want || (j.Body != nil) != want {
			t.Errorf("%q: withheld %v", text, isTrace)
		}
	}
}

func TestWhatIsCutFromHistoryIsNotReplacedThere(t *testing.T) {
	message := `{"messageId":"m2","role":"ROLE_AGENT","parts":[{"text":"panic: x"}]}`
	body := `{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_FAILED","message":` + message + `},"history":[` + message + `,` + message + `]}`
	for length, want := range map[string]string{
		"0": `{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_FAILED","message":M}}`,
		"1": `{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_FAILED","message":M},"history":[M]}`,
		"2": `{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_FAILED","message":M},"history":[M,M]}`,
	} {
		x := plainCall(t, newGuard(t, profiles["strict"]), "GET /tasks/t1?historyLength="+length, "1.0", "")
		j := x.Judge(noon, guard.Head{Status: 200, ContentType: guard.TypeJSON}, []byte(body))
		if want = strings.ReplaceAll(want, "M", strings.Replace(message, "panic: x", "Internal error", 1)); string(j.Body) != want {
			t.Errorf("of %s messages remains\n%s\nnot\n%s", length, j.Body, want)
		}
	}
}
