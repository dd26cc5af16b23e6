// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package sse frames server-sent event streams without touching them: every byte
// of a stream belongs to exactly one [Unit], in order.
//
// # Grammar
//
// It is that of the WHATWG HTML standard, section "Server-sent events":
//
//	stream  = [ BOM ] *unit
//	unit    = comment | frame | blank
//	frame   = field *( field | comment ) blank
//	comment = ":" *any-char eol
//	field   = name [ ":" [ space ] *any-char ] eol
//	blank   = eol
//	eol     = CRLF | LF | CR
//
// A frame with at least one data field is an event, a [Frame]. Everything else
// dispatches nothing and is a [Filler]: comments, blank lines, blocks of other
// fields. The byte order mark counts to the first unit.
//
// A CR that ends a unit ends it at once. Where that CR is the last byte of a
// chunk, a LF that begins the next one is a Filler of its own, marked Tail. That
// is all in which the units of two splits of the same bytes may differ, apart
// from the pieces of what is too large.
//
// # Use and ownership
//
// A [Framer] is pushed:
//
//	f.Push(chunk)
//	for u, ok := f.Next(); ok; u, ok = f.Next() { ... }
//
// A chunk must not change until the last Next. What a unit holds points into the
// chunk or into a buffer of the framer's; it is for reading alone and valid until
// the next Push. Only what is left of an unfinished unit is copied.
//
// The units of one Push lie side by side: if b came right after a, then
// a.Raw[:len(a.Raw)+len(b.Raw)] is both, and can be written at once.
package sse
