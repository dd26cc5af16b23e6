// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package sse

import "slices"

// Owed returns the LF that the stream's habit lets expect after a CR that has
// ended the last unit, else nothing.
func (f *Framer) Owed() string {
	if f.cr && f.eol == "\r\n" && f.unitEnded() {
		return "\n"
	}
	return ""
}

// Rest returns, at the end of the stream and once Next has returned false, the
// event that lacks only line ends: Raw with these in the stream's own style. A
// last line that is cut and no data field is left out. ok is false if no data is
// left.
func (f *Framer) Rest() (u Unit, ok bool) {
	if f.over {
		return u, false
	}
	raw, eol := f.window[f.unit:f.line:f.line], f.eol
	if _, ok := data(f.text(f.line, len(f.window))); ok {
		raw = append(append(raw, f.window[f.line:]...), eol...)
	} else if f.datas == 0 {
		return u, false
	}
	if f.cr {
		eol = "\r"
		if f.eol == "\r\n" {
			eol = "\n\r\n"
		}
	}
	f.line, f.lines.at, f.cr = len(f.window), len(f.window), false
	u = f.emit(Unit{Kind: Frame, Event: f.value(f.event)})
	u.Raw = append(slices.Clip(raw), eol...)
	u.Data = appendJoined([]byte{}, u.Raw[u.mark:])
	f.keep()
	return u, true
}
