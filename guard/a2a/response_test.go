// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// describe renders what a test compares, in one line.
func (r *Response) describe(data []byte) string {
	var b strings.Builder
	ev := &r.Event
	fmt.Fprintf(&b, "%v", ev.Kind)
	if ev.Payloads > 0 {
		fmt.Fprintf(&b, " %v", ev.Dialect)
	}
	for _, f := range []struct {
		name  string
		value []byte
	}{
		{"id", r.ID},
		{"task", ev.TaskID},
		{"context", ev.ContextID},
		{"status", ev.Status.Of(data)},
		{"artifact", ev.Artifact.ID},
		{"final", ev.FinalAt.Of(data)},
		{"append", ev.AppendAt.Of(data)},
		{"error", r.Error.Of(data)},
	} {
		if f.value != nil {
			fmt.Fprintf(&b, " %s=%s", f.name, f.value)
		}
	}
	if ev.HasState {
		fmt.Fprintf(&b, " state=%v", ev.State)
	}
	if r.Code != 0 {
		fmt.Fprintf(&b, " code=%d", r.Code)
	}
	for _, a := range ev.Artifacts {
		fmt.Fprintf(&b, " has=%s", a.ID)
	}
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"noversion", !r.Version},
		{"bare", r.Bare},
		{"result", r.HasResult},
		{"two", ev.Payloads > 1},
		{"last", ev.LastChunk},
		{"parts", ev.Artifact.HasParts},
		{"message", ev.StatusMessage},
		{"duplicate", r.Flaw == DuplicateKeys},
		{"variant", r.Flaw == CaseVariantKeys},
	} {
		if f.set {
			b.WriteString(" " + f.name)
		}
	}
	return b.String()
}

// rpc puts a result into an envelope.
func rpc(result string) string { return `{"jsonrpc":"2.0","id":"q1","result":` + result + `}` }

