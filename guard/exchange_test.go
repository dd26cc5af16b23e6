// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// refusal renders a refusal in one line, the ErrorInfo left out.
func refusal(r *guard.Reply) string {
	if r == nil {
		return "none"
	}
	body, _, _ := strings.Cut(string(r.Body), `,"data":[`)
	return fmt.Sprintf("%d %s %s", r.Status, r.ContentType, body)
}

func TestBadRequestsAreRefused(t *testing.T) {
	tests := []struct {
		name string
		in   guard.Request
		want string
		rule string
	}{
		{"no JSON", guard.Request{Body: []byte("{bad"), RPCPath: true},
			`200 application/json {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the request body is not valid JSON (rule jsonrpc-envelope)"`, "jsonrpc-envelope:reject"},
		{"nothing", guard.Request{RPCPath: true},
			`200 application/json {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the request body is not valid JSON (rule jsonrpc-envelope)"`, "jsonrpc-envelope:reject"},
		{"a scalar", guard.Request{Body: []byte(`"x"`), RPCPath: true},
			`200 application/json {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the request body is not a JSON-RPC request object (rule jsonrpc-envelope)"`, "jsonrpc-envelope:reject"},
		{"an object of another kind keeps its id", guard.Request{Body: []byte(`{"id":7}`), RPCPath: true},
			`200 application/json {"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"the request body is not a JSON-RPC request object (rule jsonrpc-envelope)"`, "jsonrpc-envelope:reject"},
		{"a batch", guard.Request{Body: []byte(`[{"jsonrpc":"2.0","id":1,"method":"x"}]`), RPCPath: true},
			`200 application/json {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not part of A2A; send one call in one request (rule jsonrpc-envelope)"`, "jsonrpc-envelope:reject"},
		{"a batch with a call, anywhere", guard.Request{Body: []byte(`[{"jsonrpc":"2.0","id":1,"method":"GetTask"}]`)},
			`200 application/json {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not part of A2A; send one call in one request (rule jsonrpc-envelope)"`, "jsonrpc-envelope:reject"},
		{"a cut call, anywhere", guard.Request{Body: []byte(`{"id":1,"method":"GetTask"`)},
			`200 application/json {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the request body is not valid JSON (rule jsonrpc-envelope)"`, "jsonrpc-envelope:reject"},
		{"a boolean id", guard.Request{Body: []byte(`{"id":true,"method":"GetTask"}`)},
			`200 application/json {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the request id must be a string or a number (rule jsonrpc-envelope)"`, "jsonrpc-envelope:reject"},
		{"a key twice", guard.Request{Body: []byte(`{"id":1.0,"method":"GetTask","params":{"id":"a","id":"b"}}`)},
			`200 application/json {"jsonrpc":"2.0","id":1.0,"error":{"code":-32600,"message":"the request holds one key twice (task b, rule duplicate-json-keys)"`, "duplicate-json-keys:reject"},
		{"two spellings, to a streaming call", guard.Request{Body: []byte(`{"id":"q","method":"message/stream","params":{"message":{"taskId":"a","task_id":"a"}}}`)},
			`200 text/event-stream data: {"jsonrpc":"2.0","id":"q","error":{"code":-32600,"message":"the request holds two spellings of one field (task a, rule case-variant-keys)"}}` + "\n\n", "case-variant-keys:reject"},
		{"compressed", guard.Request{Encoded: true, RPCPath: true},
			`415 application/json {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the request body is compressed; send it without Content-Encoding (rule content-type-request)"`, "content-type-request:reject"},
		{"too large", guard.Request{Body: []byte(`{"id":5,"method":"SendMessage","params":{"x":"`), Truncated: true},
			`413 application/json {"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"the request body is larger than this server accepts; send large content as a URL (rule oversize-request)"`, "oversize-request:reject"},
		{"too large to tell", guard.Request{Body: []byte(` {"params":{"x":"`), Truncated: true},
			`413 application/json {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the request body is larger than this server accepts; send large content as a URL (rule oversize-request)"`, "oversize-request:reject"},
		{"broken off where it looks whole", guard.Request{Body: []byte(`{"id":5,"method":"GetTask"}`), Broken: true},
			`200 application/json {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the request body is not valid JSON (rule jsonrpc-envelope)"`, "jsonrpc-envelope:reject"},
		{"late", guard.Request{Body: []byte(`{"id":5,`), Late: true, RPCPath: true},
			`408 application/json {"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"the request body did not arrive in time; send the call again (rule late-request)"`, "late-request:reject"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Version = "1.0"
			x := newGuard(t, nil).Inspect(noon, tt.in)
			if x == nil {
				t.Fatal("it is taken for no call")
			}
			if got := refusal(x.Refusal); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
			if len(x.Violations) != 1 || fmt.Sprintf("%v:%v", x.Violations[0].Rule, x.Violations[0].Decision) != tt.rule {
				t.Errorf("violations %+v", x.Violations)
			}
			observed := newGuard(t, profiles["observe"]).Inspect(noon, tt.in)
			if observed.Refusal != nil || len(observed.Violations) != 1 {
				t.Errorf("under observe: %s, %+v", refusal(observed.Refusal), observed.Violations)
			}
		})
	}
}

