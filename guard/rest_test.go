// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

const plainSend = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"BS-1042"}]}}`

// plainCall makes the exchange of a call in HTTP+JSON; target is verb, path and query.
func plainCall(t testing.TB, g *guard.Guard, target, version, body string) *guard.Exchange {
	t.Helper()
	verb, path, _ := strings.Cut(target, " ")
	path, query, _ := strings.Cut(path, "?")
	in := guard.Request{
		Route: g.Route(verb, path), Query: query, Body: []byte(body), Version: version, Principal: "me", Credentials: true,
	}
	if in.Route.Operation == a2a.Other {
		t.Fatalf("%s is no call", target)
	}
	return g.Inspect(noon, in)
}

func TestPlainCallsAreRead(t *testing.T) {
	tests := []struct{ target, version, body, want string }{
		{"POST /message:stream", "1.0", `{"tenant":"acme","message":{"taskId":"t1","contextId":"c1"}}`, `send_streaming_message 1.0 task="t1" context="c1" tenant="acme"`},
		{"POST /message:send", "", `{"message":{}}`, `send_message 1.0`},
		{"POST /v1/message:send", "", `{"message":{}}`, `send_message 0.3`},
		{"POST /v1/message:send", "1.0", `{"message":{}}`, `send_message 1.0`},
		{"POST /message:send", "0.3", `{"message":{}}`, `send_message 0.3`},
		{"GET /acme/tasks/a%2Fb%22", "1.0", "", `get_task 1.0 task="a/b\"" tenant="acme"`},
		{"GET /tasks/t1?tenant=a+b", "1.0", "", `get_task 1.0 task="t1" tenant="a b"`},
		{"GET /acme/tasks/t1?tenant=b", "1.0", "", `get_task 1.0 task="t1" tenant="acme"`},
		{"POST /v1/message:send", "", `{"request":{"taskId":"t1"}}`, `send_message 0.3 task="t1"`},
		{"POST /tasks/t1:cancel", "1.0", "nonsense", `cancel_task 1.0 task="t1"`},
		{"GET /v1/tasks/t1:subscribe", "", "", `subscribe_to_task 0.3 task="t1"`},
		{"GET /tasks/%ff", "1.0", "", `get_task 1.0`},
		{"POST /tasks/t1/pushNotificationConfigs", "1.0", `{"id":"p1","taskId":"t2"}`, `create_push_config 1.0 task="t1"`},
	}
	for _, tt := range tests {
		t.Run(tt.target, func(t *testing.T) {
			x := plainCall(t, newGuard(t, nil), tt.target, tt.version, tt.body)
			got := fmt.Sprintf("%v %v", x.Operation, x.Dialect)
			for _, id := range []struct {
				name  string
				token a2a.Token
			}{{"task", x.TaskID}, {"context", x.ContextID}, {"tenant", x.Tenant}} {
				if id.token != nil {
					got += fmt.Sprintf(" %s=%s", id.name, id.token)
				}
			}
			if got != tt.want || x.Binding != a2a.REST || !x.Judged() {
				t.Errorf("\n got %s (judged %v, %s)\nwant %s", got, x.Judged(), refusal(x.Refusal), tt.want)
			}
		})
	}
}

func TestBadPlainCallsAreRefused(t *testing.T) {
	tests := []struct {
		name, target, version, body, want string
	}{
		{name: "no JSON", target: "POST /message:send", version: "1.0", body: "{bad",
			want: `400 application/json {"error":{"code":400,"status":"INVALID_ARGUMENT","message":"the request body is not a JSON object (rule jsonrpc-envelope)","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"JSON_PARSE_ERROR","domain":"a2a-protocol.org","metadata":{"rule":"jsonrpc-envelope"}}]}}`},
		{name: "an array", target: "POST /message:send", version: "1.0", body: "[]",
			want: `400 application/json {"error":{"code":400,"status":"INVALID_ARGUMENT","message":"the request body is not a JSON object (rule jsonrpc-envelope)","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"JSON_PARSE_ERROR","domain":"a2a-protocol.org","metadata":{"rule":"jsonrpc-envelope"}}]}}`},
		{name: "no JSON, 0.3", target: "POST /v1/message:stream", body: "",
			want: `400 application/json {"code":-32700,"message":"the request body is not a JSON object (rule jsonrpc-envelope)"}`},
		{name: "a key twice", target: "POST /message:stream", version: "1.0", body: `{"message":{},"message":{}}`,
			want: `400 application/json {"error":{"code":400,"status":"INVALID_ARGUMENT","message":"the request holds one key twice (rule duplicate-json-keys)","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INVALID_REQUEST","domain":"a2a-protocol.org","metadata":{"rule":"duplicate-json-keys"}}]}}`},
		{name: "both names of the message", target: "POST /v1/message:send", body: `{"message":{},"request":{}}`,
			want: `400 application/json {"code":-32600,"message":"the request holds two spellings of one field (rule case-variant-keys)"}`},
		{name: "an odd path", target: "POST /x/../message:send", version: "1.0", body: plainSend,
			want: `404 application/json {"error":{"code":404,"status":"NOT_FOUND","message":"the path can be read in more than one way; write it as A2A has it, in lower case and without dot segments, parameters or encoded slashes (rule route-normalisation)","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"METHOD_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"rule":"route-normalisation"}}]}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := plainCall(t, newGuard(t, nil), tt.target, tt.version, tt.body)
			if x.Refusal == nil {
				t.Fatal("it is not refused")
			}
			if got := fmt.Sprintf("%d %s %s", x.Refusal.Status, x.Refusal.ContentType, x.Refusal.Body); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
			if observed := plainCall(t, newGuard(t, profiles["observe"]), tt.target, tt.version, tt.body); observed.Refusal != nil || len(observed.Violations) != 1 {
				t.Errorf("under observe: %s, %+v", refusal(observed.Refusal), observed.Violations)
			}
		})
	}
}

func TestPlainAnswersAreJudged(t *testing.T) {
	const task = `{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}`
	tests := []struct {
		name, target, version string
		status                int // 200 if none is given
		contentType, body     string
		reply                 string // "none" if none is given
		rules                 string
	}{
		{name: "a Task", target: "GET /tasks/t1", version: "1.0", body: task},
		{name: "a wrapped Task", target: "POST /message:send", version: "1.0", body: `{"task":` + task + `}`},
		{name: "a Task of 0.3", target: "POST /v1/tasks/t1:cancel", body: `{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_CANCELLED"}}`},
		{name: "a deletion", target: "DELETE /tasks/t1/pushNotificationConfigs/p1", version: "1.0", status: 204},
		{name: "an error", target: "GET /tasks/t1", version: "1.0", status: 404, body: `{"error":{"code":404,"status":"NOT_FOUND","message":"x"}}`},
		{name: "an error of 0.3", target: "GET /v1/tasks/t1", status: 404, body: `{"message":"x"}`},
		{name: "an error of a framework", target: "POST /message:send", version: "1.0", status: 422, body: `{"detail":[]}`},
		{name: "a page in place of an error", target: "POST /message:stream", version: "1.0", status: 503, body: "<html>",
			reply: "503 UNAVAILABLE", rules: "http-status-jsonrpc:reject"},
		{name: "a page", target: "POST /message:send", version: "1.0", body: "<html>", reply: "502 INTERNAL", rules: "jsonrpc-envelope:reject"},
		{name: "a page where a Task should be", target: "GET /tasks/t1", version: "1.0", contentType: "text/html", body: "<html>", reply: "502 INTERNAL", rules: "jsonrpc-envelope:reject"},
		{name: "nothing", target: "GET /tasks/t1", version: "1.0", reply: "502 INTERNAL", rules: "jsonrpc-envelope:reject"},
		{name: "a key twice", target: "GET /tasks/t1", version: "1.0", body: `{"id":"t1","id":"t2"}`, reply: "502 INTERNAL", rules: "duplicate-json-keys:reject"},
		{name: "another task", target: "GET /tasks/t2", version: "1.0", body: task, rules: "task-id-matches-request:would_end"},
		{name: "an envelope", target: "GET /tasks/t1", version: "1.0", body: `{"jsonrpc":"2.0","id":1,"result":` + task + `}`, rules: "jsonrpc-envelope:would_end"},
		{name: "another application's list", target: "GET /tasks", body: `[{"title":"buy milk"}]`},
		{name: "another application's refusal", target: "GET /tasks/5", status: 404, body: `"no such task"`},
		{name: "another application's task, spelt its way", target: "GET /Tasks/5", body: `{"title":"buy milk"}`},
		{name: "another application's parameter", target: "GET /shop/tasks/5;v=1", contentType: "text/html", body: "<html>"},
		{name: "a key twice in what may be a Task", target: "GET /Tasks/t1", body: `{"id":"t1","id":"t2"}`, reply: "502 INTERNAL", rules: "duplicate-json-keys:reject"},
		{name: "a Task whose id the path may mean", target: "GET /tasks/t1;v=1", body: task},
		{name: "another application's nothing", target: "GET /tasks/5", status: 204},
		{name: "another application's page", target: "GET /shop/tasks/5", contentType: "text/html", body: "<html>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := plainCall(t, newGuard(t, nil), tt.target, tt.version, plainSend)
			head := guard.Head{Status: tt.status, ContentType: tt.contentType}
			if head.Status == 0 {
				head.Status = 200
			}
			var reply *guard.Reply
			if plan, _ := x.Respond(head); plan == guard.CollectBody {
				reply = x.Judge(noon, head, []byte(tt.body)).Reply
			}
			got := ""
			if reply != nil {
				_, after, _ := strings.Cut(string(reply.Body), `"status":"`)
				name, _, _ := strings.Cut(after, `"`)
				got = fmt.Sprintf("%d %s", reply.Status, name)
			}
			if got != tt.reply {
				t.Errorf("the reply is %q, not %q", got, tt.reply)
			}
			var rules []string
			for _, v := range x.Violations {
				if !v.Rule.Info().Notice {
					rules = append(rules, fmt.Sprintf("%v:%v", v.Rule, v.Decision))
				}
			}
			if got := strings.Join(rules, " "); got != tt.rules {
				t.Errorf("rules %q, not %q", got, tt.rules)
			}
		})
	}
}

// plainStream begins the stream that answers a call in HTTP+JSON.
func plainStream(t testing.TB, g *guard.Guard, target, version string) *guard.Stream {
	t.Helper()
	x := plainCall(t, g, target, version, plainSend)
	if plan, _ := x.Respond(guard.Head{Status: 200, ContentType: "text/event-stream"}); plan != guard.FollowBody {
		t.Fatalf("an event stream is to be followed, not %v", plan)
	}
	return x.Stream(noon)
}

// envelope matches a JSON-RPC result at the end of a line.
var envelope = regexp.MustCompile(`(?m)\{"jsonrpc":"2.0","id":"q[12]","result":(.*)\}$`)

// plain takes the envelopes off a stream.
func plain(body string) string { return envelope.ReplaceAllString(body, "$1") }

func TestGoodPlainStreamsPassByteIdentical(t *testing.T) {
	const proto = `data: {"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}}` + "\n\n" +
		`data: {"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"a","parts":[{"text":"x"}]},"lastChunk":true}}` + "\n\n" +
		`data: {"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_CANCELLED"},"final":true}}` + "\n\n"
	tests := []struct{ name, target, version, body string }{
		{"1.0", "POST /message:stream", "1.0", plain(bodies[0])},
		{"1.0 error", "POST /message:stream", "1.0", "event: error\ndata: {\"error\":{\"code\":500}}\n\n"},
		{"0.3", "POST /v1/message:stream", "", proto},
		{"0.3 over lines", "GET /v1/tasks/t1:subscribe", "", strings.ReplaceAll(proto, `"contextId"`, "\ndata:  \"contextId\"")},
		{"0.3 error", "POST /v1/message:stream", "", "event: error\ndata: {\"code\":-32001,\"message\":\"x\"}\n\n"},
		{"0.3 with kinds", "POST /v1/message:stream", "", `data: {"kind":"task","id":"t1","contextId":"c1","status":{"state":"working"}}` + "\n\n" +
			`data: {"kind":"status-update","taskId":"t1","contextId":"c1","status":{"state":"completed"},"final":true}` + "\n\n"},
	}
	for _, tt := range tests {
		for _, name := range []string{"standard", "observe"} {
			t.Run(name+"/"+tt.name, func(t *testing.T) {
				r := play(t, plainStream(t, newGuard(t, profiles[name]), tt.target, tt.version), []byte(tt.body), nil, guard.EOF)
				if got := r.out.String(); got != tt.body {
					t.Errorf("\n got %q (%s)\nwant %q", got, r.reply, tt.body)
				}
				for _, v := range r.verdicts {
					if strings.Contains(v, ":") {
						t.Errorf("a rule is broken: %s", v)
					}
				}
			})
		}
	}
}

// TestUnfinishedPlainStreamsEndInTheirShape has a WORKING task whose stream ends.
func TestUnfinishedPlainStreamsEndInTheirShape(t *testing.T) {
	const (
		v10   = `data: {"task":{"id":"t/1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}}` + "\n\n"
		kinds = `data: {"kind":"task","id":"t/1","contextId":"c1","status":{"state":"working"}}` + "\n\n"
	)
	tests := []struct {
		name, target, version, begins string
		need, answer, want            string
	}{
		{"1.0 error", "POST /acme/message:stream", "1.0", v10, "GET /acme/tasks/t%2F1", "",
			"event: error\ndata: " + `{"error":{"code":500,"status":"INTERNAL","message":"the agent ended the stream without a final status; the task may still run, call GetTask or subscribe to it (task t/1, rule missing-final-status)","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INVALID_AGENT_RESPONSE","domain":"a2a-protocol.org","metadata":{"rule":"missing-final-status","taskId":"t/1"}}]}}` + "\n\n"},
		{"0.3 error", "POST /v1/message:stream", "", v10, "GET /v1/tasks/t%2F1", "",
			"event: error\ndata: " + `{"code":-32006,"message":"the agent ended the stream without a final status; the task may still run, call GetTask or subscribe to it (task t/1, rule missing-final-status)"}` + "\n\n"},
		{"1.0 settled", "POST /message:stream", "1.0", v10, "GET /tasks/t%2F1", `{"id":"t/1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"text":"x"}]}]}`,
			`data: {"artifactUpdate":{"taskId":"t/1","contextId":"c1","artifact":{"artifactId":"a","parts":[{"text":"x"}]},"append":false,"lastChunk":true}}` + "\n\n" +
				`data: {"statusUpdate":{"taskId":"t/1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}}` + "\n\n"},
		{"0.3 settled", "POST /v1/message:stream", "", v10, "GET /v1/tasks/t%2F1", `{"id":"t/1","contextId":"c1","status":{"state":"TASK_STATE_CANCELLED"}}`,
			`data: {"statusUpdate":{"taskId":"t/1","contextId":"c1","status":{"state":"TASK_STATE_CANCELLED"},"final":true}}` + "\n\n"},
		{"0.3 with kinds settled", "POST /v1/message:stream", "", kinds, "GET /v1/tasks/t%2F1", `{"kind":"task","id":"t/1","contextId":"c1","status":{"state":"failed"}}`,
			`data: {"kind":"status-update","taskId":"t/1","contextId":"c1","status":{"state":"failed"},"final":true}` + "\n\n"},
		{"0.3 answered with a kind", "POST /v1/message:stream", "", v10, "GET /v1/tasks/t%2F1", `{"kind":"task","id":"t/1","contextId":"c1","status":{"state":"canceled"}}`,
			`data: {"statusUpdate":{"taskId":"t/1","contextId":"c1","status":{"state":"TASK_STATE_CANCELLED","timestamp":"2026-11-02T12:00:00.000Z"},"final":true}}` + "\n\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := plainStream(t, newGuard(t, nil), tt.target, tt.version)
			s.Feed(noon, []byte(tt.begins))
			need := s.Close(noon, guard.EOF).Need
			if need == nil || need.Verb+" "+need.Path != tt.need || need.Body != nil {
				t.Fatalf("it needs %+v", need)
			}
			step := s.Settle(noon, guard.Answer{Serial: need.Serial, Status: 200, Body: []byte(tt.answer)})
			if got := string(step.Out); got != tt.want || !step.End {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestAnEmptyPlainStreamIsABadGateway(t *testing.T) {
	for _, body := range []string{"", ": hi\n\n", "data: {}\n\n", "data:\n\n"} {
		s := plainStream(t, newGuard(t, nil), "POST /message:stream", "1.0")
		s.Feed(noon, []byte(body))
		if reply := s.Close(noon, guard.EOF).Reply; reply == nil || reply.Status != 502 || reply.ContentType != "application/json" {
			t.Errorf("after %q comes %s", body, refusal(reply))
		}
	}
}

func TestAQuestionCancelsInHTTPJSON(t *testing.T) {
	g := newGuard(t, profiles["canceling"])
	s := plainStream(t, g, "POST /v1/message:stream", "")
	s.Feed(noon, []byte(plain(frame(task("WORKING")))))
	step := s.Settle(noon, guard.Answer{Serial: s.Close(noon, guard.EOF).Need.Serial})
	if n := step.Need; n == nil || n.Verb != "POST" || n.Path != "/v1/tasks/t1:cancel" || string(n.Body) != "{}" {
		t.Errorf("it needs %+v", step.Need)
	}
}

func FuzzPlainStream(f *testing.F) {
	for i, body := range bodies {
		f.Add([]byte(plain(body)), uint8(i))
		f.Add([]byte(body), uint8(i))
	}
	f.Fuzz(func(t *testing.T, body []byte, mode uint8) {
		version := []string{"1.0", "0.3"}[mode%2]
		change := profiles[[]string{"standard", "strict", "observe"}[mode/2%3]]
		whole := play(t, plainStream(t, newGuard(t, change), "POST /message:stream", version), body, nil, guard.EOF).String()
		if got := play(t, plainStream(t, newGuard(t, change), "POST /message:stream", version), body, everyByte(body), guard.EOF).String(); got != whole {
			t.Errorf("byte by byte:\n%s\nwhole:\n%s", got, whole)
		}
	})
}

func FuzzPlainRequest(f *testing.F) {
	f.Add("/message:send", "", plainSend)
	f.Add("/tasks/t1", "historyLength=2&tenant=%41&&=", "")
	f.Add("/acme/tasks/t1/pushNotificationConfigs", "", `{"id":"p","taskId":"t1"}`)
	f.Fuzz(func(t *testing.T, path, query, body string) {
		g := newGuard(t, nil)
		for _, verb := range []string{"GET", "POST", "DELETE"} {
			route := g.Route(verb, path)
			if route.Operation == a2a.Other {
				continue
			}
			x := g.Inspect(noon, guard.Request{Route: route, Query: query, Body: []byte(body), Credentials: true})
			if x.Operation != route.Operation || x.Binding != a2a.REST || route.Odd && route.Certain && x.Refusal == nil {
				t.Errorf("%s %s is read as %+v", verb, path, x)
			}
		}
	})
}
