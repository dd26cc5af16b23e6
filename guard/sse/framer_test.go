// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package sse_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/guard/sse"
)

// cut feeds a stream in pieces that end at the given offsets and returns its
// units. It checks that they are the stream, byte for byte, and lie side by side.
func cut(t testing.TB, stream []byte, max int, at ...int) []sse.Unit {
	t.Helper()
	f := sse.NewFramer(max)
	var units []sse.Unit
	var raw []byte
	from := 0
	for _, to := range append(at, len(stream)) {
		chunk := bytes.Clone(stream[from:to])
		f.Push(chunk)
		var before []byte
		for u, ok := f.Next(); ok; u, ok = f.Next() {
			if len(u.Raw) == 0 {
				t.Fatal("a unit without a byte")
			}
			if n := len(before); n > 0 && (cap(before) < n+len(u.Raw) || &before[:n+1][n] != &u.Raw[0]) {
				t.Fatalf("%q does not lie beside %q", u.Raw, before)
			}
			before = u.Raw
			raw = append(raw, u.Raw...)
			u.Raw, u.Data, u.Event = bytes.Clone(u.Raw), bytes.Clone(u.Data), bytes.Clone(u.Event)
			units = append(units, u)
		}
		if f.Buffered() > max+len(chunk) {
			t.Fatalf("keeps %d bytes", f.Buffered())
		}
		for i := range chunk {
			chunk[i] = '!' // the framer must not look at it any more
		}
		from = to
	}
	if left := len(stream) - len(raw); left != f.Buffered() || !bytes.Equal(raw, stream[:len(raw)]) {
		t.Fatalf("units are %q, %d bytes kept, of %q", raw, f.Buffered(), stream)
	}
	if u, ok := f.Rest(); ok {
		u.Raw, u.Data = bytes.Clone(u.Raw), bytes.Clone(u.Data)
		units = append(units, u)
	}
	return units
}

// describe renders units so that those of every split look alike: runs of
// fillers and pieces are one, and line ends at their seams do not matter.
func describe(units []sse.Unit) string {
	var b strings.Builder
	last := sse.Kind(99)
	for _, u := range units {
		switch u.Kind {
		case sse.Frame:
			fmt.Fprintf(&b, "[%s", u.Data)
			if u.Event != nil {
				fmt.Fprintf(&b, " event=%s", u.Event)
			}
			b.WriteString("]")
		case sse.Oversize:
			if last != sse.Oversize {
				b.WriteString("[oversize]")
			}
		case sse.Filler:
			if u.Tail {
				continue
			}
			fmt.Fprintf(&b, "(%s)", bytes.TrimRight(u.Raw, "\r\n"))
		}
		last = u.Kind
		if u.Last {
			last = 99
		}
	}
	return b.String()
}