func TestWhatIsNoCallPasses(t *testing.T) {
	for _, body := range []string{"", "{bad", `"x"`, "[]", `[{"a":1}]`, `{"name":"x"}`, `{"id":1}`, "hello"} {
		if x := newGuard(t, nil).Inspect(noon, guard.Request{Body: []byte(body)}); x != nil {
			t.Errorf("%q is taken for a call", body)
		}
	}
	x := newGuard(t, nil).Inspect(noon, guard.Request{Body: []byte(`{"jsonrpc":"2.0","id":1,"method":"tasks/send"}`)})
	if x == nil || x.Judged() || x.Refusal != nil || x.Operation != a2a.Other {
		t.Errorf("an unknown method is to pass unjudged: %+v", x)
	}
	x = newGuard(t, profiles["strict"]).Inspect(noon, guard.Request{Body: []byte(`{"jsonrpc":"2.0","id":1,"method":"tasks/send"}`)})
	if got, want := refusal(x.Refusal), `200 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method is not part of A2A (rule unknown-method)"}}`; got != want {
		t.Errorf("strict\n got %s\nwant %s", got, want)
	}
}

func TestATerminalTaskTakesNoMoreCallsInStrict(t *testing.T) {
	const to = `{"id":1,"method":"%s","params":{"id":"t1","message":{"taskId":"t1"}}}`
	tests := []struct{ method, principal, want string }{
		{"SendMessage", "me", `200 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"the task is terminal and takes no more messages; start a new task in the same context (task t1, rule send-to-terminal)"`},
		{"message/send", "me", `200 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"the task is terminal and takes no more messages; start a new task in the same context (task t1, rule send-to-terminal)"}}`},
		{"SubscribeToTask", "me", "200 text/event-stream data: " + `{"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"the task is terminal and has no more events; call GetTask (task t1, rule subscribe-terminal)"`},
		{"GetTask", "me", "none"},
		{"CancelTask", "me", "none"},
		{"SendMessage", "another", "none"},
		{"SendMessage", "", "none"},
	}
	for _, tt := range tests {
		for _, profile := range []string{"strict", "standard"} {
			t.Run(profile+"/"+tt.method+"/"+tt.principal, func(t *testing.T) {
				g := newGuard(t, profiles[profile])
				s := g.Inspect(noon, guard.Request{Body: []byte(sendStream), Version: "1.0", Principal: "me"}).Stream(noon)
				s.Feed(noon, []byte(frame(task("WORKING"))+frame(status("COMPLETED"))))
				x := g.Inspect(noon, guard.Request{Body: fmt.Appendf(nil, to, tt.method), Version: "1.0", Principal: tt.principal})
				want := tt.want
				if profile == "standard" {
					want = "none"
				}
				if got := refusal(x.Refusal); got != want {
					t.Errorf("\n got %s\nwant %s", got, want)
				}
			})
		}
	}
}

