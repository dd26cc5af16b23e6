// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"bytes"
	"slices"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

// edits are changes to one frame's data: either replacements of parts, in any
// order and not overlapping, or one new text for all of it.
type edits struct {
	parts []edit
	whole []byte
}

type edit struct {
	at   a2a.Span
	text string
}

// replace puts text in the place of a part; an empty part inserts.
func (e *edits) replace(at a2a.Span, text string) { e.parts = append(e.parts, edit{at, text}) }

// remove takes a member out of its object, with one of the commas beside it.
// Members of one object are removed in their order.
func (e *edits) remove(data []byte, member a2a.Span) {
	before := bytes.TrimRight(data[:member.Start], " \t\r\n")
	leads := !bytes.HasSuffix(before, []byte(",")) || len(e.parts) > 0 && e.parts[len(e.parts)-1].at.End == len(before)
	if !leads {
		member.Start = len(before) - 1
	} else if rest := bytes.TrimLeft(data[member.End:], " \t\r\n"); bytes.HasPrefix(rest, []byte(",")) {
		member.End = len(data) - len(rest) + 1
	}
	e.replace(member, "")
}

// touches reports whether a part is changed already.
func (e *edits) touches(at a2a.Span) bool {
	return slices.ContainsFunc(e.parts, func(p edit) bool { return p.at.Start < at.End && at.Start < p.at.End })
}

func (e *edits) empty() bool { return len(e.parts) == 0 && e.whole == nil }

func (e *edits) reset() { e.parts, e.whole = e.parts[:0], nil }

// apply appends the changed data to dst.
func (e *edits) apply(dst, data []byte) []byte {
	if e.whole != nil {
		return append(dst, e.whole...)
	}
	slices.SortStableFunc(e.parts, func(a, b edit) int { return a.at.Start - b.at.Start })
	done := 0
	for _, part := range e.parts {
		dst = append(dst, data[done:part.at.Start]...)
		dst = append(dst, part.text...)
		done = part.at.End
	}
	return append(dst, data[done:]...)
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
