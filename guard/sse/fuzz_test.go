// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package sse_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/guard/sse"
)

// noLimit is more than a fuzzer writes.
const noLimit = 1 << 24

func FuzzFramer(f *testing.F) {
	for i, tt := range streams {
		f.Add([]byte(tt.stream), []byte{byte(i), 1, byte(3 * i)}, byte(smallLimit))
	}
	f.Fuzz(func(t *testing.T, stream, sizes []byte, limit byte) {
		var at []int // where chunks end
		end := 0
		for _, size := range sizes {
			if end += int(size); end > len(stream) {
				break
			}
			at = append(at, end)
		}
		for _, limit := range []int{int(limit), noLimit} {
			checkSplit(t, stream, limit, frame(t, stream, limit), at...)
		}
		whole := append(slices.Clip(stream), "\n\n"...)
		if got, want := events(frame(t, whole, noLimit, at...)), interpret(string(whole)); !slices.Equal(got, want) {
			t.Errorf("%q\n got %v\nwant %v", whole, got, want)
		}
	})
}

// otherLines are those lines of a frame that are no data fields.
func otherLines(raw string) []string {
	raw = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(raw, "\ufeff"))
	return slices.DeleteFunc(strings.Split(raw, "\n"), func(line string) bool {
		return line == "data" || strings.HasPrefix(line, "data:")
	})
}

func FuzzAppendData(f *testing.F) {
	for _, tt := range streams {
		f.Add([]byte(tt.stream), []byte("a\nb"))
		f.Add([]byte(tt.stream), []byte("a\r\n\rdata: b"))
	}
	f.Add([]byte("data: a\rdata: b\n\n"), []byte("c"))
	f.Fuzz(func(t *testing.T, stream, data []byte) {
		lines := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data))
		var changed []byte
		var want []event
		for _, u := range frame(t, stream, noLimit) {
			if u.Kind != sse.Frame {
				changed = append(changed, u.Raw...)
				continue
			}
			from := len(changed)
			changed = u.AppendData(changed, data)
			want = append(want, event{lines, string(u.Event), u.Event != nil})
			if got, want := otherLines(string(changed[from:])), otherLines(string(u.Raw)); !slices.Equal(got, want) {
				t.Errorf("%q becomes %q", u.Raw, changed[from:])
			}
		}
		if got := interpret(string(changed)); !slices.Equal(got, want) {
			t.Errorf("%q becomes %q, which reads as %v, want %v", stream, changed, got, want)
		}
	})
}
