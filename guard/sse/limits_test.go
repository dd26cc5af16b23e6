// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package sse_test

import (
	"bytes"
	"runtime"
	"slices"
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/guard/sse"
)

// These would take far too long if a byte were looked at, or moved, again with
// each line or chunk.
func TestLargeStreamsAreReadOnceAndHardlyKept(t *testing.T) {
	const limit = 1 << 20
	for _, tt := range []struct {
		name   string
		stream []byte
		chunk  int
		frames int
	}{
		{"a line of 64 MiB", bytes.Repeat([]byte("x"), 64<<20), readSize, 0},
		{"a line of 64 MiB at once", bytes.Repeat([]byte("x"), 64<<20), 64 << 20, 0},
		{"a comment of 8 MiB", append([]byte(":"), bytes.Repeat([]byte("x"), 8<<20)...), readSize, 0},
		{"a line byte by byte", append(bytes.Repeat([]byte("data"), 1<<18-1), "\n\n"...), 1, 0},
		{"100,000 lines of data without an end", bytes.Repeat([]byte("data: x\n"), 100_000), readSize, 0},
		{"100,000 lines of data", append(bytes.Repeat([]byte("data: x\n"), 100_000), '\n'), readSize, 1},
		{"100,000 lines of data that end in CR", append(bytes.Repeat([]byte("data: x\r"), 100_000), '\r'), readSize, 1},
		{"the same at once", append(bytes.Repeat([]byte("data: x\r"), 100_000), '\r'), limit, 1},
		{"a million comments", bytes.Repeat([]byte(":\n"), 1_000_000), readSize, 0},
		{"a million empty lines", bytes.Repeat([]byte("\n"), 1_000_000), readSize, 0},
		{"a million lone CRs", bytes.Repeat([]byte("\r"), 1_000_000), readSize, 0},
		{"a million lines of CR in a frame", bytes.Repeat([]byte("data\r"), 1_000_000), readSize, 0},
		{"half a million CRLFs byte by byte", bytes.Repeat([]byte("\r\n"), 500_000), 1, 0},
		{"a million small frames", bytes.Repeat([]byte("data\n\n"), 1_000_000), readSize, 1_000_000},
		{"a million small frames that end in CR", bytes.Repeat([]byte("data\r\r"), 1_000_000), 4 << 20, 1_000_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := sse.NewFramer(limit)
			n, frames := 0, 0
			for part := range slices.Chunk(tt.stream, tt.chunk) {
				f.Push(part)
				for u, ok := f.Next(); ok; u, ok = f.Next() {
					n += len(u.Raw)
					if u.Kind == sse.Frame {
						frames++
					}
				}
				if f.Buffered() > limit {
					t.Fatalf("keeps %d bytes", f.Buffered())
				}
			}
			if n+f.Buffered() != len(tt.stream) || frames != tt.frames {
				t.Errorf("%d of %d bytes, %d of %d frames", n+f.Buffered(), len(tt.stream), frames, tt.frames)
			}
		})
	}
}

func TestALongArtifactComesThroughWhole(t *testing.T) {
	for _, size := range []int{200 << 10, 5 << 20} {
		text := bytes.Repeat([]byte("x"), size)
		stream := slices.Concat([]byte("data: first\n\ndata: "), text, []byte("\n\ndata: last\n\n"))
		f := sse.NewFramer(16 << 20)
		var got []byte
		frames := 0
		for part := range slices.Chunk(stream, 1<<10) {
			f.Push(part)
			for u, ok := f.Next(); ok; u, ok = f.Next() {
				if frames++; frames == 2 {
					got = bytes.Clone(u.Data)
				}
			}
		}
		if frames != 3 || !bytes.Equal(got, text) {
			t.Errorf("%d bytes: %d frames, the second of %d bytes", size, frames, len(got))
		}
	}
}

// heap is what is in use, in bytes.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func TestALargeFrameIsNotPinned(t *testing.T) {
	const large = 32 << 20
	for _, tt := range []struct{ name, head, line, tail string }{
		{"nothing left", "", "data: x\n", "\n"},
		{"the beginning of the next one left", "", "data: x\n", "\ndata: y"},
		{"an oversized one", "data: ", "", ""},
		{"an oversized one, ended", "data: ", "", "\n\ndata: y"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			line := []byte(tt.line)
			if len(line) == 0 {
				line = []byte("xxxxxxxx")
			}
			limit := 2 * large
			if tt.head != "" {
				limit = large / 2
			}
			before := heap()
			f := sse.NewFramer(limit)
			drain(f, []byte(tt.head))
			part := bytes.Repeat(line, readSize/len(line))
			for range large / len(part) {
				drain(f, part)
			}
			if limit > large && heap()-before < large {
				t.Fatal("the frame is not even kept while it is incomplete")
			}
			drain(f, []byte(tt.tail))
			if grown := heap() - before; grown > 1<<20 {
				t.Errorf("%d bytes are still in use", grown)
			}
			runtime.KeepAlive(f)
		})
	}
}

func TestABufferHoldsNoMoreThanTheLimitAndAChunk(t *testing.T) {
	const limit = 24 << 20
	part := bytes.Repeat([]byte("data: x\n"), readSize/8)
	f := sse.NewFramer(limit)
	before := heap()
	for f.Buffered()+len(part) <= limit {
		drain(f, part)
		if f.Buffered() == 0 {
			t.Fatal("nothing is kept")
		}
	}
	if grown := heap() - before; grown > limit+len(part)+(1<<20) {
		t.Errorf("%d bytes in use for %d", grown, limit)
	}
	runtime.KeepAlive(f)
}