func TestHeadsArePlanned(t *testing.T) {
	const unary = `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1"}}`
	tests := []struct {
		name    string
		request string
		head    guard.Head
		plan    guard.Plan
	}{
		{"a stream", sendStream, guard.Head{Status: 200, ContentType: "Text/Event-Stream;charset=UTF-8"}, guard.FollowBody},
		{"a stream to a unary call", unary, guard.Head{Status: 200, ContentType: "text/event-stream"}, guard.FollowBody},
		{"JSON to a streaming call", sendStream, guard.Head{Status: 200, ContentType: "application/json"}, guard.CollectBody},
		{"JSON without a type", sendStream, guard.Head{Status: 200}, guard.CollectBody},
		{"lines of JSON", sendStream, guard.Head{Status: 200, ContentType: "application/x-ndjson"}, guard.RefuseBody},
		{"a login page", sendStream, guard.Head{Status: 200, ContentType: "text/html"}, guard.RefuseBody},
		{"an unreadable type", sendStream, guard.Head{Status: 200, ContentType: ";;"}, guard.RefuseBody},
		{"an answer", unary, guard.Head{Status: 200, ContentType: "application/a2a+json"}, guard.CollectBody},
		{"a page to a unary call", unary, guard.Head{Status: 200, ContentType: "text/html"}, guard.CollectBody},
		{"no authentication", sendStream, guard.Head{Status: 401, ContentType: "application/json"}, guard.PassBody},
		{"no permission", unary, guard.Head{Status: 403, ContentType: "text/html"}, guard.PassBody},
		{"elsewhere", unary, guard.Head{Status: 307}, guard.PassBody},
		{"a failure", sendStream, guard.Head{Status: 502, ContentType: "text/html"}, guard.CollectBody},
		{"an error that says it is a stream", sendStream, guard.Head{Status: 500, ContentType: "text/event-stream"}, guard.CollectBody},
		{"compressed", sendStream, guard.Head{Status: 200, ContentType: "text/event-stream", Encoding: "gzip"}, guard.RefuseBody},
		{"not really compressed", sendStream, guard.Head{Status: 200, ContentType: "text/event-stream", Encoding: "identity"}, guard.FollowBody},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := newGuard(t, nil).Inspect(noon, guard.Request{Body: []byte(tt.request), Version: "1.0"})
			plan, reply := x.Respond(tt.head)
			if plan != tt.plan || (reply != nil) != (tt.plan == guard.RefuseBody) {
				t.Errorf("got %v with %s", plan, refusal(reply))
			}
		})
	}
}

func TestWholeAnswersAreJudged(t *testing.T) {
	const unary = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"taskId":"t1"}}}`
	const ok = `{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}}}`
	tests := []struct {
		name    string
		request string
		status  int
		body    string
		reply   string // "none" if the answer passes
		changed string // the body that goes out instead
		rules   string
	}{
		{name: "good", body: ok},
		{name: "an error", body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"x"}}`},
		{name: "an error that could not read the id", body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`},
		{name: "another id", body: strings.Replace(ok, `"id":1`, `"id":2`, 1), changed: ok, rules: "jsonrpc-id:rewrite"},
		{name: "the same id, written otherwise", body: strings.Replace(ok, `"id":1`, `"id":1.0`, 1)},
		{name: "no id", body: strings.Replace(ok, `"id":1,`, ``, 1), changed: strings.Replace(ok, `"jsonrpc":"2.0","id":1`, `"id":1,"jsonrpc":"2.0"`, 1), rules: "jsonrpc-id:rewrite"},
		{name: "result and error", body: `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":-32001,"message":"x"}}`, changed: `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"x"}}`, rules: "jsonrpc-envelope:rewrite unknown-task:observe"},
		{name: "neither", body: `{"jsonrpc":"2.0","id":1}`, reply: `200 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32006,"message":"the agent's answer has neither result nor error (task t1, rule jsonrpc-envelope)"`, rules: "jsonrpc-envelope:reject"},
		{name: "neither, as Go answers a deletion", request: `{"jsonrpc":"2.0","id":1,"method":"DeleteTaskPushNotificationConfig","params":{}}`, body: `{"jsonrpc":"2.0","id":1}`},
		{name: "a page", body: "<html>", reply: `200 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32006,"message":"the agent's answer is not a JSON object (task t1, rule jsonrpc-envelope)"`, rules: "jsonrpc-envelope:reject"},
		{name: "a key twice", body: `{"jsonrpc":"2.0","id":1,"result":{},"result":{}}`, reply: `200 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32006,"message":"the agent's answer holds one key twice (task t1, rule duplicate-json-keys)"`, rules: "duplicate-json-keys:reject"},
		{name: "no version", body: strings.Replace(ok, `"jsonrpc":"2.0",`, ``, 1), rules: "jsonrpc-envelope:would_end"},
		{name: "still at work", body: strings.Replace(ok, "COMPLETED", "WORKING", 1), rules: "blocking-nonterminal:would_answer"},
		{name: "another task", body: strings.Replace(ok, `"t1"`, `"t2"`, 1), rules: "task-id-matches-request:would_end"},
		{name: "a failure with an envelope", status: 500, body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x"}}`, rules: "http-status-jsonrpc:observe error-redaction:would_rewrite"},
		{name: "a failure with a REST error", status: 404, body: `{"error":{"code":404,"status":"NOT_FOUND"}}`},
		{name: "a failure without", status: 404, body: "agent not found", reply: `404 application/json {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the agent has nothing at this URL; check it against the agent's card (task t1, rule http-status-jsonrpc)"`, rules: "http-status-jsonrpc:reject"},
		{name: "a JSON error to a stream", request: sendStream, body: `{"jsonrpc":"2.0","id":"q1","error":{"code":-32602,"message":"x"}}`, rules: "stream-content-type:would_rewrite"},
		{name: "a JSON result to a stream", request: sendStream, body: strings.Replace(ok, `"id":1`, `"id":"q1"`, 1), rules: "stream-content-type:observe"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			request, status := unary, 200
			if tt.request != "" {
				request = tt.request
			}
			if tt.status != 0 {
				status = tt.status
			}
			x := newGuard(t, nil).Inspect(noon, guard.Request{Body: []byte(request), Version: "1.0"})
			j := x.Judge(noon, guard.Head{Status: status, ContentType: "application/json"}, []byte(tt.body))
			want := tt.reply
			if want == "" {
				want = "none"
			}
			if got := refusal(j.Reply); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
			if string(j.Body) != tt.changed {
				t.Errorf("\n got body %s\nwant body %s", j.Body, tt.changed)
			}
			var rules []string
			for _, v := range x.Violations {
				rules = append(rules, fmt.Sprintf("%v:%v", v.Rule, v.Decision))
			}
			if got := strings.Join(rules, " "); got != tt.rules {
				t.Errorf("rules %s, want %s", got, tt.rules)
			}
		})
	}
}

