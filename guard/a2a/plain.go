// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"slices"
	"unicode/utf8"
)

// plainFields are those of a body: the proto of 0.3 has another name for the message
// (A2A 0.3, SendMessageRequest.request), which ProtoJSON parsers take as well.
var plainFields = func() []field {
	fields := slices.Clone(paramsFields)
	for i := range fields {
		if fields[i].camel == "message" {
			fields[i].snake = "request"
		}
	}
	return fields
}()

// ReadPlain reads a request of the HTTP+JSON binding: its route, its query, and
// the body of a call that cannot do without one, which holds what the params are
// elsewhere. Other bodies say nothing that the path does not.
func (rr *RequestReader) ReadPlain(route *Route, query string, body []byte, r *Request) error {
	*r = Request{Operation: route.Operation, Known: true, HistoryLength: -1, Blocking: true}
	rr.r, rr.paramsID, rr.paramsTaskID = r, nil, nil
	rr.text = rr.text[:0]
	c := &rr.c
	c.err, c.flaw = nil, NoFlaw
	if r.Operation.Sends() || r.Operation == CreatePushConfig {
		c.reset(body)
		if c.peek() != '{' {
			c.fail(errNotObject)
		}
		rr.params(plainFields)
		c.end()
	}
	r.Flaw = c.flaw
	if !r.Operation.Sends() {
		r.TaskID = rr.token(route.TaskID)
		r.Odd = r.Odd || rr.paramsTaskID != nil && !rr.paramsTaskID.Same(r.TaskID)
	}
	rr.query(query)
	rr.tenant(rr.token(route.Tenant))
	return c.err
}

// token is what [TextToken] returns, in memory of the reader's; nil if it is empty.
func (rr *RequestReader) token(text string) Token {
	if text == "" || !utf8.ValidString(text) {
		return nil
	}
	start := len(rr.text)
	rr.text = appendString(rr.text, text)
	return Token(rr.text[start:])
}

// query reads the parameters of a call without a body (A2A 1.0 §11.3), of several by
// one name the last.
func (rr *RequestReader) query(query string) {
	r := rr.r
	for name, value := range queryValues(query) {
		switch name {
		case "historyLength":
			if n, ok := Token(value).count(); ok {
				r.HistoryLength = n
			}
		case "includeArtifacts":
			r.IncludeArtifacts = value == "true"
		case "tenant":
			rr.tenant(rr.token(value))
		}
	}
}

// tenant notes what another part of the request says of the tenant. The last has the
// word, since the path comes last, but the agent may hear another one.
func (rr *RequestReader) tenant(says Token) {
	r := rr.r
	switch {
	case says == nil:
	case r.Tenant == nil:
		r.Tenant = says
	case !says.Same(r.Tenant):
		r.Odd, r.TwoTenants = true, true
		r.Tenant = says
	}
}

// For sets what is read: responses in a binding and, where the payload does not tell
// it, of a version. Unless it is set, they are of JSON-RPC.
func (rr *ResponseReader) For(b Binding, d Dialect) {
	plain, wrapper := b == REST, V10
	if plain {
		wrapper = d
	}
	if rr.c.plain != plain || rr.c.wrapper != wrapper {
		rr.c.plain, rr.c.wrapper = plain, wrapper
		rr.repeat.forget()
	}
}

// plain takes the top-level object for what it is in HTTP+JSON: the payload, or an
// error. In 0.3 that may be an object with a message alone.
func (r *Response) plain(c *cursor, ev *Event, f *flat, object Span, enveloped bool) {
	r.Plain = true
	if !r.HasResult && !r.HasError {
		r.bare(c, ev, f, object)
		r.HasResult, r.Result = true, object
		if r.Event.Kind == NoEvent {
			r.Event.Kind = Unknown
		}
		if r.Event.Kind == Unknown && f.said {
			r.HasResult, r.HasError, r.Error = false, true, object
		}
	}
	r.Bare = enveloped && r.HasResult
	r.ID, r.IDAt = nil, Span{} // the Task's, or whoever's
}

// plainList reads a list of tasks without an envelope.
func (c *cursor) plainList(r *Response) {
	r.Open = c.offset()
	if c.peek() != '{' {
		c.fail(errNotObject)
	}
	c.list(r)
	c.end()
	r.Plain, r.HasResult, r.Flaw = true, true, c.flaw
	r.Result = Span{r.Open, c.at}
}
