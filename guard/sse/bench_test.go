// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package sse_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/guard/sse"
)

// drain feeds chunks and counts the events that come out.
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

// readSize is how much a proxy reads at once.
const readSize = 32 << 10

var (
	oneEvent  = append(append([]byte("data: {"), bytes.Repeat([]byte("x"), 246)...), "}\n\n"...)
	overLines = append(bytes.Repeat(append(append([]byte("data: "), bytes.Repeat([]byte("x"), 56)...), '\n'), 4), '\n')
	loads     = []struct {
		name   string
		chunks [][]byte
	}{
		{"one event", [][]byte{oneEvent}},
		{"an event in two chunks", [][]byte{oneEvent[:100], oneEvent[100:]}},
		{"128 events in a chunk", [][]byte{bytes.Repeat(oneEvent, readSize/len(oneEvent))}},
		{"chunks that cut events", slices.Collect(slices.Chunk(bytes.Repeat(oneEvent, 1001), readSize))},
		{"several data lines", [][]byte{overLines}},
		{"several data lines, 128 in a chunk", [][]byte{bytes.Repeat(overLines, readSize/len(overLines))}},
		{"CRLF", [][]byte{bytes.ReplaceAll(oneEvent, []byte("\n"), []byte("\r\n"))}},
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

func BenchmarkAppendData(b *testing.B) {
	f := sse.NewFramer(1 << 20)
	f.Push(overLines)
	u, _ := f.Next()
	var dst []byte
	b.SetBytes(int64(len(u.Raw)))
	b.ReportAllocs()
	for b.Loop() {
		dst = u.AppendData(dst[:0], u.Data)
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
