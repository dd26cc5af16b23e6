// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a_test

import (
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

var responses = []struct {
	name  string
	plain bool
	data  []byte
	// another follows, so that nothing is read by comparing alone.
	another []byte
}{
	{
		name: "1.0 status",
		data: []byte(`{"jsonrpc":"2.0","id":"q1","result":{"statusUpdate":{"taskId":"0199a5d2-8f5b-7c11-9d4e-6f3c2b1a0e9d","contextId":"0199a5d2-8f5b-7c11-9d4e-6f3c2b1a0e9e","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-02T10:00:00.123Z"}}}}`),
	},
	{
		name: "0.3 status",
		data: []byte(`{"jsonrpc":"2.0","id":"q1","result":{"kind":"status-update","taskId":"0199a5d2-8f5b-7c11-9d4e-6f3c2b1a0e9d","contextId":"0199a5d2-8f5b-7c11-9d4e-6f3c2b1a0e9e","status":{"state":"working","timestamp":"2026-11-02T10:00:00.123Z"},"final":false}}`),
	},
	{
		name: "artifact",
		data: []byte(`{"jsonrpc":"2.0","id":"q1","result":{"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"a1","parts":[{"text":"the parcel left Leipzig"}]},"append":true}}}`),
	},
	{
		name:    "artifacts by turns",
		data:    []byte(`{"jsonrpc":"2.0","id":"q1","result":{"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"a1","parts":[{"text":"the parcel left Leipzig"}]},"append":true}}}`),
		another: []byte(`{"jsonrpc":"2.0","id":"q1","result":{"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"a2","parts":[{"text":"the parcel left Leipzig"}]},"append":true}}}`),
	},
	{
		name: "task",
		data: []byte(`{"jsonrpc":"2.0","id":"q1","result":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"},"artifacts":[{"artifactId":"a1","parts":[{"text":"one"}]},{"artifactId":"a2","parts":[{"data":{"two":[1,2.5e3,null,true]}}]}]}}`),
	},
	{
		name:  "plain task",
		plain: true,
		data:  []byte(`{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"},"artifacts":[{"artifactId":"a1","parts":[{"text":"one"}]},{"artifactId":"a2","parts":[{"data":{"two":[1,2.5e3,null,true]}}]}]}}`),
	},
	{
		name: "error",
		data: []byte(`{"jsonrpc":"2.0","id":"q1","error":{"code":-32001,"message":"no such task"}}`),
	},
}

func BenchmarkResponseReader(b *testing.B) {
	for _, response := range responses {
		b.Run(response.name, func(b *testing.B) {
			read := repeatedly(b, response.plain, response.data, response.another)
			b.SetBytes(int64(len(response.data) + len(response.another)))
			b.ReportAllocs()
			for b.Loop() {
				read()
			}
		})
	}
}

func TestReadingAResponseAllocatesNothing(t *testing.T) {
	for _, response := range responses {
		if n := testing.AllocsPerRun(100, repeatedly(t, response.plain, response.data, response.another)); n != 0 {
			t.Errorf("%s: %v allocations", response.name, n)
		}
	}
}

// repeatedly returns what reads the texts with one and the same reader.
func repeatedly(t testing.TB, plain bool, texts ...[]byte) func() {
	var reader a2a.ResponseReader
	if plain {
		reader.For(a2a.REST, a2a.V10)
	}
	var r a2a.Response
	return func() {
		for _, text := range texts {
			if text == nil {
				continue
			}
			if err := reader.Read(text, &r); err != nil {
				t.Fatal(err)
			}
		}
	}
}
