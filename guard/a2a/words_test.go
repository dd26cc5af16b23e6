// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"encoding/json"
	"strings"
	"testing"
)

const info = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INTERNAL_ERROR","metadata":{"a":"b"}}`

func TestErrorsAreSaidInOtherWords(t *testing.T) {
	tests := []struct {
		name, object, want string
		extra              bool
	}{
		{"JSON-RPC", `{"code":-32603,"message":"boom"}`, `{"code":-32603,"message":"x"}`, false},
		{"with a text as data", `{"code":-32603,"message":"boom","data":"trace"}`, `{"code":-32603,"message":"x"}`, true},
		{"with items", `{"data":[` + info + `,{"@type":"DebugInfo"},"trace", ` + info + `],"message":"boom"}`, `{"message":"x","data":[` + info + `,` + info + `]}`, true},
		{"with its ErrorInfo alone", `{"data":[` + info + `],"message":"boom"}`, `{"message":"x","data":[` + info + `]}`, false},
		{"google.rpc.Status", `{"code":500,"status":"INTERNAL","message":"boom","details":[` + info + `]}`, `{"code":500,"status":"INTERNAL","message":"x","details":[` + info + `]}`, false},
		{"with members of its own", `{"stack":["a"],"message":{"text":"boom"}}`, `{"message":"x"}`, true},
		{"nothing", `{"data":null}`, `{"message":"x"}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := ReadErrorText([]byte(tt.object))
			if got := string(e.AppendSaying(nil, "x")); got != tt.want || e.Extra != tt.extra {
				t.Errorf("%s becomes\n%s (more: %v), not\n%s", tt.object, got, e.Extra, tt.want)
			}
		})
	}
	if e := ReadErrorText([]byte(`{"message":"m","code":-32006,"status":"S","details":[` + info + `]}`)); e.Code != InvalidAgentResponse || e.Message != "m" || e.Status != "S" || e.Reason != "INTERNAL_ERROR" {
		t.Errorf("%+v", e)
	}
}

func TestTheItemsOfAnErrorAreBounded(t *testing.T) {
	e := ReadErrorText([]byte(`{"data":[` + strings.Repeat(info+",", maxInfos) + info + `]}`))
	if len(e.infos) != maxInfos || !e.Extra {
		t.Errorf("%d items are kept", len(e.infos))
	}
}

// FuzzWords: whatever an object holds, it can be said in other words that are JSON,
// and every part of a message that is found is a JSON value of its own.
func FuzzWords(f *testing.F) {
	for _, seed := range []string{
		`{"code":-32603,"message":"boom","data":[` + info + `]}`, `{"status":"INTERNAL","details":[1,{}]}`,
		`{"state":"failed","message":{"messageId":"m","parts":[{"text":"a"},{"data":{}}],"content":[{"text":1}]}}`, `{"message":{"parts":[`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var reader ResponseReader
		var r Response
		if reader.Read(data, &r) != nil {
			return // nothing is made of what cannot be read
		}
		e := ReadErrorText(data)
		if got := e.AppendSaying(nil, "x"); !json.Valid(got) {
			t.Fatalf("%s becomes %s", data, got)
		}
		EachPart(data, StatusMessage(data, Span{0, len(data)}), func(p Part) {
			if !json.Valid(p.Object.Of(data)) || p.Text.End > 0 && !Token(p.Text.Of(data)).IsString() {
				t.Fatalf("part %s with text %s", p.Object.Of(data), p.Text.Of(data))
			}
		})
	})
}
