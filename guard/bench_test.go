// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/guard"
)

const taskCall = `{"jsonrpc":"2.0","id":"q1","method":"SubscribeToTask","params":{"id":"0199a5d2-8f5b-7c11-9d4e-6f3c2b1a0e9d"}}`

// The events that pass without end: none of them ends its stream. Ids have the
// length that they have in the field.
const (
	task10     = `{"task":{"id":"0199a5d2-8f5b-7c11-9d4e-6f3c2b1a0e9d","contextId":"0199a5d2-8f5b-7c11-9d4e-6f3c2b1a0e9e","status":{"state":"TASK_STATE_WORKING"}}}`
	status10   = `{"statusUpdate":{"taskId":"0199a5d2-8f5b-7c11-9d4e-6f3c2b1a0e9d","contextId":"0199a5d2-8f5b-7c11-9d4e-6f3c2b1a0e9e","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-02T10:00:00.123Z"}}}`
	artifact10 = `{"artifactUpdate":{"taskId":"0199a5d2-8f5b-7c11-9d4e-6f3c2b1a0e9d","contextId":"0199a5d2-8f5b-7c11-9d4e-6f3c2b1a0e9e","artifact":{"artifactId":"a1","parts":[{"text":"the parcel left Leipzig"}]}}}`
	task03     = `{"kind":"task","id":"0199a5d2-8f5b-7c11-9d4e-6f3c2b1a0e9d","contextId":"0199a5d2-8f5b-7c11-9d4e-6f3c2b1a0e9e","status":{"state":"working"}}`
	status03   = `{"kind":"status-update","taskId":"0199a5d2-8f5b-7c11-9d4e-6f3c2b1a0e9d","contextId":"0199a5d2-8f5b-7c11-9d4e-6f3c2b1a0e9e","status":{"state":"working","timestamp":"2026-11-02T10:00:00.123Z"},"final":false}`
	artifact03 = `{"kind":"artifact-update","taskId":"0199a5d2-8f5b-7c11-9d4e-6f3c2b1a0e9d","contextId":"0199a5d2-8f5b-7c11-9d4e-6f3c2b1a0e9e","artifact":{"artifactId":"a1","parts":[{"kind":"text","text":"the parcel left Leipzig"}]}}`
)

func sseEvent(result string) []byte {
	return fmt.Appendf(nil, "data: {\"jsonrpc\":\"2.0\",\"id\":\"q1\",\"result\":%s}\n\n", result)
}

func plainEvent(payload string) []byte { return fmt.Appendf(nil, "data: %s\n\n", payload) }

// passingStream begins one of these streams, in the binding of its events.
func passingStream(t testing.TB, first []byte) *guard.Stream {
	t.Helper()
	if bytes.Contains(first, []byte("jsonrpc")) {
		return newStream(t, newGuard(t, nil), taskCall)
	}
	return plainStream(t, newGuard(t, nil), "GET /tasks/0199a5d2-8f5b-7c11-9d4e-6f3c2b1a0e9d:subscribe", "1.0")
}

// passing are streams of events that pass, over and over, each the chunks of one
// round after its first event.
var passing = []struct {
	name   string
	first  []byte
	chunks [][]byte
}{
	{"HTTP+JSON status", plainEvent(task10), [][]byte{plainEvent(status10)}},
	{"HTTP+JSON artifact", plainEvent(task10), [][]byte{plainEvent(artifact10)}},
	{"1.0 status", sseEvent(task10), [][]byte{sseEvent(status10)}},
	{"1.0 artifact", sseEvent(task10), [][]byte{sseEvent(artifact10)}},
	{"0.3 status", sseEvent(task03), [][]byte{sseEvent(status03)}},
	{"0.3 artifact", sseEvent(task03), [][]byte{sseEvent(artifact03)}},
	{"task", sseEvent(task10), [][]byte{sseEvent(task10)}},
	{"comment", sseEvent(task10), [][]byte{[]byte(": keep-alive\n\n")}},
	{"128 events in a chunk", sseEvent(task10), [][]byte{bytes.Repeat(sseEvent(artifact10), 128)}},
	{"an event in two chunks", sseEvent(task10), [][]byte{sseEvent(status10)[:100], sseEvent(status10)[100:]}},
	{"an event of 4 KiB in chunks of 1 KiB", sseEvent(task10), cut(sseEvent(strings.Replace(artifact10, "the parcel", strings.Repeat("the parcel ", 4<<10/11), 1)), 1<<10)},
}