var framings = []struct{ name, stream, want string }{
	{"LF", "data: a\n\ndata: b\n\n", "[a][b]"},
	{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", "[a][b]"},
	{"CR", "data: a\r\rdata: b\r\r", "[a][b]"},
	{"mixed", "data: a\r\n\ndata: b\n\r\ndata: c\r\r\n", "[a][b][c]"},
	{"CR and LF of one line end apart", "data: A\r\ndata: B\r\n\r\n", "[A\nB]"},
	{"one space is cut, not two", "data:a\ndata: a\ndata:  a\n\n", "[a\na\n a]"},
	{"no colon", "data\n\n", "[]"},
	{"empty data", "data:\n\nid: 3\ndata:\n\n", "[][]"},
	{"empty lines of data", "data:\ndata: x\ndata\n\n", "[\nx\n]"},
	{"fields around", "id: 7\nevent: message\ndata: {\ndata:  1}\nretry: 5\nother: x\n\n", "[{\n 1} event=message]"},
	{"Java writes the id last", "data: x\nid: 1\n\n", "[x]"},
	{"last event name counts", "event: a\ndata: x\nevent: b\n\n", "[x event=b]"},
	{"empty event name", "event\ndata: x\n\n", "[x event=]"},
	{"comment", ": ping\n\ndata: x\n\n", "(: ping)()[x]"},
	{"comment without a blank line", ": ping\ndata: x\n\n", "(: ping)[x]"},
	{"comment inside a frame", "data: x\n: ping\n\n", "[x]"},
	{"only fields", "id: 4\nretry: 10\n\ndata: x\n\n", "(id: 4\nretry: 10)[x]"},
	{"stray blank lines", "\n\r\n\rdata: x\n\n", "()()()[x]"},
	{"names are exact", "Data: x\ndata : x\n data: x\ndatax: y\n\n", "(Data: x\ndata : x\n data: x\ndatax: y)"},
	{"byte order mark", "\ufeffdata: x\n\n", "[x]"},
	{"byte order mark before a comment", "\ufeff: hi\ndata: x\n\n", "(\ufeff: hi)[x]"},
	{"byte order mark alone", "\ufeff\ndata: x\n\n", "(\ufeff)[x]"},
	{"byte order mark later on", "data: x\n\n\ufeffdata: y\n\n", "[x](\ufeffdata: y)"},
	{"byte order mark before several lines", "\ufeffdata: x\ndata: y\n\n", "[x\ny]"},
	{"NUL", "data: a\x00b\nid: \x00\n\n", "[a\x00b]"},
	{"no UTF-8", "data: \xff\xfe\n\n", "[\xff\xfe]"},
	{"nothing", "", ""},
	{"cut before its blank line", "data: x\n", "[x]"},
	{"cut in its last line", "data: x\ndata: y", "[x\ny]"},
	{"cut in a line without data", "data: x\nid: y", "[x]"},
	{"cut after its name", "event: e\ndata: x", "[x event=e]"},
	{"cut without data", "id: 3\nev", ""},
	{"cut in a comment", "data: x\n\n: pi", "[x]"},
	{"too large", "data: " + strings.Repeat("x", 100) + "\n\ndata: y\n\n", "[oversize][y]"},
	{"too large in many lines", strings.Repeat("data: x\r\n", 20) + "\r\ndata: y\r\n\r\n", "[oversize][y]"},
	{"too large comment", ":" + strings.Repeat("x", 100) + "\n\ndata: y\n\n", "[oversize]()[y]"},
	{"too large without an end", "data: " + strings.Repeat("x", 100), "[oversize]"},
	{"as large as may be", "data: " + strings.Repeat("x", 73) + "\n\ndata: y\n\n", "[" + strings.Repeat("x", 73) + "][y]"},
	{"one byte more", "data: " + strings.Repeat("x", 74) + "\n\ndata: y\n\n", "[oversize][y]"},
}

const smallMax = 80

func TestStreamsAreFramed(t *testing.T) {
	for _, tt := range framings {
		t.Run(tt.name, func(t *testing.T) {
			stream := []byte(tt.stream)
			if got := describe(cut(t, stream, smallMax)); got != tt.want {
				t.Fatalf("\n got %q\nwant %q", got, tt.want)
			}
			var every []int
			for at := range len(stream) + 1 {
				every = append(every, at)
				if got := describe(cut(t, stream, smallMax, at)); got != tt.want {
					t.Errorf("cut at %d\n got %q\nwant %q", at, got, tt.want)
				}
			}
			if got := describe(cut(t, stream, smallMax, every...)); got != tt.want {
				t.Errorf("byte by byte\n got %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestWhatEndsDispatchesAtOnce(t *testing.T) {
	for _, tt := range []struct{ chunk, want string }{
		{"data: x\r\r", "[x]"},
		{"data: x\r\n\r", "[x]"},
		{": ping\n", "(: ping)"},
		{": ping\r", "(: ping)"},
	} {
		f := sse.NewFramer(smallMax)
		f.Push([]byte(tt.chunk))
		u, ok := f.Next()
		if got := describe([]sse.Unit{u}); !ok || got != tt.want {
			t.Errorf("%q gives %q", tt.chunk, got)
		}
		if f.Push([]byte("\n")); tt.chunk[len(tt.chunk)-1] == '\r' {
			if u, ok := f.Next(); !ok || !u.Tail {
				t.Errorf("the LF after %q is %+v", tt.chunk, u)
			}
		}
	}
}

func TestTheRestIsCompletedInItsOwnStyle(t *testing.T) {
	for _, tt := range []struct{ stream, want string }{
		{"data: x", "data: x\n\n"},
		{"data: x\n", "data: x\n\n"},
		{"data: a\r\n\r\nid: 1\r\ndata: x", "id: 1\r\ndata: x\r\n\r\n"},
		{"data: a\r\rdata: x", "data: x\r\r"},
		{"data: x\nid: 1", "data: x\n\n"},
	} {
		units := cut(t, []byte(tt.stream), smallMax)
		if got := string(units[len(units)-1].Raw); got != tt.want {
			t.Errorf("%q leaves %q, want %q", tt.stream, got, tt.want)
		}
	}
}

func TestDataIsReplacedInItsPlace(t *testing.T) {
	for _, tt := range []struct{ frame, data, want string }{
		{"data: x\n\n", "y", "data: y\n\n"},
		{"id: 1\r\ndata:x\r\nevent: e\r\ndata: z\r\n\r\n", "y", "id: 1\r\ndata: y\r\nevent: e\r\n\r\n"},
		{"data: x\r: c\r\r", "1\n2", "data: 1\rdata: 2\r: c\r\r"},
		{"\ufeffdata: x\n\n", "y", "\ufeffdata: y\n\n"},
		{"data\n\n", "y\r\nz", "data: y\ndata: z\n\n"},
	} {
		u := cut(t, []byte(tt.frame), smallMax)[0]
		if got := string(u.AppendData(nil, []byte(tt.data))); got != tt.want {
			t.Errorf("%q becomes %q, want %q", tt.frame, got, tt.want)
		}
	}
}

func TestLargeStreamsAreLinearAndBounded(t *testing.T) {
	const max = 1 << 20
	chunk := 32 << 10
	for name, stream := range map[string][]byte{
		"a line of 64 MiB":        bytes.Repeat([]byte("x"), 64<<20),
		"a comment of 8 MiB":      append([]byte(":"), bytes.Repeat([]byte("x"), 8<<20)...),
		"100,000 lines of data":   bytes.Repeat([]byte("data: x\n"), 100_000),
		"a million empty lines":   bytes.Repeat([]byte("\n"), 1_000_000),
		"a million lone CRs":      bytes.Repeat([]byte("\r"), 1_000_000),
		"CRs in one frame":        bytes.Repeat([]byte("data\r"), 1_000_000),
		"a million small frames":  bytes.Repeat([]byte("data\n\n"), 1_000_000),
		"half a million big ends": bytes.Repeat([]byte("\r\n"), 500_000),
	} {
		t.Run(name, func(t *testing.T) {
			f := sse.NewFramer(max)
			n := 0
			for part := range slices.Chunk(stream, chunk) {
				f.Push(part)
				for u, ok := f.Next(); ok; u, ok = f.Next() {
					n += len(u.Raw)
				}
				if f.Buffered() > max {
					t.Fatalf("keeps %d bytes", f.Buffered())
				}
			}
			if n+f.Buffered() != len(stream) {
				t.Errorf("%d of %d bytes", n, len(stream))
			}
		})
	}
}

func FuzzFramer(f *testing.F) {
	for i, tt := range framings {
		f.Add([]byte(tt.stream), uint16(i), uint16(3*i))
	}
	f.Fuzz(func(t *testing.T, stream []byte, a, b uint16) {
		n := len(stream) + 1
		at := []int{int(a) % n, int(b) % n}
		slices.Sort(at)
		whole, split := describe(cut(t, stream, smallMax)), describe(cut(t, stream, smallMax, at...))
		if whole != split {
			t.Errorf("%q cut at %v\n got %q\nwant %q", stream, at, split, whole)
		}
	})
}

func FuzzAppendData(f *testing.F) {
	for _, tt := range framings {
		f.Add([]byte(tt.stream), []byte("a\nb"))
	}
	f.Fuzz(func(t *testing.T, stream, data []byte) {
		want := string(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")))
		if strings.ContainsRune(strings.TrimSuffix(want, "\r"), '\r') || strings.HasSuffix(want, "\r") {
			return // not one line per LF
		}
		for i, u := range cut(t, stream, 1<<20) {
			if u.Kind != sse.Frame {
				continue
			}
			changed := u.AppendData(nil, data)
			again := cut(t, changed, 1<<20)
			if i > 0 { // not at the beginning, where a byte order mark is one
				again = cut(t, append([]byte("\n"), changed...), 1<<20)[1:]
			}
			if len(again) == 0 || again[0].Kind != sse.Frame || string(again[0].Data) != want || !bytes.Equal(again[0].Event, u.Event) {
				t.Errorf("%q becomes %q, which reads as %q", u.Raw, changed, describe(again))
			}
		}
	})
}
