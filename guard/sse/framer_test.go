// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package sse_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/guard/sse"
)

// smallLimit lets a table show what is too large.
const smallLimit = 80

var streams = []struct{ name, stream, want string }{
	{"LF", "data: a\n\ndata: b\n\n", "[a][b]"},
	{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", "[a][b]"},
	{"CR", "data: a\r\rdata: b\r\r", "[a][b]"},
	{"mixed", "data: a\r\n\ndata: b\n\r\ndata: c\r\r\n", "[a][b][c]"},
	{"two lines of CRLF", "data: A\r\ndata: B\r\n\r\n", "[A\nB]"},
	{"two lines of CR before a LF", "data: A\rdata: B\n\n", "[A\nB]"},
	{"one space is cut, not two", "data:a\ndata: a\ndata:  a\n\n", "[a\na\n a]"},
	{"a tab is not cut", "data:\ta\n\n", "[\ta]"},
	{"more colons", "data: a: b\n\n", "[a: b]"},
	{"no colon", "data\n\n", "[]"},
	{"empty data", "data:\n\nid: 3\ndata:\n\n", "[][]"},
	{"empty lines of data", "data:\ndata: x\ndata\n\n", "[\nx\n]"},
	{"nothing but empty lines of data", "data\ndata\n\n", "[\n]"},
	{"fields around", "id: 7\nevent: message\ndata: {\ndata:  1}\nretry: 5\nother: x\n\n", "[{\n 1} event=message]"},
	{"last event name counts", "event: a\ndata: x\nevent: b\n\n", "[x event=b]"},
	{"event names do not stay", "event: a\ndata: x\n\ndata: y\n\n", "[x event=a][y]"},
	{"event names of no event do not stay", "event: a\n\ndata: y\n\n", "(event: a)[y]"},
	{"empty event name", "event\ndata: x\n\n", "[x event=]"},
	{"comment", ": ping\n\ndata: x\n\n", "(: ping)()[x]"},
	{"comment without a blank line", ": ping\ndata: x\n\n", "(: ping)[x]"},
	{"empty comment", ":\ndata: x\n\n", "(:)[x]"},
	{"comment inside a frame", "data: x\n: ping\n\n", "[x]"},
	{"comment inside other fields", "id: 1\n: ping\n\ndata: x\n\n", "(id: 1\n: ping)[x]"},
	{"only fields", "id: 4\nretry: 10\n\ndata: x\n\n", "(id: 4\nretry: 10)[x]"},
	{"stray blank lines", "\n\r\n\rdata: x\n\n", "()()()[x]"},
	{"names are exact", "Data: x\ndata : x\n data: x\ndatax: y\n\n", "(Data: x\ndata : x\n data: x\ndatax: y)"},
	{"byte order mark", "\ufeffdata: x\n\n", "[x]"},
	{"byte order mark before a comment", "\ufeff: hi\ndata: x\n\n", "(\ufeff: hi)[x]"},
	{"byte order mark alone", "\ufeff\ndata: x\n\n", "(\ufeff)[x]"},
	{"byte order mark later on", "data: x\n\n\ufeffdata: y\n\n", "[x](\ufeffdata: y)"},
	{"byte order mark twice", "\ufeff\ufeffdata: x\n\n", "(\ufeff\ufeffdata: x)"},
	{"half a byte order mark", "\xef\xbbdata: x\n\n", "(\xef\xbbdata: x)"},
	{"byte order mark before several lines", "\ufeffdata: x\ndata: y\n\n", "[x\ny]"},
	{"byte order mark and no more", "\ufeff", ""},
	{"NUL", "data: a\x00b\nid: \x00\n\n", "[a\x00b]"},
	{"no UTF-8", "data: \xff\xfe\n\n", "[\xff\xfe]"},
	{"other line separators are none", "data: a\u2028b\u0085c\vd\n\n", "[a\u2028b\u0085c\vd]"},
	{"nothing", "", ""},

	{"cut before its blank line", "data: x\n", "[x]"},
	{"cut in its last line", "data: x\ndata: y", "[x\ny]"},
	{"cut in a line without data", "data: x\nid: y", "[x]"},
	{"cut after its name", "event: e\ndata: x", "[x event=e]"},
	{"cut after a byte order mark", "\ufeffdata: x", "[x]"},
	{"cut without data", "id: 3\nev", ""},
	{"cut in a comment", "data: x\n\n: pi", "[x]"},
	{"cut in the line end of a comment", "data: x\r\n\r\n: pi\r", "[x](: pi)"},

	{"too large", "data: " + strings.Repeat("x", 100) + "\n\ndata: y\n\n", "[oversize][y]"},
	{"too large in many lines", strings.Repeat("data: x\r\n", 20) + "\r\ndata: y\r\n\r\n", "[oversize][y]"},
	{"too large in lines of CR", strings.Repeat("data: x\r", 20) + "\rdata: y\r\r", "[oversize][y]"},
	{"too large without data", strings.Repeat("id: 1\n", 20) + "\ndata: y\n\n", "[oversize][y]"},
	{"too large comment", ":" + strings.Repeat("x", 100) + "\r\n\r\ndata: y\n\n", "[oversize]()[y]"},
	{"too large comment in a frame", "id: 1\n:" + strings.Repeat("x", 100) + "\ndata: x\n\ndata: y\n\n", "[oversize][y]"},
	{"too large behind a byte order mark", "\ufeff:" + strings.Repeat("x", 100) + "\ndata: y\n\n", "[oversize][y]"},
	{"too large twice", strings.Repeat("data: "+strings.Repeat("x", 100)+"\n\n", 2), "[oversize][oversize]"},
	{"too large without an end", "data: " + strings.Repeat("x", 100), "[oversize]"},
	{"as large as may be", "data: " + strings.Repeat("x", 73) + "\n\ndata: y\n\n", "[" + strings.Repeat("x", 73) + "][y]"},
	{"one byte more", "data: " + strings.Repeat("x", 74) + "\n\ndata: y\n\n", "[oversize][y]"},
	{"as large as may be, CRLF", "data: " + strings.Repeat("x", 72) + "\r\n\r\ndata: y\n\n", "[" + strings.Repeat("x", 72) + "][y]"},
	{"one byte more, CRLF", "data: " + strings.Repeat("x", 73) + "\r\n\r\ndata: y\n\n", "[oversize][y]"},

	{"sse-starlette", "data: {\"id\":1}\r\n\r\n: ping - 2026-11-02 12:00:00+00:00\r\n\r\nevent: error\r\ndata: {}\r\n\r\n",
		"[{\"id\":1}](: ping - 2026-11-02 12:00:00+00:00)()[{} event=error]"},
	{"Go SDK", "id: 0198-ab\ndata: {}\n\n: keep-alive\n\n", "[{}](: keep-alive)()"},
	{"Java SDK", ": SSE stream started\n\ndata: {}\nid: 0\n\ndata: {}\nid: 1\n\n", "(: SSE stream started)()[{}][{}]"},
	{"pretty-printed JSON", "data: {\r\ndata:   \"id\": 1\r\ndata: }\r\n\r\n", "[{\n  \"id\": 1\n}]"},
	{"JSON over lines, one without a space", "id: 7\nevent: message\ndata: {\"a\":\ndata:  1,\ndata:\"b\":\ndata: 2}\n\n",
		"[{\"a\":\n 1,\n\"b\":\n2} event=message]"},
	{"heartbeats as data", "data: {\"type\":\"heartbeat\"}\n\ndata:\n\nid: 3\ndata:\n\n", "[{\"type\":\"heartbeat\"}][][]"},
}

func TestStreamsAreFramedHoweverTheyAreCut(t *testing.T) {
	for _, tt := range streams {
		t.Run(tt.name, func(t *testing.T) {
			stream := []byte(tt.stream)
			whole := frame(t, stream, smallLimit)
			if got := describe(whole); got != tt.want {
				t.Fatalf("\n got %q\nwant %q", got, tt.want)
			}
			var every []int
			for at := range len(stream) + 1 {
				every = append(every, at)
				checkSplit(t, stream, smallLimit, whole, at)
				for second := at; second <= len(stream); second++ {
					checkSplit(t, stream, smallLimit, whole, at, second)
				}
			}
			checkSplit(t, stream, smallLimit, whole, every...)
		})
	}
}

func TestStreamsAreReadAsBrowsersReadThem(t *testing.T) {
	for _, tt := range streams {
		stream := tt.stream + "\n\n" // so that nothing is left over
		if got, want := events(frame(t, []byte(stream), 1<<20)), interpret(stream); !slices.Equal(got, want) {
			t.Errorf("%s:\n got %v\nwant %v", tt.name, got, want)
		}
	}
}

func TestWhatIsCompleteDoesNotWait(t *testing.T) {
	for _, tt := range []struct{ chunk, want string }{
		{"data: x\n\n", "[x]"},
		{"data: x\r\r", "[x]"},
		{"data: x\r\n\r", "[x]"},
		{": ping\n", "(: ping)"},
		{": ping\r", "(: ping)"},
		{"\r", "()"},
	} {
		f := sse.NewFramer(smallLimit)
		f.Push([]byte(tt.chunk))
		u, ok := f.Next()
		if got := describe([]sse.Unit{u}); !ok || got != tt.want {
			t.Errorf("%q gives %q", tt.chunk, got)
		}
		f.Push([]byte("\n"))
		if u, ok := f.Next(); !ok || u.Kind != sse.Filler || u.Tail != strings.HasSuffix(tt.chunk, "\r") {
			t.Errorf("the LF after %q is %+v", tt.chunk, u)
		}
	}
}

func TestACRLFInTwoChunksIsOneLineEnd(t *testing.T) {
	f := sse.NewFramer(smallLimit)
	var units []sse.Unit
	for _, chunk := range []string{"data: A\r", "\ndata: B\r\n", "\r", "\n"} {
		f.Push([]byte(chunk))
		for u, ok := f.Next(); ok; u, ok = f.Next() {
			units = append(units, clone(u))
		}
	}
	if len(units) != 2 || string(units[0].Data) != "A\nB" || !units[1].Tail {
		t.Errorf("units are %+v", units)
	}
}

func TestTheRestIsCompletedInItsOwnStyle(t *testing.T) {
	for _, tt := range []struct{ stream, want string }{
		{"data: x", "data: x\n\n"},
		{"data: x\n", "data: x\n\n"},
		{"data: x\nid: 1", "data: x\n\n"},
		{"data: x\n: pi", "data: x\n\n"},
		{"data: x\r", "data: x\r\r"},
		{"data: a\r\rdata: x", "data: x\r\r"},
		{"data: a\r\rdata: x\r", "data: x\r\r"},
		{"data: x\rid: 1", "data: x\r\r"},
		{"data: a\n\ndata: x\r", "data: x\r\r"},
		{"data: a\r\n\r\nid: 1\r\ndata: x", "id: 1\r\ndata: x\r\n\r\n"},
		{"data: a\r\n\r\ndata: x\r\n", "data: x\r\n\r\n"},
		{"data: a\r\n\r\ndata: x\r", "data: x\r\n\r\n"},
		{"\ufeffdata: x", "\ufeffdata: x\n\n"},
	} {
		units := frame(t, []byte(tt.stream), smallLimit)
		last := units[len(units)-1]
		if last.Kind != sse.Frame || string(last.Raw) != tt.want || string(last.Data) != "x" {
			t.Errorf("%q leaves %q, want %q", tt.stream, last.Raw, tt.want)
		}
		again := frame(t, last.Raw, smallLimit)
		if got, want := describe(again), describe([]sse.Unit{last}); got != want {
			t.Errorf("%q reads as %q", last.Raw, got)
		}
	}
}

func TestALineEndIsOwedAfterHalfOfOne(t *testing.T) {
	for _, tt := range []struct{ stream, want string }{
		{"data: x\r\n\r", "\n"},
		{"data: x\r\n\r\n", ""},
		{"data: x\r\r", ""},
		{"data: x\n\n", ""},
		{"data: x\r\n\r\ndata: y\r", ""},
		{"data: x\r\n\r\n: ping\r", "\n"},
	} {
		f := sse.NewFramer(smallLimit)
		f.Push([]byte(tt.stream))
		for _, ok := f.Next(); ok; _, ok = f.Next() {
		}
		if got := f.Owed(); got != tt.want {
			t.Errorf("%q is owed %q", tt.stream, got)
		}
	}
}

func TestWhatIsTooLargeGoesOnAsItComes(t *testing.T) {
	f := sse.NewFramer(smallLimit)
	var got []string
	for _, chunk := range [][]byte{
		append([]byte("id: 1\ndata: "), bytes.Repeat([]byte("x"), 60)...),
		bytes.Repeat([]byte("y"), 60),
		[]byte("z"),
		[]byte("\n\ndata: next\n\n"),
	} {
		f.Push(chunk)
		for u, ok := f.Next(); ok; u, ok = f.Next() {
			if u.Kind == sse.Oversize && u.Data != nil {
				t.Errorf("a piece with data %q", u.Data)
			}
			got = append(got, describe([]sse.Unit{u})+strings.Repeat(".", len(u.Raw)))
		}
	}
	want := []string{"[oversize]" + strings.Repeat(".", 132), "[oversize].", "[oversize]..", "[next]" + strings.Repeat(".", 12)}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
