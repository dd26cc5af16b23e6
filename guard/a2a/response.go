// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

// Response is what the guard reads of a response: a whole unary answer or the data
// of one event, in a JSON-RPC envelope (JSON-RPC 2.0 §5, A2A 1.0 §9.4) or without
// one (A2A 1.0 §11). Its tokens point into the data or its reader, until the
// reader's next call.
type Response struct {
	// Version is true if the jsonrpc member is "2.0".
	Version bool
	// ID is the raw id, nil if absent or null; IDAt is where it stands, if it does.
	ID   Token
	IDAt Span
	// HasResult and HasError tell which members stand there, null not counted.
	HasResult bool
	HasError  bool
	// Error is the error member; Code its code, 0 if there is none.
	Error Span
	Code  Code
	// Bare is true for a payload without an envelope around it; in HTTP+JSON, for
	// one with an envelope.
	Bare bool
	// Plain is true in HTTP+JSON, where the whole object is the result.
	Plain bool
	// Result is the result member, or the whole object.
	Result Span
	// Event is the result, or the error.
	Event Event
	// Tasks are those of a list, if the reader is to read one; MoreTasks is true
	// if it holds more than the reader lists.
	Tasks     []Event
	MoreTasks bool
	// PageToken is true if a list names its next page, be it by an empty token.
	PageToken bool
	// TotalAt is where a list's number of tasks stands, if it does.
	TotalAt Span
	// Open is where the top-level object starts.
	Open int
	// Flaw is set if an object in the response is ambiguous.
	Flaw Flaw
}

// Wants tells a reader what its caller looks at beyond what every answer is read
// for.
type Wants struct {
	// List means that the result is a list of tasks (A2A 1.0 §3.1.4). Their
	// artifacts are read one by one if Artifacts says so.
	List      bool
	Artifacts bool
	// History means that a Task's messages are to be counted.
	History bool
}

// ResponseReader reads responses. The zero value is ready; not for concurrent
// use.
type ResponseReader struct {
	repeat repeat
	c      cursor
}

var (
	// The envelope's own members come first, then what a bare payload holds.
	responseFields = append([]field{{camel: "jsonrpc"}, {camel: "result"}, {camel: "error"}}, payloadFields...)
	errorFields    = []field{{camel: "code"}, {camel: "message"}, {camel: "data"}}
)

const envelopeMembers = 3

// Read reads data into r, whose earlier content is lost but for the storage of
// its Event. The caller must not change r between two calls. An error means that
// data is not one JSON object to its end.
func (rr *ResponseReader) Read(data []byte, r *Response) error {
	if rr.repeat.match(data, r) {
		return nil
	}
	rr.repeat.holder = nil // r is overwritten
	err := rr.c.response(data, r)
	if err == nil {
		rr.repeat.note(data, r)
	}
	return err
}

// Want says what is read of the responses that follow.
func (rr *ResponseReader) Want(w Wants) { rr.c.wants = w }

// Release lets go of the texts that were read, for a reader that waits for its
// next use.
func (rr *ResponseReader) Release() {
	rr.repeat.holder = nil
	rr.c.spare = nil
	rr.c.reset(nil)
}

func (c *cursor) response(data []byte, r *Response) error {
	c.reset(data)
	*r = Response{Event: Event{Artifacts: r.Event.Artifacts[:0]}, Tasks: r.Tasks[:0]}
	if c.plain && c.wants.List {
		c.plainList(r)
		return c.err
	}
	o, ok := c.open(responseFields)
	if !ok {
		c.fail(errNotObject)
		return c.err
	}
	var f flat
	bare := Event{Artifacts: c.spare[:0]}
	r.Open = o.start
	enveloped := false
	for o.next() {
		switch which := o.field - envelopeMembers; {
		case o.field < 0:
			c.skip()
		case o.field == 0:
			enveloped = true
			r.Version = string(c.value()) == `"2.0"`
		case o.field == 1:
			enveloped = true
			c.resultMember(r)
		case o.field == 2:
			enveloped = true
			c.errorMember(r)
		case which == fID:
			r.IDAt.Start = c.offset()
			r.ID = c.value()
			r.IDAt.End = c.at
		case which >= wrapped:
			f.said = f.said || which == fMessage && c.err == nil && c.peek() == '"'
			c.wrapped(&bare, which)
		default:
			c.member(&bare, &f, which)
		}
	}
	c.end()
	r.Flaw = c.flaw
	switch object := (Span{o.start, o.end}); {
	case c.plain:
		r.plain(c, &bare, &f, object, enveloped)
	case !enveloped:
		r.bare(c, &bare, &f, object)
	}
	if r.HasError {
		r.Event = Event{Kind: Error, Artifacts: r.Event.Artifacts[:0], Object: r.Error}
	}
	return c.err
}

// bare takes the top-level object itself for the payload if it looks like one.
func (r *Response) bare(c *cursor, ev *Event, f *flat, object Span) {
	f.id = r.ID.ID()
	if ev.Payloads == 0 {
		ev.Object = object
		ev.Dialect = V03
		ev.Kinded = f.kind != nil
		ev.Kind = f.classify(ev)
		ev.identify(f)
		if ev.Kind == Unknown {
			return
		}
		ev.Payloads = 1
	} else if f.kind != nil {
		ev.Payloads++
	}
	r.Bare = true
	c.spare = r.Event.Artifacts
	r.Event = *ev
}

func (c *cursor) resultMember(r *Response) {
	start := c.offset()
	if c.null() {
		return
	}
	r.HasResult = true
	if c.wants.List {
		c.list(r)
	} else {
		c.payload(&r.Event)
	}
	r.Result = Span{start, c.at}
}

// null skips a null, which counts as absent.
func (c *cursor) null() bool {
	if c.err != nil || c.peek() != 'n' {
		return false
	}
	c.skip()
	return true
}

func (c *cursor) errorMember(r *Response) {
	start := c.offset()
	if c.null() {
		return
	}
	r.HasError = true
	o, ok := c.open(errorFields)
	for ok && o.next() {
		if o.field == 0 {
			r.Code = parseCode(c.value())
		} else {
			c.skip()
		}
	}
	r.Error = Span{start, c.at}
}

// parseCode reads an error code; what is none is 0.
func parseCode(number Token) Code {
	negative := len(number) > 0 && number[0] == '-'
	if negative {
		number = number[1:]
	}
	n, _ := number.count()
	if negative {
		n = -n
	}
	return Code(n)
}
