// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// unanswered is a stream whose agent has closed it without its end; question is
// what the guard then asks.
func (s *server) unanswered(t testing.TB, a *agent, path string, set ...func(*http.Request)) (client *answer, first, question *call) {
	t.Helper()
	c := s.client(t, h1)
	r, leave := c.request(http.MethodPost, path, streamCall, set...)
	answers := c.send(r, leave)
	first = a.next(t).stream().say(taskFrame)
	client = head(t, answers)
	client.expect(taskFrame)
	first.end()
	question = a.next(t)
	if !question.asked() {
		t.Fatalf("the agent gets %s", question.body)
	}
	return client, first, question
}

// settled wants the stream to end with the state that the agent told.
func (a *answer) settled(state string) {
	a.t.Helper()
	if rest := a.rest(); strings.Count(rest, "data: ") != 1 || !strings.Contains(rest, `"state":"TASK_STATE_`+state+`"`) {
		a.t.Errorf("the stream ends with %q", rest)
	}
}

func TestQuestionsGoTheWayOfTheCall(t *testing.T) {
	const marked = `{
	header_up X-Tenant {vars.tenant}
	header_up X-Request {http.request.uuid}
	header_up X-Original {http.request.orig_uri}
	header_up X-Method {http.request.method}
	header_up X-Caller {http.request.header.Authorization}
	header_up X-Remote {http.request.remote.host}
	header_up X-Status {http.reverse_proxy.status_code}
}`
	for _, tt := range []struct{ name, directives, path, want string }{
		{"site", "vars tenant acme\na2a_guard\nreverse_proxy AGENT " + marked, "/rpc?x=1", "/rpc?x=1"},
		{"route with groups", "route {\nvars tenant acme\na2a_guard\nhandle /rpc {\nreverse_proxy AGENT " + marked + "\n}\nhandle {\nrespond 404\n}\n}", "/rpc", "/rpc"},
		{"path stripped before", "vars tenant acme\nhandle_path /desk/* {\na2a_guard\nreverse_proxy AGENT " + marked + "\n}", "/desk/rpc", "/rpc"},
		{"path changed behind", "route {\nvars tenant acme\na2a_guard\nrewrite * /inner{uri}\nreverse_proxy AGENT " + marked + "\n}", "/rpc?x=1", "/inner/rpc?x=1"},
		{"prefix stripped behind", "route {\nvars tenant acme\na2a_guard\nuri strip_prefix /desk\nreverse_proxy AGENT " + marked + "\n}", "/desk/desk/rpc", "/desk/rpc"},
		{"header set behind", "route {\na2a_guard\nvars tenant acme\nrequest_header +X-Seen once\nreverse_proxy AGENT " + marked + "\n}", "/rpc", "/rpc"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := startAgent(t)
			s := serve(t, "log\nlog_append status {http.reverse_proxy.status_code}\n"+strings.ReplaceAll(tt.directives, "AGENT", a.address))
			client, first, question := s.unanswered(t, a, tt.path,
				header("Authorization", "Bearer alice"), header("Cookie", "session=1"), header("A2A-Version", "1.0"), header("Last-Event-ID", "7"))
			for name := range first.Header {
				switch name {
				case "Accept", "Accept-Encoding", "Content-Length", "Last-Event-Id":
				default:
					if got, want := strings.Join(question.Header[name], ", "), strings.Join(first.Header[name], ", "); got != want {
						t.Errorf("the question's %s is %q, the call's %q", name, got, want)
					}
				}
			}
			for name := range question.Header {
				if name != "Accept" && first.Header[name] == nil {
					t.Errorf("the question alone has %s: %q", name, question.Header[name])
				}
			}
			if first.RequestURI != tt.want || question.RequestURI != tt.want || question.Method != http.MethodPost || question.Host != first.Host {
				t.Errorf("the call goes to %s %s, the question to %s %s", first.Host, first.RequestURI, question.Host, question.RequestURI)
			}
			if got := first.Header; got.Get("X-Tenant") != "acme" || got.Get("X-Caller") != "Bearer alice" || got.Get("X-Forwarded-For") != "127.0.0.1" {
				t.Errorf("the agent gets %v", got)
			}
			if got := question.Header; got.Get("Accept") != typeJSON || got.Get("Last-Event-Id") != "" {
				t.Errorf("the question has the header %v", got)
			}
			question.w.WriteHeader(http.StatusAccepted) // not the stream's status
			question.json(result(doneTask))
			client.settled("COMPLETED")
			if line := logged.wait(t, "handled request"); line["status"] == nil || len(logged.all("handled request")) != 1 || line["bytes_read"] != float64(len(streamCall)) {
				t.Errorf("the access log says %v", line)
			}
		})
	}
}

