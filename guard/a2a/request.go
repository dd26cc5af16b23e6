// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

// Request is what the guard reads of a JSON-RPC request (JSON-RPC 2.0 §4,
// A2A 1.0 §9.4). Its tokens point into the body.
type Request struct {
	// Operation and Dialect follow the method's name. Known is false for a
	// method that A2A does not have, Named for one that tells no dialect.
	Operation Operation
	Dialect   Dialect
	Known     bool
	Named     bool
	// RPC is true if the body is an object with a jsonrpc member, Method if it has
	// a method.
	RPC    bool
	Method bool
	// ID is the raw id, nil if absent or null. BadID is true for an id that is
	// neither string nor number.
	ID    Token
	BadID bool

	TaskID    Token
	ContextID Token
	Tenant    Token
	// TwoTenants is true if parts of the request name different ones; Tenant is then
	// the path's.
	TwoTenants bool
	MessageID  Token // of the message that is sent
	// References is the list of the tasks that the message refers to
	// (A2A 1.0 §4.1.4), nil if there is none.
	References Token
	// Odd is true if what names a task or its tenant is no string, is spelt in
	// another case, or stands there twice: servers read that differently.
	Odd bool
	// HistoryLength is how many messages of a task's history the caller wants, -1
	// if it does not say (A2A 1.0 §3.2.4).
	HistoryLength int
	// IncludeArtifacts is true if a list is to hold artifacts (A2A 1.0 §3.1.4).
	IncludeArtifacts bool
	// Blocking is true if the caller waits for the task to settle
	// (A2A 1.0 §3.2.2).
	Blocking bool
	// Push are the push notification configurations that stand in the request.
	Push []PushConfig
	// Batch is true if the body is an array.
	Batch bool
	// Flaw is set if an object in the request is ambiguous.
	Flaw Flaw
}

// RequestReader reads requests. The zero value is ready; not for concurrent use.
type RequestReader struct {
	c cursor
	r *Request
	// The task's id stands in params.id or params.taskId, by operation.
	paramsID, paramsTaskID Token
	text                   []byte // of tokens that stand in no body
}

var (
	requestFields = []field{{camel: "jsonrpc"}, {camel: "method"}, {camel: "id"}, {camel: "params"}}
	paramsFields  = []field{
		{camel: "id"}, {"taskId", "task_id"}, {camel: "tenant"}, {camel: "message"}, {camel: "configuration"},
		{"historyLength", "history_length"}, {"includeArtifacts", "include_artifacts"},
		{camel: "url"}, {"pushNotificationConfig", "push_notification_config"}, {camel: "config"},
	}
	messageFields       = []field{{"messageId", "message_id"}, {"taskId", "task_id"}, {"contextId", "context_id"}, {camel: "kind"}, {"referenceTaskIds", "reference_task_ids"}}
	configurationFields = []field{{"returnImmediately", "return_immediately"}, {camel: "blocking"}, {"historyLength", "history_length"},
		{"taskPushNotificationConfig", "task_push_notification_config"}, {"pushNotificationConfig", "push_notification_config"}, {"pushNotification", "push_notification"}}
)

// Read reads one body into r, whose earlier content is lost. An error means
// that the body is not JSON to its end; r then holds what came before.
func (rr *RequestReader) Read(body []byte, r *Request) error {
	*r = Request{HistoryLength: -1}
	rr.r, rr.paramsID, rr.paramsTaskID = r, nil, nil
	c := &rr.c
	c.reset(body)
	switch c.peek() {
	case '[':
		r.Batch = true
		rr.batch()
	case '{':
		rr.request()
	default:
		c.skip()
	}
	c.end()
	r.Flaw = c.flaw
	r.TaskID = rr.taskID()
	return c.err
}

// keptText is the longest text whose memory waits for a next one.
const keptText = 1 << 10

// Release lets go of the text that was read, for a reader that waits for its next
// use.
func (rr *RequestReader) Release() {
	rr.r, rr.paramsID, rr.paramsTaskID = nil, nil, nil
	if cap(rr.text) > keptText {
		rr.text = nil
	}
	if rr.c.src != nil {
		rr.c.reset(nil)
	}
}

// batch looks for a known method in any element.
func (rr *RequestReader) batch() {
	c := &rr.c
	for range c.elements() {
		o, ok := c.open(requestFields)
		for ok && o.next() {
			if o.field == 1 {
				rr.method()
			} else {
				c.skip()
			}
		}
	}
}

func (rr *RequestReader) request() {
	c, r := &rr.c, rr.r
	r.Blocking = true
	o, _ := c.open(requestFields)
	for o.next() {
		switch o.field {
		case 0:
			r.RPC = true
			c.skip()
		case 1:
			r.Method = true
			rr.method()
		case 2:
			rr.id()
		case 3:
			rr.params(paramsFields)
		default:
			switch o.variant { // some servers ignore case
			case 1:
				o.flaw(CaseVariantKeys)
				rr.method()
			case 3:
				r.Odd = true
				rr.params(paramsFields)
			default:
				c.skip()
			}
		}
	}
}

