// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

var noon = time.Date(2026, 11, 2, 13, 0, 0, 5e6, time.FixedZone("", 3600))

func TestOwnFramesAreWritten(t *testing.T) {
	v10 := Frame{Dialect: V10, ID: Token(`"q1"`), TaskID: Token(`"t1"`), ContextID: Token(`"c1"`)}
	v03 := v10
	v03.Dialect = V03
	fault := Fault{Code: InvalidAgentResponse, Message: "it broke", Rule: "late-artifact", TaskID: Token(`"t1"`), Ref: "r7"}
	status := func(f Frame) []byte {
		return f.AppendStatusObject(nil, Failed, f.AppendMessage(nil, "g-1", `say "no"`), noon)
	}
	tests := []struct {
		name string
		got  []byte
		want string
	}{
		{"1.0 status", v10.AppendStatus(nil, status(v10), true),
			`{"jsonrpc":"2.0","id":"q1","result":{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_FAILED","message":{"messageId":"g-1","taskId":"t1","contextId":"c1","role":"ROLE_AGENT","parts":[{"text":"say \"no\""}]},"timestamp":"2026-11-02T12:00:00.005Z"}}}}`},
		{"0.3 status", v03.AppendStatus(nil, status(v03), true),
			`{"jsonrpc":"2.0","id":"q1","result":{"kind":"status-update","taskId":"t1","contextId":"c1","status":{"state":"failed","message":{"kind":"message","messageId":"g-1","taskId":"t1","contextId":"c1","role":"agent","parts":[{"kind":"text","text":"say \"no\""}]},"timestamp":"2026-11-02T12:00:00.005Z"},"final":true}}`},
		{"1.0 artifact", v10.AppendArtifact(nil, []byte(`{"artifactId":"a"}`)),
			`{"jsonrpc":"2.0","id":"q1","result":{"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"a"},"append":false,"lastChunk":true}}}`},
		{"0.3 artifact", v03.AppendArtifact(nil, []byte(`{"artifactId":"a"}`)),
			`{"jsonrpc":"2.0","id":"q1","result":{"kind":"artifact-update","taskId":"t1","contextId":"c1","artifact":{"artifactId":"a"},"append":false,"lastChunk":true}}`},
		{"1.0 error", fault.AppendResponse(nil, V10, Token("9007199254740993")),
			`{"jsonrpc":"2.0","id":9007199254740993,"error":{"code":-32006,"message":"it broke (task t1, rule late-artifact, ref r7)","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INVALID_AGENT_RESPONSE","domain":"a2a-protocol.org","metadata":{"rule":"late-artifact","taskId":"t1","ref":"r7"}}]}}`},
		{"0.3 error", fault.AppendResponse(nil, V03, nil),
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32006,"message":"it broke (task t1, rule late-artifact, ref r7)"}}`},
		{"bare error", Fault{Code: ParseError, Message: "no JSON"}.AppendResponse(nil, V10, nil),
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"JSON_PARSE_ERROR","domain":"a2a-protocol.org","metadata":{}}]}}`},
		{"1.0 question", AppendTaskCall(nil, GetTask, V10, Token(`7`), Token(`"t1"`), Token(`"acme"`)),
			`{"jsonrpc":"2.0","id":7,"method":"GetTask","params":{"id":"t1","tenant":"acme"}}`},
		{"0.3 question", AppendTaskCall(nil, CancelTask, V03, Token(`7`), Token(`"t1"`), nil),
			`{"jsonrpc":"2.0","id":7,"method":"tasks/cancel","params":{"id":"t1"}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if string(tt.got) != tt.want {
				t.Errorf("\n got %s\nwant %s", tt.got, tt.want)
			}
			if !jsontext.Value(tt.got).IsValid() {
				t.Error("not valid JSON")
			}
		})
	}
}

func TestTokensAreCompared(t *testing.T) {
	tests := []struct {
		a, b string
		same bool
	}{
		{`"a"`, `"a"`, true},
		{`"\u0061"`, `"a"`, true},
		{`"a"`, `"b"`, false},
		{`42`, `"42"`, false},
		{`1.0`, `1`, true},
		{`10`, `1`, false},
		{`1.50`, `1`, false},
		{`9007199254740993`, `9007199254740992`, false},
		{``, `1`, false},
	}
	for _, tt := range tests {
		if got := Token(tt.a).Same(Token(tt.b)); got != tt.same {
			t.Errorf("%s and %s: %v", tt.a, tt.b, got)
		}
	}
}

func TestEveryStateReadsBack(t *testing.T) {
	for s := Submitted; s < StateCount; s++ {
		for _, d := range []Dialect{V10, V03} {
			if got := ParseState([]byte(`"` + s.Name(d) + `"`)); got != s {
				t.Errorf("%s reads as %v", s.Name(d), got)
			}
		}
		if s.Terminal() && s.Interrupted() {
			t.Errorf("%v is both terminal and interrupted", s)
		}
	}
	for _, token := range []string{`9`, `10`, `-1`, `null`, `"x"`, `"` + string(make([]byte, 100)) + `"`} {
		if got := ParseState([]byte(token)); got != Unspecified {
			t.Errorf("%.20q reads as %v", token, got)
		}
	}
}

func TestEveryOperationHasANameInBothVersions(t *testing.T) {
	for op := SendMessage; op < OperationCount; op++ {
		for _, d := range []Dialect{V10, V03} {
			got, dialect, ok := LookupMethod([]byte(op.Method(d)))
			if !ok || got != op || dialect != d {
				t.Errorf("%q finds %v of %v", op.Method(d), got, dialect)
			}
		}
	}
	if _, _, ok := LookupMethod([]byte("")); ok {
		t.Error("the empty name finds a method")
	}
}
