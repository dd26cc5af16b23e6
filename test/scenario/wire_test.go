// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestElementsStandForBytes(t *testing.T) {
	tests := []struct{ notation, want string }{
		{`"a\r\n\x00"`, "a\r\n\x00"},
		{"`a\\n`", `a\n`},
		{`"ab"*3`, "ababab"},
		{`"abc"*7B`, "abcabca"},
		{`T(WORKING)`, `{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}}`},
		{`T(WORKING, out="x", task=t2, context=)`, `{"task":{"id":"t2","contextId":"","status":{"state":"TASK_STATE_WORKING"},"artifacts":[{"artifactId":"out","parts":[{"text":"x"}]}]}}`},
		{`Task(FAILED,at="2026-11-02T12:00:00Z")`, `{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_FAILED","timestamp":"2026-11-02T12:00:00Z"}}`},
		{`S(COMPLETED)`, `{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}}`},
		{`S(FAILED,"a, \"b\"",id=m9)`, `{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_FAILED","message":{"messageId":"m9","role":"ROLE_AGENT","parts":[{"text":"a, \"b\""}]}}}}`},
		{`A(out,"x"*3,true,false)`, `{"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"out","parts":[{"text":"xxx"}]},"append":true,"lastChunk":false}}`},
		{`M(hello)`, `{"message":{"messageId":"m1","contextId":"c1","role":"ROLE_AGENT","parts":[{"text":"hello"}]}}`},
		{`t(input-required)`, `{"kind":"task","id":"t1","contextId":"c1","status":{"state":"input-required"}}`},
		{`s(working,false)`, `{"kind":"status-update","taskId":"t1","contextId":"c1","status":{"state":"working"},"final":false}`},
		{`s(working)`, `{"kind":"status-update","taskId":"t1","contextId":"c1","status":{"state":"working"}}`},
		{`a(out,"<é>",false,true)`, `{"kind":"artifact-update","taskId":"t1","contextId":"c1","artifact":{"artifactId":"out","parts":[{"kind":"text","text":"<é>"}]},"append":false,"lastChunk":true}`},
		{`m("x")`, `{"kind":"message","messageId":"m1","contextId":"c1","role":"agent","parts":[{"kind":"text","text":"x"}]}`},
		{`J(S(WORKING))`, `{"jsonrpc":"2.0","id":7,"result":{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}}}`},
		{`F(E(-32001,"no"))`, `data: {"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"no"}}` + "\n\n"},
		{`F({"a":"}\""})`, `data: {"jsonrpc":"2.0","id":7,"result":{"a":"}\""}}` + "\n\n"},
		{`"data: " t(working) "\n"`, `data: {"kind":"task","id":"t1","contextId":"c1","status":{"state":"working"}}` + "\n"},
	}
	for _, tt := range tests {
		t.Run(tt.notation, func(t *testing.T) {
			w := wire{text: tt.notation, id: "7"}
			got, err := w.bytes()
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v\nwant %s", got, err, tt.want)
			}
		})
	}
}

func TestAnswersAreSteps(t *testing.T) {
	tests := []struct{ notation, want string }{
		{`"a" "b" | "c" +2s "d" EOF`, `chunk "ab", chunk "c", pause 2s, chunk "d", eof`},
		{`+30ms 401 application/json "{}" EOF`, `pause 30ms, head 401 application/json, chunk "{}", eof`},
		{`200 "text/html; charset=x" "a"|"b" RST`, `head 200 text/html; charset=x, chunk "a", chunk "b", rst`},
		{`302 none EOF`, `head 302 , eof`},
		{`by 2B "abcde" OPEN`, `chunk "ab", chunk "cd", chunk "e", open`},
		{`NEXT CLOSE`, `next, close`},
	}
	for _, tt := range tests {
		t.Run(tt.notation, func(t *testing.T) {
			w := wire{text: tt.notation}
			steps, err := w.answer()
			if got := describe(steps); err != nil || got != tt.want {
				t.Errorf("got %s, %v\nwant %s", got, err, tt.want)
			}
		})
	}
}

func describe(steps []Step) string {
	names := map[StepKind]string{EOF: "eof", RST: "rst", Close: "close", Open: "open", Next: "next"}
	list := make([]string, 0, len(steps))
	for _, s := range steps {
		switch s.Kind {
		case Head:
			list = append(list, fmt.Sprintf("head %d %s", s.Status, s.ContentType))
		case Chunk:
			list = append(list, fmt.Sprintf("chunk %q", s.Data))
		case Pause:
			list = append(list, "pause "+s.For.String())
		default:
			list = append(list, names[s.Kind])
		}
	}
	return strings.Join(list, ", ")
}

func TestWhatIsNoNotationIsRefused(t *testing.T) {
	for _, notation := range []string{
		`"a`, `X(a)`, `T()`, `T(A,B)`, `T(A`, `S(WORKING,wrong=x)`, `A(a,b,yes,no)`, `F()`, `F({"a":1)`, `F(T(A)`, `E(1)`,
		`word`, `"a"*0`, `"a"*2XB`, `+soon`, `99 text/plain`, `200`, `by 0B "a"`, `by`,
	} {
		w := wire{text: notation}
		if steps, err := w.answer(); err == nil {
			t.Errorf("%s is read as %s", notation, describe(steps))
		}
	}
}

func TestTimesAreScaledWhereTheClockIsReal(t *testing.T) {
	s := &Scene{Scale: 0.01, Options: []string{"idle_timeout 60s", "hold off", "profile strict", "max_event 1KiB"}, options: &options{}}
	want := "idle_timeout 600ms|hold off|profile strict|max_event 1KiB"
	if got := strings.Join(s.Scaled(), "|"); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got := s.Real(90 * time.Second); got != 900*time.Millisecond {
		t.Errorf("90s last %v", got)
	}
}