func TestHandlersBehindTheGuardCanReadTheBody(t *testing.T) {
	a := startAgent(t)
	s := serve(t, "route {\na2a_guard\n@sends expression {http.request.body}.contains(\"SendStreamingMessage\")\nrequest_header @sends X-Sends yes\nreverse_proxy "+a.address+"\n}")
	client, first, question := s.unanswered(t, a, "/")
	if first.body != streamCall || first.Header.Get("X-Sends") != "yes" || question.Header.Get("X-Sends") != "" {
		t.Errorf("the call comes as %q with %v, the question with %v", first.body, first.Header, question.Header)
	}
	question.json(result(doneTask))
	client.settled("COMPLETED")
}

func TestAQuestionNamesTheTaskTheTenantAndTheCallersID(t *testing.T) {
	a := startAgent(t)
	s := serve(t, reaching(a.address))
	for _, tt := range []struct{ call, want string }{
		{
			`{"jsonrpc":"2.0","id":9007199254740993,"method":"SendStreamingMessage","params":{"tenant":"\u0061cme","message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"x"}]}}}`,
			`{"jsonrpc":"2.0","id":9007199254740993,"method":"GetTask","params":{"id":"t1","tenant":"\u0061cme"}}`,
		},
		{
			`{"jsonrpc":"2.0","id":"q1","method":"SubscribeToTask","params":{"id":"t1"}}`,
			`{"jsonrpc":"2.0","id":"q1","method":"GetTask","params":{"id":"t1"}}`,
		},
		{
			`{"jsonrpc":"2.0","id":"q1","method":"message/stream","params":{"message":{"messageId":"m1","role":"user","parts":[{"kind":"text","text":"x"}]}}}`,
			`{"jsonrpc":"2.0","id":"q1","method":"tasks/get","params":{"id":"t1"}}`,
		},
		{
			`{"jsonrpc":"2.0","method":"SendStreamingMessage","params":{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"x"}]}}}`,
			`{"jsonrpc":"2.0","id":"a2a-guard","method":"GetTask","params":{"id":"t1"}}`,
		},
	} {
		answers := s.client(t, h1).asks(tt.call)
		a.next(t).stream().say(taskFrame).end()
		question := a.next(t)
		if question.body != tt.want || !json.Valid([]byte(question.body)) {
			t.Errorf("the agent is asked\n%s\nnot\n%s", question.body, tt.want)
		}
		question.json(result(doneTask))
		head(t, answers).rest()
	}
}

func TestWithSeveralAgentsAnotherOneMayBeAsked(t *testing.T) {
	const unknown = `{"jsonrpc":"2.0","id":"q1","error":{"code":-32001,"message":"Task not found"}}`
	one, two := startAgent(t), startAgent(t)
	upstreams := "reverse_proxy " + one.address + " " + two.address
	t.Run("the same by policy", func(t *testing.T) {
		s := serve(t, guarded()+"\n"+upstreams+" {\nlb_policy first\n}")
		client, _, question := s.unanswered(t, one, "/")
		question.json(result(doneTask))
		client.settled("COMPLETED")
	})
	t.Run("another by turns, which knows nothing", func(t *testing.T) {
		s := serve(t, guarded()+"\n"+upstreams+" {\nlb_policy round_robin\n}")
		answers := s.client(t, h1).asks(streamCall)
		var first *call
		other := two
		select {
		case first = <-one.calls:
		case first = <-two.calls:
			other = one
		}
		first.stream().say(taskFrame).end()
		other.next(t).json(unknown)
		client := head(t, answers)
		client.expect(taskFrame)
		rest := client.rest()
		if !strings.HasPrefix(rest, "event: error\n") || !strings.Contains(rest, "the task may still run") || strings.Contains(rest, "not found") {
			t.Errorf("the stream ends with %q", rest)
		}
	})
}

func TestWhatTheGuardCutsCountsAsNoFailureOfTheAgent(t *testing.T) {
	a := startAgent(t)
	s := serve(t, guarded("linger 10ms", "idle_timeout 60ms", "lookup_timeout 20ms", "call_timeout 40ms")+
		"\nreverse_proxy "+a.address+" {\nfail_duration 1m\nmax_fails 1\nlb_retries 2\n}", allProtocols)
	for _, p := range []protocol{h1, h2} {
		o := s.open(t, a, p)
		o.agent.say(doneFrame)
		o.client.expect(doneFrame)
		o.agent.hangsUp(t) // linger

		o = s.open(t, a, p)
		question := a.next(t) // idle, and no answer to the question
		question.hangsUp(t)
		if rest := o.client.rest(); !strings.Contains(rest, `"rule":"never-ending-stream"`) {
			t.Errorf("the idle stream ends with %q", rest)
		}
		o.agent.hangsUp(t)

		o = s.open(t, a, p)
		o.client.leave()
		o.agent.hangsUp(t)

		answers := s.client(t, p).asks(getCall)
		call := a.next(t) // late
		head(t, answers).check(http.StatusGatewayTimeout, typeJSON, failed(-32603, agentLate, internal, "call-timeout", "t1"))
		call.hangsUp(t)
	}
	answers := s.client(t, h1).asks(getCall)
	a.next(t).json(result(task))
	head(t, answers).check(http.StatusOK, typeJSON, result(task))
}
