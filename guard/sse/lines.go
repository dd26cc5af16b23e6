// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package sse

import (
	"bytes"
	"iter"
)

// bom may stand at the beginning of a stream.
var bom = []byte("\ufeff")

// lineScanner finds line ends. It looks at each byte once for LF and once for CR,
// however they are mixed.
type lineScanner struct {
	at int // where the search goes on
	lf int // the next LF from there on, the window's length if there is none
}

// unknown says that the next LF has still to be looked for.
const unknown = -1

// next returns where the current line's text ends and where the next line starts.
// A CR that ends the window ends the line, whatever may follow.
func (s *lineScanner) next(window []byte) (end, next int, ok bool) {
	if s.lf < s.at {
		s.lf = len(window)
		if i := bytes.IndexByte(window[s.at:], '\n'); i >= 0 {
			s.lf = s.at + i
		}
	}
	end = s.lf
	if i := bytes.IndexByte(window[s.at:end], '\r'); i >= 0 {
		end = s.at + i
	}
	if end == len(window) {
		s.at = end
		return 0, 0, false
	}
	next = end + 1
	if window[end] == '\r' && next < len(window) && window[next] == '\n' {
		next++
	}
	s.at = next
	return end, next, true
}

// lines yields the lines of raw and their ends. What stands behind the last end,
// be it nothing, is a line without one.
func lines(raw []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(text, eol []byte) bool) {
		s := lineScanner{lf: unknown}
		for start := 0; ; {
			end, next, ok := s.next(raw)
			if !ok {
				yield(raw[start:], nil)
				return
			}
			if !yield(raw[start:end], raw[end:next]) {
				return
			}
			start = next
		}
	}
}

// field splits a line that is no comment into name and value.
func field(line []byte) (name, value []byte) {
	const data = "data" // most lines: it needs no search
	if n := len(data); len(line) > n && line[n] == ':' && string(line[:n]) == data {
		name, value = line[:n], line[n+1:]
	} else {
		name, value, _ = bytes.Cut(line, []byte{':'})
	}
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	return name, value
}

// data returns the value of a data field; ok is false for any other line.
func data(line []byte) (value []byte, ok bool) {
	name, value := field(line)
	return value, string(name) == "data"
}

// appendJoined appends the values of all data fields of raw, joined by LF.
func appendJoined(dst, raw []byte) []byte {
	first := true
	for line := range lines(raw) {
		value, ok := data(line)
		if !ok {
			continue
		}
		if !first {
			dst = append(dst, '\n')
		}
		dst, first = append(dst, value...), false
	}
	return dst
}
