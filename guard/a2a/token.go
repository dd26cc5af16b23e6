// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Token is the raw text of one JSON value, nil where the value is absent.
type Token []byte

// TextToken returns the JSON string that stands for a text, nil for what is no
// text: two ids must not become one.
func TextToken(text string) Token {
	if !utf8.ValidString(text) {
		return nil
	}
	return appendString(nil, text)
}

// IsString reports whether the token is a JSON string.
func (t Token) IsString() bool { return len(t) >= 2 && t[0] == '"' }

// names reports whether the token is a string that everybody reads alike.
func (t Token) names() bool { return t.IsString() && utf8.Valid(t) }

// ID returns the token if it can identify something: a string that is not
// empty. Anything else counts as absent.
func (t Token) ID() Token {
	if t.IsString() && len(t) > 2 {
		return t
	}
	return nil
}

// AppendText appends the string that the token stands for, unescaped; for a
// token that is no string, its raw text.
func (t Token) AppendText(dst []byte) []byte {
	switch {
	case !t.IsString():
		return append(dst, t...)
	case bytes.IndexByte(t, '\\') < 0:
		return append(dst, t[1:len(t)-1]...)
	}
	dst, _ = jsontext.AppendUnquote(dst, []byte(t)) // replaces what is no Unicode
	return dst
}

// Text is [Token.AppendText] as a string of its own.
func (t Token) Text() string { return string(t.AppendText(nil)) }

// Same reports whether two tokens stand for the same string or number. Numbers
// are compared by value as far as that needs no arithmetic: 1.0 is 1.
func (t Token) Same(u Token) bool {
	if bytes.Equal(t, u) {
		return true
	}
	if len(t) == 0 || len(u) == 0 {
		return false
	}
	if t.IsString() != u.IsString() {
		return false
	}
	if t.IsString() {
		if bytes.IndexByte(t, '\\') < 0 && bytes.IndexByte(u, '\\') < 0 {
			return false
		}
		return bytes.Equal(t.AppendText(nil), u.AppendText(nil))
	}
	return bytes.Equal(trimFraction(t), trimFraction(u))
}

// count reads an integer of at most nine digits and without a sign, which is all
// that the protocol counts with.
func (t Token) count() (n int, ok bool) {
	if len(t) == 0 || len(t) > 9 {
		return 0, false
	}
	for _, d := range t {
		if d < '0' || d > '9' {
			return 0, false
		}
		n = n*10 + int(d-'0')
	}
	return n, true
}

// Clone returns a copy that outlives the reader's input.
func (t Token) Clone() Token { return bytes.Clone(t) }

// trimFraction cuts a fraction of zeros off a number without exponent.
func trimFraction(number []byte) []byte {
	dot := bytes.IndexByte(number, '.')
	if dot < 0 || len(bytes.Trim(number[dot+1:], "0")) > 0 {
		return number
	}
	return number[:dot]
}
