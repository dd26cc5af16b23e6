// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// values are texts that begin, or seem to begin, with a JSON value.
var values = []string{
	``, ` `, `{}`, `[]`, `""`, `0`, `-0`, `1.5e-3`, `12E+4`, `true`, `false`, `null`, "\t\r\n {\"a\" :\n[1 , {\"b\":null} ,\"\"] }",
	`01`, `-`, `1.`, `.5`, `1e`, `1e+`, `+1`, `0x1`, `NaN`, `Infinity`, `tru`, `truex`, `nul`, `True`,
	`"`, `"a`, `"\`, `"\"`, `"\x"`, `"\u12"`, `"\u12g4"`, `"\uD800"`, `"\uD800\u0041"`, `"\ud83d\ude00"`, "\"\xff\xfe\"", "\"a\x00b\"", "\"a\nb\"", "\"a\x1fb\"", "\"a\x7fb\"",
	`"eight by"`, `"eight b\"`, `"1234567` + "\x01" + `"`, `"12345678\n"`, `"ééééééééé"`,
	`{`, `[`, `}`, `]`, `{]`, `[}`, `[1,]`, `[,1]`, `[1 2]`, `{,}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{"a":1 "b":2}`, `{"a":1,,"b":2}`, `{"a" 1}`, `{1:2}`, `{0":{}}`, `{"a":1,0":{}}`, `{":1}`, `{a":1}`,
	`{"a":1,"a":2}`, `[[[[]]]]`, `[{"a":[{}]}]`, "\ufeff{}", `{}{}`, "[1,\v2]", "/**/1", `'a'`,
}

// FuzzScan holds the scanner to two libraries: they agree on what a JSON value is.
func FuzzScan(f *testing.F) {
	for _, value := range values {
		f.Add([]byte(value))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		end, _ := scanValue(text, 0, nil)
		whole := end >= 0 && scanSpace(text, end) == len(text)
		if want := jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); whole != want {
			t.Errorf("%q: a JSON value to its end: %v, by jsontext %v", text, whole, want)
		}
		if want := json.Valid(text); whole != want {
			t.Errorf("%q: a JSON value to its end: %v, by encoding/json %v", text, whole, want)
		}
		if end >= 0 && !json.Valid(text[:end]) {
			t.Errorf("%q: no JSON value in %q", text[:end], text)
		}
	})
}

// FuzzCursor holds a walk over one object, member by member, to its being read at
// once.
func FuzzCursor(f *testing.F) {
	for _, value := range values {
		f.Add([]byte(value))
		f.Add([]byte(`{"a":` + value + `,"b\u0063":[` + value + `,[]]}`))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var c cursor
		c.reset(text)
		o, ok := c.open([]field{{camel: "a"}, {camel: "bc"}})
		for ok && o.next() {
			if o.field == 0 {
				for range c.elements() {
					c.value()
				}
			} else if nested, ok := c.open(nil); ok {
				for nested.next() {
					c.skip()
				}
			}
		}
		c.end()
		if want := json.Valid(text); (c.err == nil) != want {
			t.Errorf("%q: %v, by encoding/json it is valid: %v", text, c.err, want)
		}
	})
}

func TestNestingIsBounded(t *testing.T) {
	for depth, want := range map[int]bool{maxNesting: true, maxNesting + 1: false} {
		text := strings.Repeat(`[`, depth) + strings.Repeat(`]`, depth)
		if end, _ := scanValue([]byte(text), 0, nil); (end == len(text)) != want {
			t.Errorf("%d deep: %d", depth, end)
		}
	}
}