func TestResponsesAreRead(t *testing.T) {
	const working = `{"state":"TASK_STATE_WORKING"}`
	tests := []struct{ name, data, want string }{
		{"1.0 task", rpc(`{"task":{"id":"t1","contextId":"c1","status":` + working + `,"artifacts":[{"artifactId":"a","parts":[{}]},{"artifactId":"b"}],"history":[]}}`),
			`task 1.0 id="q1" task="t1" context="c1" status={"state":"TASK_STATE_WORKING"} state=working has="a" has="b" result`},
		{"1.0 status", rpc(`{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_AUTH_REQUIRED","message":{"messageId":"m"}}}}`),
			`status 1.0 id="q1" task="t1" context="c1" status={"state":"TASK_STATE_AUTH_REQUIRED","message":{"messageId":"m"}} state=auth-required result message`},
		{"1.0 artifact", rpc(`{"artifactUpdate":{"taskId":"t1","artifact":{"artifactId":"a","parts":[{"text":"x"}]},"append": true ,"lastChunk":true}}`),
			`artifact 1.0 id="q1" task="t1" artifact="a" append=true result last parts`},
		{"artifact without parts", rpc(`{"artifactUpdate":{"taskId":"t1","artifact":{"artifactId":"a","parts":[]}}}`),
			`artifact 1.0 id="q1" task="t1" artifact="a" result`},
		{"1.0 message", rpc(`{"message":{"messageId":"m1","taskId":"t1","contextId":"","role":"ROLE_AGENT","parts":[]}}`),
			`message 1.0 id="q1" task="t1" result`},
		{"proto spelling", rpc(`{"status_update":{"task_id":"t1","context_id":"c1","status":{"state":3}}}`),
			`status 1.0 id="q1" task="t1" context="c1" status={"state":3} state=completed result`},
		{"0.3 task", rpc(`{"kind":"task","id":"t1","contextId":"c1","status":{"state":"input-required"}}`),
			`task 0.3 id="q1" task="t1" context="c1" status={"state":"input-required"} state=input-required result`},
		{"0.3 status", rpc(`{"taskId":"t1","contextId":"c1","status":{"state":"canceled"},"final":false,"kind":"status-update"}`),
			`status 0.3 id="q1" task="t1" context="c1" status={"state":"canceled"} final=false state=canceled result`},
		{"0.3 artifact", rpc(`{"kind":"artifact-update","taskId":"t1","artifact":{"artifactId":"a","parts":[1]}}`),
			`artifact 0.3 id="q1" task="t1" artifact="a" result parts`},
		{"0.3 message", rpc(`{"kind":"message","messageId":"m1","role":"agent","parts":[]}`), `message 0.3 id="q1" result`},
		{"kind left out, status", rpc(`{"taskId":"t1","status":{"state":"working"},"final":true}`),
			`status 0.3 id="q1" task="t1" status={"state":"working"} final=true state=working result`},
		{"kind left out, task", rpc(`{"id":"t1","status":` + working + `}`),
			`task 0.3 id="q1" task="t1" status={"state":"TASK_STATE_WORKING"} state=working result`},
		{"kind left out, message", rpc(`{"messageId":"m1","parts":[]}`), `message 0.3 id="q1" result`},
		{"British spelling of the 0.3 proto", rpc(`{"statusUpdate":{"taskId":"t1","status":{"state":"TASK_STATE_CANCELLED"}}}`),
			`status 1.0 id="q1" task="t1" status={"state":"TASK_STATE_CANCELLED"} state=canceled result`},
		{"state of the future", rpc(`{"statusUpdate":{"taskId":"t1","status":{"state":"TASK_STATE_PONDERING"}}}`),
			`status 1.0 id="q1" task="t1" status={"state":"TASK_STATE_PONDERING"} state=unknown result`},
		{"payload of the future", rpc(`{"heartbeat":{}}`), `unknown id="q1" result`},
		{"unknown kind", rpc(`{"kind":"heartbeat","taskId":"t1"}`), `unknown id="q1" task="t1" result`},
		{"empty result", rpc(`{}`), `unknown id="q1" result`},
		{"null result", rpc(`null`), `none id="q1"`},
		{"two payloads", rpc(`{"task":{"id":"t1","status":` + working + `},"message":{"messageId":"m"}}`),
			`task 1.0 id="q1" task="t1" status={"state":"TASK_STATE_WORKING"} state=working result two`},
		{"a null payload is none", rpc(`{"task":{"id":"t1","status":` + working + `},"message":null}`),
			`task 1.0 id="q1" task="t1" status={"state":"TASK_STATE_WORKING"} state=working result`},
		{"wrapper and kind", rpc(`{"task":{"id":"t1","status":` + working + `},"kind":"task"}`),
			`task 1.0 id="q1" task="t1" status={"state":"TASK_STATE_WORKING"} state=working result two`},
		{"error", `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"no such task","data":[{"a":1,"a":2}]}}`,
			`error error={"code":-32001,"message":"no such task","data":[{"a":1,"a":2}]} code=-32001`},
		{"error and result", `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":5}}`, `error id=1 error={"code":5} code=5 result`},
		{"null error", `{"jsonrpc":"2.0","id":1,"result":{"message":{"messageId":"m"}},"error":null}`, `message 1.0 id=1 result`},
		{"error without envelope", `{"error":{"code":500,"status":"INTERNAL"}}`, `error error={"code":500,"status":"INTERNAL"} code=500 noversion`},
		{"bare 1.0 payload", `{"statusUpdate":{"taskId":"t1","status":` + working + `}}`,
			`status 1.0 task="t1" status={"state":"TASK_STATE_WORKING"} state=working noversion bare`},
		{"bare 0.3 payload", `{"kind":"task","id":"t1","status":{"state":"working"}}`,
			`task 0.3 id="t1" task="t1" status={"state":"working"} state=working noversion bare`},
		{"heartbeat as data", `{"type":"heartbeat"}`, `none noversion`},
		{"other version", `{"jsonrpc":"1.0","id":1,"result":{"message":{"messageId":"m"}}}`, `message 1.0 id=1 noversion result`},
		{"one key twice", rpc(`{"statusUpdate":{"taskId":"t1","status":{"state":"TASK_STATE_WORKING","state":"TASK_STATE_COMPLETED"}}}`),
			`status 1.0 id="q1" task="t1" status={"state":"TASK_STATE_WORKING","state":"TASK_STATE_COMPLETED"} state=completed result duplicate`},
		{"two statuses", rpc(`{"statusUpdate":{"taskId":"t1","status":{"state":"TASK_STATE_COMPLETED"},"status":{"message":null}}}`),
			`status 1.0 id="q1" task="t1" status={"message":null} state=completed result duplicate`},
		{"two spellings", rpc(`{"statusUpdate":{"taskId":"t1","task_id":"t2","status":` + working + `}}`),
			`status 1.0 id="q1" task="t2" status={"state":"TASK_STATE_WORKING"} state=working result variant`},
		{"numeric ids are none", rpc(`{"statusUpdate":{"taskId":5,"status":` + working + `}}`),
			`status 1.0 id="q1" status={"state":"TASK_STATE_WORKING"} state=working result`},
	}
	var rr ResponseReader
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var r Response
			if err := rr.Read([]byte(tt.data), &r); err != nil {
				t.Fatal(err)
			}
			if got := r.describe([]byte(tt.data)); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestUnreadableResponses(t *testing.T) {
	for _, data := range []string{"", "[DONE]", "[]", "5", `"x"`, `{"result":`, `{"result":{}} {}`, "\ufeff{}", strings.Repeat("[", 10_001)} {
		var rr ResponseReader
		var r Response
		if err := rr.Read([]byte(data), &r); err == nil {
			t.Errorf("%.20q is read without an error", data)
		}
	}
}

func TestATaskListsABoundedNumberOfArtifacts(t *testing.T) {
	data := rpc(`{"task":{"id":"t1","artifacts":[{"artifactId":"a"}` + strings.Repeat(`,{"artifactId":"a"}`, maxArtifacts) + `]}}`)
	var rr ResponseReader
	var r Response
	if err := rr.Read([]byte(data), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Event.Artifacts) != maxArtifacts || !r.Event.MoreArtifacts {
		t.Errorf("lists %d, more is %v", len(r.Event.Artifacts), r.Event.MoreArtifacts)
	}
}

func FuzzResponseReader(f *testing.F) {
	for _, seed := range []string{
		rpc(`{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}}`),
		rpc(`{"kind":"task","id":"t1","status":{"state":"completed"},"artifacts":[{"artifactId":"a"}]}`),
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32001}}`, `{"task":{}}`, "[DONE]",
	} {
		f.Add([]byte(seed))
	}
	f.Add([]byte(rpc(`{"tasks":[{"id":"t1","history":[{},{}],"artifacts":[{"artifactId":"a"}]}],"nextPageToken":""}`)))
	var shared ResponseReader
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, wants := range []Wants{{}, {History: true}, {List: true, History: true}, {List: true, Artifacts: true}} {
			var fresh ResponseReader
			var a, b Response
			shared.Want(wants)
			fresh.Want(wants)
			errA, errB := shared.Read(data, &a), fresh.Read(data, &b)
			if (errA == nil) != (errB == nil) {
				t.Fatalf("a used reader says %v, a new one %v", errA, errB)
			}
			if errA != nil {
				continue
			}
			if a.describe(data) != b.describe(data) {
				t.Errorf("a used reader says %s, a new one %s", a.describe(data), b.describe(data))
			}
			for _, ev := range append(a.Tasks, a.Event) {
				for _, member := range []Span{ev.HistoryAt, ev.ArtifactsAt} {
					if text := member.Of(data); len(text) > 0 && (text[0] != '"' || !json.Valid([]byte("{"+string(text)+"}"))) {
						t.Errorf("%q is no member", text)
					}
				}
				if history := ev.History.Of(data); ev.Messages > 0 && ElementAt(history, ev.Messages) != len(history) {
					t.Errorf("%q has more elements than %d", history, ev.Messages)
				}
			}
		}
	})
}
