// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package sse

import "bytes"

// bom may stand at the beginning of a stream.
var bom = []byte("\ufeff")

// field splits a line that is no comment into name and value.
func field(line []byte) (name, value []byte) {
	name, value, found := bytes.Cut(line, []byte{':'})
	if !found {
		return line, line[len(line):]
	}
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	return name, value
}

// cutLine splits raw after its first line end. text is the line without it; eol
// is empty for a last line that has none.
func cutLine(raw []byte) (text, eol, rest []byte) {
	end := bytes.IndexAny(raw, "\r\n")
	if end < 0 {
		return raw, nil, nil
	}
	next := end + 1
	if raw[end] == '\r' && next < len(raw) && raw[next] == '\n' {
		next++
	}
	return raw[:end], raw[end:next], raw[next:]
}

// joinData appends the values of all data fields, joined by LF; it returns nil
// if there are none and dst is nil.
func joinData(dst, raw []byte) []byte {
	for some := false; len(raw) > 0; {
		var text []byte
		text, _, raw = cutLine(raw)
		if name, value := field(text); string(name) == "data" {
			if some {
				dst = append(dst, '\n')
			} else if dst == nil {
				dst = []byte{}
			}
			dst, some = append(dst, value...), true
		}
	}
	return dst
}

// AppendData appends the frame with its data replaced: each line of data becomes
// a data field at the place of the first one. All other lines stay, as does the
// way in which lines end.
func (u *Unit) AppendData(dst, data []byte) []byte {
	dst, raw := append(dst, u.Raw[:u.mark]...), u.Raw[u.mark:]
	for placed := false; len(raw) > 0; {
		text, eol, rest := cutLine(raw)
		switch name, _ := field(text); {
		case string(name) != "data":
			dst = append(append(dst, text...), eol...)
		case !placed:
			placed = true
			for line := range bytes.SplitSeq(data, []byte{'\n'}) {
				dst = append(dst, "data: "...)
				dst = append(append(dst, bytes.TrimSuffix(line, []byte{'\r'})...), eol...)
			}
		}
		raw = rest
	}
	return dst
}