// method notes the method. One known name is enough to make the body an A2A
// call, however many others stand beside it.
func (rr *RequestReader) method() {
	name := rr.c.value()
	if !name.IsString() {
		return
	}
	var scratch [64]byte
	text := name.AppendText(scratch[:0])
	if op, d, ok := LookupMethod(text); ok {
		rr.r.Operation, rr.r.Dialect, rr.r.Known, rr.r.Named = op, d, true, true
	} else if !rr.r.Known {
		rr.r.Dialect, rr.r.Named = methodDialect(text)
	}
}

func (rr *RequestReader) id() {
	r := rr.r
	switch rr.c.peek() {
	case 'n':
		rr.c.skip()
	case '{', '[', 't', 'f':
		r.BadID = true
		rr.c.skip()
	default:
		r.ID = rr.c.value()
	}
}

func (rr *RequestReader) params(fields []field) {
	c := &rr.c
	var config PushConfig // params themselves are one in 1.0
	o, ok := rr.open(fields)
	for ok && o.next() {
		switch o.field {
		case 0:
			rr.paramsID = rr.name()
		case 1:
			rr.paramsTaskID = rr.name()
		case 2:
			rr.r.Tenant = rr.name()
		case 3:
			rr.message()
		case 4:
			rr.configuration()
		case 5:
			rr.historyLength()
		case 6:
			rr.r.IncludeArtifacts, _ = c.flag()
		default:
			rr.r.Odd = rr.r.Odd || o.field < 0 && o.variant >= 0 && o.variant <= 3
			switch o.lenient() {
			case 4:
				rr.configuration()
			case 7:
				config.URL = c.value()
			case 8, 9:
				rr.pushConfig(false, 1)
			default:
				c.skip()
			}
		}
	}
	if config.URL != nil {
		config.TaskID = rr.paramsTaskID
		rr.addPush(config)
	}
}

func (rr *RequestReader) message() {
	c := &rr.c
	o, ok := rr.open(messageFields)
	for ok && o.next() {
		switch o.field {
		case 0:
			rr.r.MessageID = c.id()
		case 1:
			rr.r.TaskID = rr.name()
		case 2:
			rr.r.ContextID = c.id()
		case 4:
			rr.r.References = c.value()
		default:
			rr.r.Odd = rr.r.Odd || o.field < 0 && (o.variant == 1 || o.variant == 4)
			c.skip()
		}
	}
}

// open enters the object that comes next, in which a task may be named.
func (rr *RequestReader) open(fields []field) (object, bool) {
	c := &rr.c
	if c.err == nil {
		kind := c.peek()
		rr.r.Odd = rr.r.Odd || kind != '{' && kind != 'n'
	}
	return c.open(fields)
}

// name reads what names a task or its tenant.
func (rr *RequestReader) name() Token {
	v := rr.c.value()
	rr.r.Odd = rr.r.Odd || v != nil && !v.names()
	return v.ID()
}

// configuration reads whether the caller waits: returnImmediately in 1.0, its
// opposite blocking in 0.3 (A2A 1.0 §3.2.2; A2A 0.3 §7.1.2); and how much history
// it wants.
func (rr *RequestReader) configuration() {
	c := &rr.c
	o, ok := c.open(configurationFields)
	for ok && o.next() {
		switch o.field {
		case 0:
			if at, present := c.flag(); present {
				rr.r.Blocking = !at
			}
		case 1:
			if blocking, present := c.flag(); present {
				rr.r.Blocking = blocking
			}
		case 2:
			rr.historyLength()
		default:
			if o.lenient() > 2 {
				rr.pushConfig(true, 1)
			} else {
				c.skip()
			}
		}
	}
}

// historyLength reads a count; what is none says nothing.
func (rr *RequestReader) historyLength() {
	if n, ok := rr.c.value().count(); ok {
		rr.r.HistoryLength = n
	}
}

// EachReference calls f with each task that a message refers to, until it returns
// false. It returns false too if the list is none of strings.
func (r *Request) EachReference(f func(task Token) bool) bool {
	if r.References == nil {
		return true
	}
	var c cursor
	c.reset(r.References)
	if c.peek() != '[' {
		return false
	}
	for range c.elements() {
		if task := c.value(); !task.names() || !f(task) {
			return false
		}
	}
	return c.err == nil
}

// taskID picks the member that names the task, by operation.
func (rr *RequestReader) taskID() Token {
	r := rr.r
	switch r.Operation {
	case SendMessage, SendStreamingMessage:
		return r.TaskID
	case GetTask, CancelTask, SubscribeToTask:
		return rr.paramsID
	case CreatePushConfig, GetPushConfig, ListPushConfigs, DeletePushConfig:
		if r.Dialect == V10 {
			return rr.paramsTaskID
		}
		// By the letter one of them takes taskId, the others id.
		r.Odd = r.Odd || rr.paramsTaskID != nil && rr.paramsID != nil && !rr.paramsTaskID.Same(rr.paramsID)
		if rr.paramsTaskID != nil {
			return rr.paramsTaskID
		}
		return rr.paramsID
	default:
		return nil
	}
}
