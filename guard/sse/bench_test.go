// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package sse_test

import (
	"bytes"
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/guard/sse"
)

func drain(f *sse.Framer, chunks ...[]byte) (frames int) {
	for _, chunk := range chunks {
		f.Push(chunk)
		for u, ok := f.Next(); ok; u, ok = f.Next() {
			if u.Kind == sse.Frame {
				frames++
			}
		}
	}
	return frames
}

var (
	event = append(append([]byte("data: {"), bytes.Repeat([]byte("x"), 246)...), "}\n\n"...)
	loads = []struct {
		name   string
		chunks [][]byte
	}{
		{"one event", [][]byte{event}},
		{"128 events in a chunk", [][]byte{bytes.Repeat(event, 128)}},
		{"an event in two chunks", [][]byte{event[:100], event[100:]}},
		{"several data lines", [][]byte{bytes.Replace(event, []byte("xxxx"), []byte("x\ndata: "), 3)}},
	}
)

func BenchmarkFramer(b *testing.B) {
	for _, load := range loads {
		b.Run(load.name, func(b *testing.B) {
			f := sse.NewFramer(1 << 20)
			b.SetBytes(int64(len(bytes.Join(load.chunks, nil))))
			b.ReportAllocs()
			for b.Loop() {
				drain(f, load.chunks...)
			}
		})
	}
}

func TestFramingAllocatesNothing(t *testing.T) {
	for _, load := range loads {
		f := sse.NewFramer(1 << 20)
		if drain(f, load.chunks...) == 0 {
			t.Fatalf("%s: no frame", load.name)
		}
		if n := testing.AllocsPerRun(100, func() { drain(f, load.chunks...) }); n != 0 {
			t.Errorf("%s: %v allocations", load.name, n)
		}
	}
}
