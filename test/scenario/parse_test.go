// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"strings"
	"testing"
	"time"
)

const wholeCase = `# A comment.
guard   linger 2s
scale   1/10

== first
guard   profile strict
proxy   flush_interval -1
caddy   encode gzip
client  SendStreamingMessage id=42 task=t7
client  leaves after 2 events
header  Authorization: Bearer alice
agent   header X-A: 1
agent   F(T(WORKING))
agent   EOF
agent   gets X-B: 2
agent   finishes
asked   GetTask -> +1s 404 text/plain "no"
asked   CancelTask -> J(Task(CANCELED))
expect  PASS @3s ERROR -32006 missing-final-status
expect  header X-C: 3
expect  @4s LEFT
report  late-artifact drop x2
notice  unknown-method
ended   client_gone error

== second
client  POST
path    /a2a
body    "{bad"
expect  REJECT 200 application/json -32700 jsonrpc-envelope id=null

client  tasks/get
agent   200 application/json "{}" EOF
expect  200 text/plain HEAD "{}" STATUS working "hm" HEARTBEAT 3 END
`

func TestACaseIsRead(t *testing.T) {
	c, err := Parse("042-all", wholeCase)
	if err != nil {
		t.Fatal(err)
	}
	first, second := c.Scenes[0], c.Scenes[1]
	if first.Name != "first" || strings.Join(first.Options, "|") != "linger 2s|profile strict" || first.Scale != 0.1 ||
		first.Proxy[0] != "flush_interval -1" || first.Front[0] != "encode gzip" {
		t.Errorf("the first scene: %+v", first)
	}
	if strings.Join(second.Options, "|") != "linger 2s" || second.Scale != 0.1 || len(second.Exchanges) != 2 {
		t.Errorf("the second scene: %+v", second)
	}
	e := first.Exchanges[0]
	if r := e.Request; r.Leaves != 2 || r.Path != "/" || len(r.Header) != 3 || r.Header[2] != (Field{"Authorization", "Bearer alice"}) ||
		string(r.Body) != `{"jsonrpc":"2.0","id":42,"method":"SendStreamingMessage","params":{"message":{"messageId":"u1","role":"ROLE_USER","parts":[{"text":"hello"}],"taskId":"t7"}}}` {
		t.Errorf("the request: %+v\n%s", r, r.Body)
	}
	if got, want := describe(e.Agent.Steps), `head 200 text/event-stream, chunk "data: {\"jsonrpc\":\"2.0\",\"id\":42,\"result\":{\"task\":{\"id\":\"t1\",\"contextId\":\"c1\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}}}}\n\n", eof`; got != want || e.Agent.Header[0] != (Field{"X-A", "1"}) {
		t.Errorf("the agent: %s\nnot %s", got, want)
	}
	if q := e.Questions; len(q) != 2 || q[0].Method != "GetTask" || describe(q[0].Answer.Steps) != `pause 1s, head 404 text/plain, chunk "no", eof` {
		t.Errorf("the questions: %+v", q)
	}
	if x := e.Expect; len(x.Items) != 2 || x.Items[1].At != (Moment{true, 3 * time.Second}) || x.Items[1].Code != -32006 || x.Final != "LEFT" ||
		x.EndsAt.At != 4*time.Second || len(x.Reports) != 2 || x.Reports[1] != "late-artifact drop" || len(x.Notices) != 1 ||
		x.End != "client_gone" || x.Settled != "error" || !x.Finishes || x.Reaches[0] != (Field{"X-B", "2"}) || x.Header[0] != (Field{"X-C", "3"}) {
		t.Errorf("the expectation: %+v", x)
	}
	if r, x := second.Exchanges[0].Request, second.Exchanges[0].Expect; r.Path != "/a2a" || string(r.Body) != "{bad" || *x.Reject != (Rejection{200, "application/json", -32700, "jsonrpc-envelope", "null"}) {
		t.Errorf("the refused call: %+v, %+v", r, x.Reject)
	}
	if x := second.Exchanges[1].Expect; x.Head.ContentType != "text/plain" || len(x.Items) != 4 || x.Items[2].Said != "hm" || x.Items[3].Count != 3 || x.Final != "END" {
		t.Errorf("the last call: %+v", x)
	}
}

func TestWhatIsNoCaseIsRefusedWithItsLine(t *testing.T) {
	const call = "client GetTask\nagent J(Task(WORKING)) EOF\n"
	tests := []struct{ name, text, want string }{
		{"nothing", "", "bad.case:1: nobody calls anything"},
		{"an unknown keyword", call + "expect END\nanswer x", `bad.case:4: unknown keyword "answer"`},
		{"an answer to nobody", "agent EOF", `bad.case:1: "agent" before a client's call`},
		{"an answer without an end", "client GetTask\nagent J(Task(WORKING))\nexpect END", "bad.case:3: the call of line 1: the agent's answer must end in EOF, RST, OPEN or CLOSE"},
		{"a call without an end", call, "bad.case:3: the call of line 1: how does the client's stream end? Expect END, BROKEN, LEFT or a REJECT"},
		{"half a rejection", call + "expect REJECT 200", "bad.case:3: REJECT wants an HTTP status, a content type, a code and a rule"},
		{"a rejection and more", call + "expect PASS\nexpect REJECT 200 application/json -32700 jsonrpc-envelope", "bad.case:4: the call of line 1: a REJECT is the whole answer"},
		{"an unknown rule", call + "report no-such-rule drop", `bad.case:3: there is no rule "no-such-rule"`},
		{"a report without an action", call + "report late-artifact", "bad.case:3: \"late-artifact\" is not a rule, what was done (unless it is a notice) and perhaps x2"},
		{"an unknown option", "guard colour blue\n" + call + "expect END", "bad.case:4: guard colour blue: the player knows no such option"},
		{"a strange scale", "scale 10", `bad.case:1: "10" is no scale such as 1/100`},
		{"an empty setting", "guard", `bad.case:1: "guard" wants something behind it`},
		{"a header that is none", call + "header X", `bad.case:3: "X" is no header such as Name: value`},
		{"a question without an answer", call + "asked GetTask", "bad.case:3: a question wants an answer: asked GetTask -> J(Task(WORKING))"},
		{"a strange call", "client GetTask colour=blue", `bad.case:1: a call has no "colour"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Parse("bad", tt.text); err == nil || err.Error() != tt.want {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}
