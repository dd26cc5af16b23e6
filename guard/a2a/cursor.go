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
	dec  jsontext.Decoder
	buf  bytes.Buffer
	src  []byte
	name []byte // scratch for unescaped names
	long int    // how long the last name was, its quotes included
	err  error
	flaw Flaw

	wants   Wants
	plain   bool       // responses come without an envelope
	wrapper Dialect    // what a payload in a wrapper is of
	spare   []Artifact // storage for those of a payload without an envelope
}

// The reader's options: duplicate names are found by the cursor itself, where
// they matter, and agents cut text inside an emoji.
var (
	allowDuplicateNames = jsontext.AllowDuplicateNames(true)
	allowInvalidUTF8    = jsontext.AllowInvalidUTF8(true)
)

func (c *cursor) reset(src []byte) {
	c.src, c.err, c.flaw = src, nil, NoFlaw
	c.buf = *bytes.NewBuffer(src)
	c.dec.Reset(&c.buf, allowDuplicateNames, allowInvalidUTF8)
}

// offset is where the next value starts.
func (c *cursor) offset() int {
	i := int(c.dec.InputOffset())
	for i < len(c.src) {
		switch c.src[i] {
		case ' ', '\t', '\n', '\r', ',', ':':
			i++
		default:
			return i
		}
	}
	return i
}

// nameOffset is where the name of the member starts whose value comes next.
func (c *cursor) nameOffset() int { return int(c.dec.InputOffset()) - c.long }

func (c *cursor) fail(err error) {
	if err != nil && c.err == nil {
		c.err = err
	}
}

// is reports whether the next value is of the kind. null and everything else
// that is not is skipped.
func (c *cursor) is(kind jsontext.Kind) bool {
	if c.err == nil && c.dec.PeekKind() == kind {
		return true
	}
	c.skip()
	return false
}

func (c *cursor) skip() {
	if c.err == nil {
		c.fail(c.dec.SkipValue())
	}
}

// value returns the next value's raw text, nil for null.
func (c *cursor) value() Token {
	if c.err != nil {
		return nil
	}
	v, err := c.dec.ReadValue()
	c.fail(err)
	if err != nil || v.Kind() == 'n' {
		return nil
	}
	return Token(v)
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
		_, err := c.dec.ReadToken()
		c.fail(err)
		for i := 0; c.err == nil && c.dec.PeekKind() != ']'; i++ {
			if !yield(i) {
				return
			}
		}
		if c.err == nil {
			_, err = c.dec.ReadToken()
			c.fail(err)
		}
	}
}

// end checks that nothing follows the top-level value.
func (c *cursor) end() {
	if c.err == nil && len(bytes.TrimLeft(c.src[c.dec.InputOffset():], " \t\r\n")) > 0 {
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
	field  int       // index of the current member's field, -1 for one the guard does not read

	variant int // then the field that it is but for case, -1 if none
}

// field is a member's name, as JSON has it and as the proto has it.
type field struct{ camel, snake string }

// open enters the object that comes next; ok is false if something else does,
// which is then skipped.
func (c *cursor) open(fields []field) (o object, ok bool) {
	start := c.offset()
	if !c.is('{') {
		return object{}, false
	}
	_, err := c.dec.ReadToken()
	c.fail(err)
	return object{c: c, fields: fields, start: start}, c.err == nil
}

// next moves to the next member and stands before its value, which the caller
// must consume. It is false at the object's end and after an error.
func (o *object) next() bool {
	c := o.c
	if c.err != nil {
		return false
	}
	if c.dec.PeekKind() == '}' {
		_, err := c.dec.ReadToken()
		c.fail(err)
		o.end = int(c.dec.InputOffset())
		return false
	}
	raw, err := c.dec.ReadValue()
	if err != nil {
		c.fail(err)
		return false
	}
	c.long = len(raw)
	name := raw[1 : len(raw)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		c.name, _ = jsontext.AppendUnquote(c.name[:0], raw)
		name = c.name
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
