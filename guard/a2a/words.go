// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"bytes"
	"strings"
)

// ErrorText is what an error object says: one of JSON-RPC (JSON-RPC 2.0 §5.1, A2A
// 1.0 §9.5) or a google.rpc.Status (A2A 1.0 §11.6).
type ErrorText struct {
	Code Code
	// Status is the status' name, Reason that of the first ErrorInfo.
	Status, Reason string
	Message        string
	// Extra is true if it says more than a message and ErrorInfo items.
	Extra bool

	code, status Token
	list         string   // the name of the member that holds the items
	infos        [][]byte // the ErrorInfo items
}

// maxInfos bounds how many ErrorInfo items of one error are kept.
const maxInfos = 16

var (
	errorTextFields = []field{{camel: "code"}, {camel: "status"}, {camel: "message"}, {camel: "data"}, {camel: "details"}}
	infoFields      = []field{{camel: "@type"}, {camel: "reason"}}
)

// ReadErrorText reads one error object, which points into its text.
func ReadErrorText(object []byte) (e ErrorText) {
	var c cursor
	c.reset(object)
	o, ok := c.open(errorTextFields)
	for ok && o.next() {
		switch o.field {
		case 0:
			e.code = c.value()
			e.Code = parseCode(e.code)
		case 1:
			if e.status = c.value(); e.status.IsString() {
				e.Status = e.status.Text()
			}
		case 2:
			if message := c.value(); message.IsString() {
				e.Message = message.Text()
			} else {
				e.Extra = e.Extra || message != nil
			}
		case 3, 4:
			e.list = o.fields[o.field].camel
			c.infos(&e)
		default:
			e.Extra = true
			c.skip()
		}
	}
	return e
}

// infos finds the ErrorInfo items in an error's data or details.
func (c *cursor) infos(e *ErrorText) {
	if c.null() {
		return
	}
	if c.err == nil && c.peek() != '[' {
		e.Extra = true
	}
	for range c.elements() {
		start := c.offset()
		var kind, reason string
		o, ok := c.open(infoFields)
		for ok && o.next() {
			switch o.field {
			case 0:
				kind = c.text()
			case 1:
				reason = c.text()
			default:
				c.skip()
			}
		}
		if !strings.HasSuffix(kind, "/google.rpc.ErrorInfo") || len(e.infos) == maxInfos || c.err != nil {
			e.Extra = true
			continue
		}
		if len(e.infos) == 0 {
			e.Reason = reason
		}
		e.infos = append(e.infos, c.src[start:o.end])
	}
}

// AppendSaying appends the error with another message, and of what stands beside it
// its code, its status and its ErrorInfo items alone.
func (e *ErrorText) AppendSaying(dst []byte, message string) []byte {
	dst = append(dst, '{')
	if e.code != nil {
		dst = append(dst, `"code":`...)
		dst = append(append(dst, e.code...), ',')
	}
	if e.status != nil {
		dst = append(dst, `"status":`...)
		dst = append(append(dst, e.status...), ',')
	}
	dst = append(dst, `"message":`...)
	dst = appendString(dst, message)
	if len(e.infos) > 0 {
		dst = append(dst, `,"`+e.list+`":[`...)
		dst = append(dst, bytes.Join(e.infos, []byte(","))...)
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

// Part is one part of a message. Text is where its text stands, if it has one.
type Part struct{ Object, Text Span }

var (
	statusMessageFields = []field{{camel: "message"}}
	// HTTP+JSON has the parts of 0.3 by another name.
	messagePartsFields = []field{{"messageId", "message_id"}, {camel: "parts"}, {camel: "content"}}
	partFields         = []field{{camel: "text"}}
)

// StatusMessage is where the message of a status object stands, if it has one.
func StatusMessage(data []byte, status Span) (at Span) {
	var c cursor
	c.reset(status.Of(data))
	o, ok := c.open(statusMessageFields)
	for ok && o.next() {
		start := c.offset()
		kind := c.peek()
		c.skip()
		if o.field == 0 && kind == '{' {
			at = Span{status.Start + start, status.Start + c.at}
		}
	}
	return at
}

// EachPart calls f for every part of the message that stands there, and returns the
// message's id.
func EachPart(data []byte, message Span, f func(Part)) (id Token) {
	var c cursor
	c.reset(message.Of(data))
	o, ok := c.open(messagePartsFields)
	for ok && o.next() {
		switch o.field {
		case 0:
			id = c.id().Clone()
		case 1, 2:
			for range c.elements() {
				if part, ok := c.part(message.Start); ok {
					f(part)
				}
			}
		default:
			c.skip()
		}
	}
	return id
}

func (c *cursor) part(base int) (p Part, ok bool) {
	o, ok := c.open(partFields)
	if !ok {
		return p, false
	}
	for o.next() {
		start := c.offset()
		if v := c.value(); o.field == 0 && v.IsString() {
			p.Text = Span{base + start, base + start + len(v)}
		}
	}
	p.Object = Span{base + o.start, base + o.end}
	return p, c.err == nil
}

// EachElement calls f with the place of every element of the array that stands
// there.
func EachElement(data []byte, array Span, f func(Span)) {
	var c cursor
	c.reset(array.Of(data))
	for range c.elements() {
		start := c.offset()
		c.skip()
		f(Span{array.Start + start, array.Start + c.at})
	}
}
