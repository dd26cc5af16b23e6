// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package sse

import "bytes"

// What a framer keeps between two chunks.
const (
	// keptEmpty is the largest buffer that stays while nothing stands in it: an
	// idle stream must not hold more.
	keptEmpty = 8 << 10
	// keptBusy is the largest buffer that stays while the beginning of a unit
	// stands in it. The chunks of a busy stream, usually of 32 KiB, fit in.
	keptBusy = 64 << 10
)

// Push takes the next bytes of the stream.
func (f *Framer) Push(chunk []byte) {
	f.keep()
	f.join = f.join[:0]
	left := f.window[f.unit:]
	if len(left) == 0 {
		f.read(chunk, false)
		return
	}
	need := len(left) + len(chunk)
	grow := cap(f.buf) < need
	if grow {
		f.buf = make([]byte, max(need, min(need+need/4, f.max+len(chunk))))
	}
	f.buf = f.buf[:need]
	if grow || f.unit > 0 {
		copy(f.buf, left)
	}
	copy(f.buf[len(left):], chunk)
	f.read(f.buf, true)
}

// Buffered returns how many bytes of an unfinished unit are kept, once Next has
// returned false.
func (f *Framer) Buffered() int { return len(f.window) - f.unit }

// read makes the unit's bytes and what follows them the window.
func (f *Framer) read(window []byte, owned bool) {
	f.window, f.owned = window, owned
	f.line -= f.unit
	f.lines.at -= f.unit
	f.lines.lf = unknown
	f.unit = 0
}

// keep makes what is left of the window outlive the chunk, in a buffer that suits
// it.
func (f *Framer) keep() {
	left := f.window[f.unit:]
	switch {
	case len(left) == 0:
		if cap(f.buf) > keptEmpty {
			f.buf = nil
		}
		f.read(nil, false)
	case !f.owned:
		f.buf = append(f.buf[:0], left...)
		f.read(f.buf, true)
	case cap(f.buf) > keptBusy && len(left) < cap(f.buf)/8:
		f.buf = bytes.Clone(left)
		f.read(f.buf, true)
	}
	if cap(f.join) > keptBusy {
		f.join = nil
	}
}
