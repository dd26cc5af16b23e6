// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"bytes"
	"errors"
	"iter"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Flaw is a way in which JSON that parses can still be read differently by two
// parsers.
type Flaw uint8

// The flaws.
const (
	NoFlaw          Flaw = iota
	DuplicateKeys        // one key stands twice in an object that the guard reads
	CaseVariantKeys      // one field stands there in two spellings
)

// errNotObject means that the top-level value is no object.
var errNotObject = errors.New("not a JSON object")

// cursor walks over one JSON text. Errors stick: after the first one nothing
// more is found.
type cursor struct {
	src    []byte
	at     int    // behind what was read
	nameAt int    // where the last member's name starts
	name   []byte // scratch for unescaped names
	nested []byte // scratch for brackets within a value that is skipped
	err    error
	flaw   Flaw

	wants   Wants
	plain   bool       // responses come without an envelope
	wrapper Dialect    // what a payload in a wrapper is of
	spare   []Artifact // storage for those of a payload without an envelope
}

func (c *cursor) reset(src []byte) {
	c.src, c.at, c.err, c.flaw = src, 0, nil, NoFlaw
}

// offset is where the next value starts.
func (c *cursor) offset() int {
	c.at = scanSpace(c.src, c.at)
	return c.at
}

// peek returns the first byte of what comes next, 0 at the text's end.
func (c *cursor) peek() byte {
	if i := c.offset(); i < len(c.src) {
		return c.src[i]
	}
	return 0
}

func (c *cursor) fail(err error) {
	if err != nil && c.err == nil {
		c.err = err
	}
}

// is reports whether the next value begins so. null and everything else that does
// not is skipped.
func (c *cursor) is(first byte) bool {
	if c.err == nil && c.peek() == first {
		return true
	}
	c.skip()
	return false
}

func (c *cursor) skip() {
	if c.err != nil {
		return
	}
	end, memory := scanValue(c.src, c.at, c.nested)
	c.nested = memory
	if end < 0 {
		c.fail(errSyntax)
		return
	}
	c.at = end
}

// value returns the next value's raw text, nil for null.
func (c *cursor) value() Token {
	start := c.offset()
	if c.skip(); c.err != nil || c.src[start] == 'n' {
		return nil
	}
	return Token(c.src[start:c.at])
}

// id returns the next value if it can identify something, else nil.
func (c *cursor) id() Token { return c.value().ID() }

// flag returns the next value if it is a boolean; present is false otherwise.
func (c *cursor) flag() (value, present bool) {
	switch v := c.value(); string(v) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}

// elements walks over the array that comes next and stands before each of its
// elements, which the caller must consume. Anything else is skipped.
func (c *cursor) elements() iter.Seq[int] {
	return func(yield func(int) bool) {
		if !c.is('[') {
			return
		}
		if c.at++; c.peek() == ']' {
			c.at++
			return
		}
		for i := 0; yield(i) && c.err == nil; i++ {
			switch c.peek() {
			case ',':
				c.at++
			case ']':
				c.at++
				return
			default:
				c.fail(errSyntax)
				return
			}
		}
	}
}

// end checks that nothing follows the top-level value.
func (c *cursor) end() {
	if c.err == nil && c.offset() < len(c.src) {
		c.fail(errors.New("more than one JSON value"))
	}
}

// object is a walk over one object's members.
type object struct {
	c      *cursor
	fields []field
	seen   [2]uint32 // members met, by spelling: camelCase or any other
	start  int       // of the object, its brace included
	end    int       // one past its closing brace, once next returned false
	begun  bool      // a member was met
	field  int       // index of the current member's field, -1 for one the guard does not read

	variant int // then the field that it is but for case, -1 if none
}

// field is a member's name, as JSON has it and as the proto has it.
type field struct{ camel, snake string }

// open enters the object that comes next; ok is false if something else does,
// which is then skipped.
func (c *cursor) open(fields []field) (o object, ok bool) {
	if !c.is('{') {
		return object{}, false
	}
	start := c.at
	c.at++
	return object{c: c, fields: fields, start: start}, true
}

// next moves to the next member and stands before its value, which the caller
// must consume. It is false at the object's end and after an error.
func (o *object) next() bool {
	c := o.c
	if c.err != nil {
		return false
	}
	switch first := c.peek(); {
	case first == '}':
		c.at++
		o.end = c.at
		return false
	case first == ',' && o.begun:
		c.at++
	case o.begun:
		c.fail(errSyntax)
		return false
	}
	o.begun = true
	name, ok := c.memberName()
	if !ok {
		c.fail(errSyntax)
		return false
	}
	o.field = -1
	for i := range o.fields {
		f := &o.fields[i]
		switch {
		case string(name) == f.camel:
			o.meet(i, 0)
			o.field = i
			return true
		case f.snake != "" && string(name) == f.snake:
			o.meet(i, 1)
			o.field = i
			return true
		}
	}
	o.variant = o.meetVariant(name)
	return true
}

// memberName reads a member's name, unescaped, and the colon behind it.
func (c *cursor) memberName() (name []byte, ok bool) {
	if c.peek() != '"' {
		return nil, false
	}
	c.nameAt = c.at
	start := c.at + 1
	end := start + plainLength(c.src[start:])
	if end < len(c.src) && c.src[end] == '"' {
		name = c.src[start:end]
		end++
	} else {
		if end = scanString(c.src, c.at); end < 0 {
			return nil, false
		}
		c.name, _ = jsontext.AppendUnquote(c.name[:0], c.src[c.at:end])
		name = c.name
	}
	if c.at = end; c.peek() != ':' {
		return nil, false
	}
	c.at++
	return name, true
}

// meet notes that a field was met in a spelling: 0 the JSON one, 1 another.
func (o *object) meet(i, spelling int) {
	bit := uint32(1) << i
	switch {
	case o.seen[spelling]&bit != 0:
		o.flaw(DuplicateKeys)
	case o.seen[1-spelling]&bit != 0:
		o.flaw(CaseVariantKeys)
	}
	o.seen[spelling] |= bit
}

// meetVariant notes a name that a parser which ignores case would take for one
// of the fields, and returns which.
func (o *object) meetVariant(name []byte) int {
	for i := range o.fields {
		f := &o.fields[i]
		if folds(name, f.camel) || f.snake != "" && folds(name, f.snake) {
			o.meet(i, 1)
			return i
		}
	}
	return -1
}

func (o *object) flaw(f Flaw) {
	if o.c.flaw == NoFlaw {
		o.c.flaw = f
	}
}

// folds reports whether the name is the field's but for case. Simple folding
// changes a name's length only where it leaves ASCII.
func folds(name []byte, field string) bool {
	if len(name) < len(field) || len(name) > len(field)*utf8.UTFMax {
		return false
	}
	if len(name) == len(field) && name[0]|0x20 != field[0]|0x20 {
		return false
	}
	return bytes.EqualFold(name, []byte(field))
}
