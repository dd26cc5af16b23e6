// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package sse

import "bytes"

// AppendData appends the frame with its data replaced: each line of data, however
// it ends, becomes a data field at the place of the first one. All other lines
// stay, as does the way in which lines end.
func (u *Unit) AppendData(dst, replacement []byte) []byte {
	dst = append(dst, u.Raw[:u.mark]...)
	placed := false
	for line, eol := range lines(u.Raw[u.mark:]) {
		if _, ok := data(line); !ok {
			if placed && len(line) == 0 && string(eol) == "\n" && bytes.HasSuffix(dst, []byte{'\r'}) {
				// A line that ended in LF is gone: that CR and this LF would be one end.
				dst = append(dst, '\n')
			}
			dst = append(append(dst, line...), eol...)
			continue
		}
		if placed {
			continue
		}
		placed = true
		for value := range lines(replacement) {
			dst = append(dst, "data: "...)
			dst = append(append(dst, value...), eol...)
		}
	}
	return dst
}
