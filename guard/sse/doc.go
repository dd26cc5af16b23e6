// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package sse frames server-sent event streams without touching them: every byte
// of a stream belongs to exactly one [Unit], in order.
//
// The grammar is that of the WHATWG HTML standard, section "Server-sent events":
//
//	stream  = [ BOM ] *unit
//	unit    = comment | frame | blank
//	frame   = 1*( field | comment ) blank   ; a comment only after the first field
//	comment = ":" *any-char eol
//	field   = name [ ":" [ space ] *any-char ] eol
//	blank   = eol
//	eol     = CRLF | LF | CR
//
// A frame with at least one data field is an event. Everything else dispatches
// nothing and is a [Filler]: comments, blank lines, blocks of other fields.
//
// A [Framer] is pushed. The usual order of calls is
//
//	f.Push(chunk)
//	for u, ok := f.Next(); ok; u, ok = f.Next() { ... }
//
// A chunk must not change until Next has returned false. What a unit holds points
// into the chunk or into a buffer of the framer's and is valid until the next
// Push. Units of one Push lie side by side: where b follows a, a.Raw may be
// extended over b.Raw within its capacity.
package sse
