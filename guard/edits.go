// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"bytes"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

// edits are changes to one frame's data: either replacements of parts, in any
// order and not overlapping, or one new text for all of it.
type edits struct {
	parts [3]edit // id, final and append are all that a frame can need
	count int
	whole []byte
}

type edit struct {
	at   a2a.Span
	text string
}

// replace puts text in the place of a part; an empty part inserts.
func (e *edits) replace(at a2a.Span, text string) {
	e.parts[e.count] = edit{at, text}
	e.count++
}

func (e *edits) empty() bool { return e.count == 0 && e.whole == nil }

func (e *edits) reset() { e.count, e.whole = 0, nil }

// apply appends the changed data to dst.
func (e *edits) apply(dst, data []byte) []byte {
	if e.whole != nil {
		return append(dst, e.whole...)
	}
	parts := e.parts[:e.count]
	for done := 0; ; {
		next := -1
		for i := range parts {
			if parts[i].at.Start >= done && (next < 0 || parts[i].at.Start < parts[next].at.Start) {
				next = i
			}
		}
		if next < 0 {
			return append(dst, data[done:]...)
		}
		dst = append(dst, data[done:parts[next].at.Start]...)
		dst = append(dst, parts[next].text...)
		done = parts[next].at.End
		parts[next].at.Start = -1
	}
}

// appendSSELines appends an event whose data may span lines.
func appendSSELines(dst, data []byte) []byte {
	for line := range bytes.Lines(bytes.ReplaceAll(data, []byte("\r"), nil)) {
		dst = append(dst, "data: "...)
		dst = append(dst, bytes.TrimSuffix(line, []byte("\n"))...)
		dst = append(dst, '\n')
	}
	return append(dst, '\n')
}
