// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package sse

import "bytes"

// Kind tells what a unit is.
type Kind uint8

// The kinds.
const (
	Frame    Kind = iota // an event
	Filler               // bytes that dispatch nothing
	Oversize             // a piece of a unit that is larger than the limit
)

// Unit is a part of a stream that can be forwarded or left out by itself.
type Unit struct {
	Kind Kind
	// Raw is every byte of the unit, as received.
	Raw []byte
	// Data is a frame's data: the values of its data fields, joined by LF. It
	// may be empty.
	Data []byte
	// Event is the value of a frame's last event field, nil if it has none.
	Event []byte
	// Tail marks a filler that is the LF of a CRLF whose CR has already ended the
	// unit before it.
	Tail bool
	// Last marks the piece that ends an oversized unit.
	Last bool

	mark int // length of the byte order mark that Raw begins with
}

// Framer splits a stream into units. It is not safe for concurrent use.
type Framer struct {
	max int

	// window is what is being read: the chunk itself, or buf with what was left
	// and the chunk behind it.
	window []byte
	owned  bool // window is buf
	buf    []byte
	join   []byte // data of several lines, of all frames of the current Push

	unit  int // where the current unit starts in window
	line  int // where the current line starts; negative if before an oversized piece
	lines lineScanner

	fields bool // the unit has a field line: comments are part of it
	datas  int  // its data fields so far
	data   span // the value of the last one
	event  span // the value of the last event field

	begun  bool   // it is known whether the stream begins with a byte order mark
	mark   int    // length of the mark that the unit begins with
	cr     bool   // the last byte was a CR: a LF that follows belongs to it
	eol    string // the stream's last line end
	over   bool   // in an oversized unit
	single bool   // which is one comment line
}

// span is a part of the window, counted from the unit's start. set tells an
// empty value from none.
type span struct {
	from, to int
	set      bool
}

// NewFramer returns a framer for one stream. A unit of more than limit bytes, its
// blank line not counted, comes in pieces.
func NewFramer(limit int) *Framer { return &Framer{max: max(limit, len(bom)), eol: "\n"} }

// Next returns the next unit; ok is false once the pushed bytes hold no further
// whole one.
func (f *Framer) Next() (u Unit, ok bool) {
	if !f.begun {
		f.begin()
	}
	if f.cr && f.lines.at < len(f.window) {
		if u, ok := f.afterCR(); ok {
			return u, true
		}
	}
	if f.over {
		return f.piece()
	}
	for {
		start := f.line
		end, ok := f.nextLine()
		if !ok {
			return f.partial()
		}
		if f.take(start, end) {
			return f.complete(start, end), true
		}
	}
}

// begin looks for the byte order mark, which may come in parts.
func (f *Framer) begin() {
	if len(f.window) < len(bom) && bytes.HasPrefix(bom, f.window) {
		return
	}
	f.begun = true
	if bytes.HasPrefix(f.window, bom) {
		f.mark = len(bom)
	}
}

// afterCR decides what the CR at the end of the last chunk was. A LF behind it is
// a unit of its own if the CR has ended one.
func (f *Framer) afterCR() (u Unit, ok bool) {
	tail := f.unitEnded()
	f.cr, f.eol = false, "\r"
	if f.window[f.lines.at] != '\n' {
		return u, false
	}
	f.eol = "\r\n"
	f.lines.at++
	f.line = f.lines.at
	if !tail {
		return u, false
	}
	return f.emit(Unit{Kind: Filler, Tail: true}), true
}

// unitEnded reports whether the last line ended a unit.
func (f *Framer) unitEnded() bool { return f.unit == f.line && !f.over }

// nextLine moves to the next line and returns where the current one's text ends.
func (f *Framer) nextLine() (end int, ok bool) {
	end, next, ok := f.lines.next(f.window)
	if !ok {
		return 0, false
	}
	switch {
	case f.window[end] == '\n':
		f.eol = "\n"
	case next > end+1:
		f.eol = "\r\n"
	case next < len(f.window):
		f.eol = "\r"
	default:
		f.cr = true
	}
	f.line = next
	return end, true
}

// take reads a line and reports whether it ends the unit.
func (f *Framer) take(start, end int) bool {
	text := f.text(start, end)
	if len(text) == 0 {
		return true
	}
	if text[0] == ':' {
		return !f.fields
	}
	f.fields = true
	name, value := field(text)
	at := span{end - len(value) - f.unit, end - f.unit, true}
	switch string(name) {
	case "data":
		f.datas++
		f.data = at
	case "event":
		f.event = at
	}
	return false
}

// text is a line without the byte order mark that the stream may begin with.
func (f *Framer) text(start, end int) []byte {
	if start == f.unit {
		start += f.mark
	}
	return f.window[start:end]
}

// complete ends a unit with the line that has been taken. The size of a frame
// goes without its blank line, whose LF may come apart from its CR.
func (f *Framer) complete(start, end int) Unit {
	size := end - f.unit
	if f.fields {
		size = start - f.unit
	}
	switch {
	case size > f.max:
		return f.emit(Unit{Kind: Oversize, Last: true})
	case f.datas == 0:
		return f.emit(Unit{Kind: Filler})
	}
	u := Unit{Kind: Frame, Data: f.value(f.data), Event: f.value(f.event)}
	if f.datas > 1 {
		from := len(f.join)
		f.join = appendJoined(f.join, f.window[f.unit+f.mark:f.line])
		u.Data = f.join[from:len(f.join):len(f.join)]
	}
	return f.emit(u)
}

func (f *Framer) value(s span) []byte {
	if !s.set {
		return nil
	}
	return f.window[f.unit+s.from : f.unit+s.to : f.unit+s.to]
}

// emit ends a unit before the current line and begins the next one.
func (f *Framer) emit(u Unit) Unit {
	u.mark = f.mark
	f.mark, f.fields, f.datas = 0, false, 0
	f.data, f.event = span{}, span{}
	u.Raw = f.cut(f.line)
	return u
}

// cut takes the unit's bytes up to the offset off the window. The capacity stays,
// so that the neighbours of one Push can be put together again.
func (f *Framer) cut(end int) []byte {
	raw := f.window[f.unit:end:len(f.window)]
	f.unit = end
	return raw
}

// partial keeps an unfinished unit for the next chunk, or begins to give it away
// if it is too large.
func (f *Framer) partial() (u Unit, ok bool) {
	if len(f.window)-f.unit <= f.max {
		f.keep()
		return u, false
	}
	f.over = true
	f.single = !f.fields && f.text(f.line, len(f.window))[0] == ':'
	return f.piece()
}

// piece gives away as much of an oversized unit as is there.
func (f *Framer) piece() (u Unit, ok bool) {
	for {
		start := f.line
		end, ok := f.nextLine()
		if !ok {
			break
		}
		if start == end || f.single {
			f.over, f.single = false, false
			return f.emit(Unit{Kind: Oversize, Last: true}), true
		}
	}
	if f.unit == len(f.window) {
		f.keep()
		return u, false
	}
	return Unit{Kind: Oversize, Raw: f.cut(len(f.window))}, true
}
