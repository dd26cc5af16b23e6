// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

// keptScratch is the largest scratch buffer that an idle stream keeps.
const keptScratch = 4 << 10

// output collects what goes to the client in one step. As long as everything
// passes it is a window on the chunk; only a change makes it copy.
type output struct {
	window  []byte
	scratch []byte
	copied  bool
}

func (o *output) reset() {
	o.window, o.copied = nil, false
	if cap(o.scratch) > keptScratch {
		o.scratch = nil
	}
	o.scratch = o.scratch[:0]
}

// pass lets bytes of the framer's through.
func (o *output) pass(raw []byte) {
	switch {
	case len(raw) == 0:
	case o.copied:
		o.scratch = append(o.scratch, raw...)
	case len(o.window) == 0:
		o.window = raw
	case adjacent(o.window, raw):
		o.window = o.window[:len(o.window)+len(raw)]
	default:
		o.write(raw)
	}
}

// write adds bytes of the guard's own.
func (o *output) write(own []byte) {
	o.copy()
	o.scratch = append(o.scratch, own...)
}

// extend adds bytes through an appending function.
func (o *output) extend(f func(dst []byte) []byte) []byte {
	o.copy()
	from := len(o.scratch)
	o.scratch = f(o.scratch)
	return o.scratch[from:]
}

func (o *output) copy() {
	if !o.copied {
		o.copied = true
		o.scratch = append(o.scratch, o.window...)
		o.window = nil
	}
}

func (o *output) bytes() []byte {
	if o.copied {
		return o.scratch
	}
	return o.window
}

// adjacent reports whether b begins right behind a in the same buffer.
func adjacent(a, b []byte) bool {
	return cap(a) > len(a) && &a[:len(a)+1][len(a)] == &b[0]
}