func TestAJSONErrorBecomesAStreamOnRequest(t *testing.T) {
	body := "{\"jsonrpc\":\"2.0\",\"id\":\"q1\",\n\"error\":{\"code\":-32602,\"message\":\"x\"}}"
	want := "200 text/event-stream data: {\"jsonrpc\":\"2.0\",\"id\":\"q1\",\ndata: \"error\":{\"code\":-32602,\"message\":\"x\"}}\n\n"
	for name, change := range map[string]func(*policy.Config){
		"strict":   profiles["strict"],
		"asked to": func(c *policy.Config) { c.StreamErrors = policy.StreamErrorsSSE },
	} {
		x := newGuard(t, change).Inspect(noon, guard.Request{Body: []byte(sendStream), Version: "1.0"})
		if got := refusal(x.Judge(noon, guard.Head{Status: 200}, []byte(body)).Reply); got != want {
			t.Errorf("%s\n got %q\nwant %q", name, got, want)
		}
	}
	x := newGuard(t, func(c *policy.Config) {
		c.Profile, c.StreamErrors = policy.ProfileStrict, policy.StreamErrorsJSON
	}).Inspect(noon, guard.Request{Body: []byte(sendStream), Version: "1.0"})
	if got := refusal(x.Judge(noon, guard.Head{Status: 200}, []byte(body)).Reply); got != "none" {
		t.Errorf("json: %s", got)
	}
}

func TestALateAnswerIsNoneAtOnce(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"%s","params":{"message":{},"configuration":{"returnImmediately":%v,"blocking":%v}}}`
	const answer = `{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}}}`
	tests := []struct {
		name   string
		method string
		atOnce bool
		after  time.Duration
		want   int
	}{
		{"late", "SendMessage", true, 6 * time.Second, 1},
		{"in time", "SendMessage", true, 5 * time.Second, 0},
		{"waited for", "SendMessage", false, time.Hour, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := newGuard(t, profiles["strict"]).Inspect(noon, guard.Request{Body: fmt.Appendf(nil, call, tt.method, tt.atOnce, !tt.atOnce), Version: "1.0"})
			j := x.Judge(noon.Add(tt.after), guard.Head{Status: 200, ContentType: "application/json"}, []byte(answer))
			if j.Reply != nil || j.Body != nil || len(x.Violations) != tt.want {
				t.Errorf("it is changed, or breaks %+v", x.Violations)
			}
		})
	}
}
