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

// frame feeds a stream in chunks that end at the given offsets and returns its
// units, the rest as the last one. It checks what holds for every stream: the
// units are its bytes, they lie side by side, stay valid until the next Push, and
// little is kept.
func frame(t testing.TB, stream []byte, limit int, at ...int) []sse.Unit {
	t.Helper()
	f := sse.NewFramer(limit)
	var all []sse.Unit
	from, done := 0, 0
	for _, to := range append(at, len(stream)) {
		chunk := bytes.Clone(stream[from:to])
		var units []sse.Unit
		f.Push(chunk)
		for u, ok := f.Next(); ok; u, ok = f.Next() {
			units = append(units, u)
		}
		start := done
		for i, u := range units {
			if len(u.Raw) == 0 || !bytes.HasPrefix(stream[done:], u.Raw) {
				t.Fatalf("unit %q, where %q goes on", u.Raw, stream[done:])
			}
			done += len(u.Raw)
			if first := units[0].Raw; !bytes.Equal(first[:done-start], stream[start:done]) {
				t.Fatalf("unit %d, %q, does not lie beside %q", i, u.Raw, first)
			}
			all = append(all, clone(u))
		}
		if kept := f.Buffered(); kept != to-done || kept > max(limit, len("\ufeff")) {
			t.Fatalf("keeps %d bytes of %d, with a limit of %d", kept, to-done, limit)
		}
		if !bytes.Equal(chunk, stream[from:to]) {
			t.Fatalf("has changed its chunk to %q", chunk)
		}
		for i := range chunk {
			chunk[i] = '!' // it is the caller's again
		}
		from = to
	}
	if u, ok := f.Rest(); ok {
		all = append(all, clone(u))
		if u, again := f.Rest(); again || f.Buffered() != 0 || f.Owed() != "" {
			t.Fatalf("another rest %+v, %d bytes kept, %q owed", u, f.Buffered(), f.Owed())
		}
	}
	return all
}

func clone(u sse.Unit) sse.Unit {
	u.Raw, u.Data, u.Event = bytes.Clone(u.Raw), bytes.Clone(u.Data), bytes.Clone(u.Event)
	return u
}

// describe renders units so that those of every split look alike: the pieces of
// one oversized unit are one, and a LF that came apart from its CR is not told.
func describe(units []sse.Unit) string {
	var b strings.Builder
	inside := false // of an oversized unit
	for _, u := range units {
		switch u.Kind {
		case sse.Frame:
			fmt.Fprintf(&b, "[%s", u.Data)
			if u.Event != nil {
				fmt.Fprintf(&b, " event=%s", u.Event)
			}
			b.WriteString("]")
		case sse.Oversize:
			if !inside {
				b.WriteString("[oversize]")
			}
			inside = !u.Last
		case sse.Filler:
			if !u.Tail {
				fmt.Fprintf(&b, "(%s)", bytes.TrimRight(u.Raw, "\r\n"))
			}
		}
	}
	return b.String()
}

// raws returns the bytes of all frames and fillers, without the LF that may come
// apart from its CR.
func raws(units []sse.Unit) (all []string) {
	for _, u := range units {
		if u.Kind == sse.Oversize || u.Tail {
			continue
		}
		raw := string(u.Raw)
		if strings.HasSuffix(raw, "\r\n") {
			raw = raw[:len(raw)-1]
		}
		all = append(all, raw)
	}
	return all
}

// checkSplit checks that a split gives what the whole gave.
func checkSplit(t testing.TB, stream []byte, limit int, whole []sse.Unit, at ...int) {
	t.Helper()
	units := frame(t, stream, limit, at...)
	if got, want := describe(units), describe(whole); got != want {
		t.Fatalf("%q cut at %v\n got %q\nwant %q", stream, at, got, want)
	}
	if got, want := raws(units), raws(whole); !slices.Equal(got, want) {
		t.Fatalf("%q cut at %v\n got %q\nwant %q", stream, at, got, want)
	}
}

// event is what a browser dispatches.
type event struct {
	data, name string
	named      bool
}

// interpret is the standard's algorithm in its own words, on a stream that is
// there as a whole.
func interpret(stream string) (events []event) {
	stream = strings.TrimPrefix(stream, "\ufeff")
	stream = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(stream)
	lines := strings.Split(stream, "\n")
	var e event
	var data strings.Builder
	for _, line := range lines[:len(lines)-1] {
		if line == "" {
			if data.Len() > 0 {
				e.data = strings.TrimSuffix(data.String(), "\n")
				events = append(events, e)
			}
			data.Reset()
			e = event{}
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		switch value = strings.TrimPrefix(value, " "); name {
		case "data":
			data.WriteString(value + "\n")
		case "event":
			e.name, e.named = value, true
		}
	}
	return events
}

func (e event) String() string { return fmt.Sprintf("%q (%q, %t)", e.data, e.name, e.named) }

// events are those of the units.
func events(units []sse.Unit) (all []event) {
	for _, u := range units {
		if u.Kind == sse.Frame {
			all = append(all, event{string(u.Data), string(u.Event), u.Event != nil})
		}
	}
	return all
}