// cut splits bytes into pieces.
func cut(b []byte, size int) (chunks [][]byte) {
	for len(b) > size {
		b, chunks = b[size:], append(chunks, b[:size])
	}
	return append(chunks, b)
}

// TestPassingAnEventAllocatesNothing holds for every kind, once a stream has seen
// its like.
func TestPassingAnEventAllocatesNothing(t *testing.T) {
	for _, stream := range passing {
		t.Run(stream.name, func(t *testing.T) {
			s := passingStream(t, stream.first)
			round := func() (passed int) {
				for _, chunk := range stream.chunks {
					passed += len(s.Feed(noon, chunk).Out)
				}
				return passed
			}
			s.Feed(noon, stream.first)
			for range 3 { // buffers grow
				if passed, want := round(), len(bytes.Join(stream.chunks, nil)); passed != want {
					t.Fatalf("%d of %d bytes pass", passed, want)
				}
			}
			if n := testing.AllocsPerRun(100, func() { round() }); n != 0 {
				t.Errorf("%v allocations", n)
			}
		})
	}
}

func BenchmarkFeed(b *testing.B) {
	for _, stream := range passing {
		b.Run(stream.name, func(b *testing.B) {
			s := passingStream(b, stream.first)
			s.Feed(noon, stream.first)
			b.SetBytes(int64(len(bytes.Join(stream.chunks, nil))))
			b.ReportAllocs()
			for b.Loop() {
				for _, chunk := range stream.chunks {
					if step := s.Feed(noon, chunk); step.End {
						b.Fatal("the stream ended")
					}
				}
			}
		})
	}
}

func BenchmarkInspect(b *testing.B) {
	g := newGuard(b, nil)
	for _, call := range []struct{ name, body string }{
		{"send", sendStream},
		{"get", strings.Replace(taskCall, "SubscribeToTask", "GetTask", 1)},
		{"no call", `{"model":"m","messages":[{"role":"user","content":"Where is order BS-1042?"}]}`},
	} {
		b.Run(call.name, func(b *testing.B) {
			in := guard.Request{Body: []byte(call.body), Version: "1.0", Principal: "alice"}
			b.ReportAllocs()
			for b.Loop() {
				g.Inspect(noon, in)
			}
		})
	}
}

func BenchmarkJudge(b *testing.B) {
	head := guard.Head{Status: 200, ContentType: "application/json"}
	padding := strings.Repeat("the parcel left Leipzig ", 32)
	for _, answer := range []struct{ name, call, body string }{
		{"task of 1 KiB", taskCall, fmt.Sprintf(`{"jsonrpc":"2.0","id":"q1","result":{"id":"0199a5d2-8f5b-7c11-9d4e-6f3c2b1a0e9d","contextId":"c1","status":{"state":"TASK_STATE_WORKING"},"artifacts":[{"artifactId":"a1","parts":[{"text":%q}]}]}}`, padding)},
		{"error", taskCall, `{"jsonrpc":"2.0","id":"q1","error":{"code":-32001,"message":"no such task"}}`},
	} {
		b.Run(answer.name, func(b *testing.B) {
			body := []byte(answer.body)
			x := newGuard(b, nil).Inspect(noon, guard.Request{Body: []byte(strings.Replace(answer.call, "SubscribeToTask", "GetTask", 1)), Version: "1.0", Principal: "alice"})
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if j := x.Judge(noon, head, body); j.Reply != nil {
					b.Fatal("the answer is refused")
				}
			}
		})
	}
}
