// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package sse

import (
	"bytes"
	"slices"
)

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
	// Data is a frame's data: the values of its data fields, joined by LF.
	Data []byte
	// Event is the value of a frame's last event field, nil if it has none.
	Event []byte
	// Tail marks a filler that is the LF of a CRLF whose CR has already ended the
	// unit before it.
	Tail bool
	// Last marks the last piece of an oversized unit.
	Last bool

	mark int // length of the byte order mark that Raw begins with
}

// keptBuffer is the largest buffer that is kept while nothing stands in it.
const keptBuffer = 8 << 10

// Framer splits a stream into units. It is not safe for concurrent use.
type Framer struct {
	max int

	// window is what is being read: the chunk itself, or buf with what was left
	// and the chunk behind it.
	window []byte
	owned  bool // window is buf
	buf    []byte
	join   []byte // data of several lines

	unit   int // where the current unit starts in window
	line   int // where the current line starts
	scan   int // how far the current line has been searched for its end
	nextLF int // where the next LF at or after scan is; len(window) if there is none

	fields int  // field lines of the unit so far
	datas  int  // of these, data fields
	data   span // the value of the last data field
	event  span // the value of the last event field

	mark   int    // length of the byte order mark that the unit begins with
	begun  bool   // the stream's first line is over
	cr     bool   // the last line ended in a CR: a LF that follows belongs to it
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

// NewFramer returns a framer for one stream. A unit of more than max bytes comes
// in pieces.
func NewFramer(max int) *Framer { return &Framer{max: max, eol: "\n"} }

// Push takes the next bytes of the stream.
func (f *Framer) Push(chunk []byte) {
	if !f.owned {
		f.keep()
	}
	if left := f.window[f.unit:]; len(left) == 0 {
		f.window, f.owned = chunk, false
	} else {
		f.buf = append(f.buf[:copy(f.buf, left)], chunk...)
		f.window, f.owned = f.buf, true
	}
	f.line -= f.unit
	f.scan -= f.unit
	f.unit = 0
	f.nextLF = -1
}

// Buffered returns how many bytes of an unfinished unit are kept.
func (f *Framer) Buffered() int { return len(f.window) - f.unit }

// Owed returns the LF that the stream's habit lets expect after a CR that has
// ended the last unit, else nothing.
func (f *Framer) Owed() string {
	if f.cr && f.eol == "\r\n" {
		return "\n"
	}
	return ""
}

// Next returns the next unit; ok is false once the pushed bytes hold no further
// whole one.
func (f *Framer) Next() (u Unit, ok bool) {
	if f.cr && f.scan < len(f.window) {
		f.cr, f.eol = false, "\r"
		if f.window[f.scan] == '\n' {
			f.eol = "\r\n"
			f.scan++
			f.line = f.scan
			if f.unit == f.scan-1 && !f.over {
				return f.emit(Unit{Kind: Filler, Tail: true}, f.scan), true
			}
		}
	}
	if f.over {
		return f.piece()
	}
	for {
		end, next, found := f.lineEnd()
		if !found {
			return f.partial()
		}
		start := f.line
		f.line, f.scan = next, next
		if u, ok := f.take(start, end); ok {
			return u, true
		}
	}
}

// lineEnd finds the end of the current line, and where the next one starts.
func (f *Framer) lineEnd() (end, next int, found bool) {
	if f.nextLF < f.scan {
		f.nextLF = len(f.window)
		if i := bytes.IndexByte(f.window[f.scan:], '\n'); i >= 0 {
			f.nextLF = f.scan + i
		}
	}
	end = f.nextLF
	if i := bytes.IndexByte(f.window[f.scan:end], '\r'); i >= 0 {
		end = f.scan + i
		if end+1 < len(f.window) {
			if f.window[end+1] == '\n' {
				f.eol = "\r\n"
				return end, end + 2, true
			}
		} else {
			f.cr = true
			return end, end + 1, true
		}
		f.eol = "\r"
		return end, end + 1, true
	}
	if end == len(f.window) {
		f.scan = end
		return 0, 0, false
	}
	f.eol = "\n"
	return end, end + 1, true
}

// take reads a whole line. It returns a unit if the line ends one.
func (f *Framer) take(start, end int) (u Unit, ok bool) {
	text := f.text(start, end)
	f.begun = true
	switch {
	case len(text) == 0:
		return f.dispatch(start), true
	case text[0] == ':':
		if f.fields > 0 {
			return u, false
		}
		return f.filler(end), true
	}
	f.fields++
	name, value := field(text)
	at := span{end - len(value) - f.unit, end - f.unit, true}
	switch string(name) {
	case "data":
		f.datas++
		f.data = at
	case "event":
		f.event = at
	}
	return u, false
}

// dispatch ends a unit at its blank line. The blank line itself does not count
// for the limit: its LF may come apart from its CR.
func (f *Framer) dispatch(blank int) Unit {
	switch {
	case blank-f.unit > f.max:
		return f.emit(Unit{Kind: Oversize, Last: true}, f.line)
	case f.datas == 0:
		return f.emit(Unit{Kind: Filler}, f.line)
	}
	u := Unit{Kind: Frame, Event: f.of(f.event)}
	if u.Data = f.of(f.data); f.datas > 1 {
		f.join = joinData(f.join[:0], f.window[f.unit+f.mark:f.line])
		u.Data = f.join
	}
	return f.emit(u, f.line)
}

func (f *Framer) filler(end int) Unit {
	if end-f.unit > f.max {
		return f.emit(Unit{Kind: Oversize, Last: true}, f.line)
	}
	return f.emit(Unit{Kind: Filler}, f.line)
}

func (f *Framer) of(s span) []byte {
	if !s.set {
		return nil
	}
	return f.window[f.unit+s.from : f.unit+s.to : f.unit+s.to]
}

// emit completes a unit that ends before the offset and begins the next one.
func (f *Framer) emit(u Unit, end int) Unit {
	u.Raw, u.mark = f.window[f.unit:end], f.mark
	f.unit, f.mark = end, 0
	f.fields, f.datas, f.data, f.event = 0, 0, span{}, span{}
	return u
}

// partial keeps an unfinished unit for the next chunk, or begins to give it away
// if it is too large.
func (f *Framer) partial() (u Unit, ok bool) {
	if len(f.window)-f.unit > f.max {
		f.over = true
		f.single = f.fields == 0 && f.commentAhead()
		return f.piece()
	}
	f.keep()
	return u, false
}

// commentAhead reports whether the unfinished line is a comment.
func (f *Framer) commentAhead() bool {
	text := f.text(f.line, len(f.window))
	return len(text) > 0 && text[0] == ':'
}

// text is a line without the byte order mark that the stream may begin with.
func (f *Framer) text(start, end int) []byte {
	line := f.window[start:end]
	if !f.begun && bytes.HasPrefix(line, bom) {
		f.mark = len(bom)
	}
	if f.mark > 0 && start == f.unit {
		return line[f.mark:]
	}
	return line
}

// piece gives away as much of an oversized unit as is there.
func (f *Framer) piece() (u Unit, ok bool) {
	for {
		end, next, found := f.lineEnd()
		if !found {
			break
		}
		blank := end == f.line
		f.begun = true
		f.line, f.scan = next, next
		if blank || f.single {
			f.over, f.single = false, false
			return f.emit(Unit{Kind: Oversize, Last: true}, next), true
		}
	}
	if len(f.window) == f.unit {
		f.keep()
		return u, false
	}
	return f.emit(Unit{Kind: Oversize}, len(f.window)), true
}

// keep makes what is left of the window outlive the chunk.
func (f *Framer) keep() {
	left := f.window[f.unit:]
	switch {
	case len(left) == 0:
		if cap(f.buf) > keptBuffer {
			f.buf = nil
		}
		if cap(f.join) > keptBuffer {
			f.join = nil
		}
		f.window = nil
		f.line -= f.unit
		f.scan -= f.unit
		f.unit = 0
	case !f.owned:
		f.buf = append(f.buf[:0], left...)
		f.window, f.owned = f.buf, true
		f.line -= f.unit
		f.scan -= f.unit
		f.unit = 0
	}
	f.nextLF = -1
}

// Rest returns what an event lacks only line ends to be, at the end of the
// stream: Raw with the missing line ends in the stream's own style. A last line
// that is cut and no data field is left out. ok is false if no data is left.
func (f *Framer) Rest() (u Unit, ok bool) {
	if f.over {
		return u, false
	}
	whole, cut := f.window[f.unit:f.line:f.line], f.text(f.line, len(f.window))
	if name, _ := field(cut); string(name) == "data" {
		whole = append(append(whole, f.window[f.line:]...), f.eol...)
	}
	if u.Data = joinData(nil, whole[min(f.mark, len(whole)):]); u.Data == nil || len(whole) > f.max {
		return Unit{}, false
	}
	u.Event = f.of(f.event)
	u.Raw, u.mark = append(slices.Clip(whole), f.eol...), f.mark
	f.window, f.unit, f.line, f.scan = nil, 0, 0, 0
	return u, true
}
