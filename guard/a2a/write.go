// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Domain is the ErrorInfo domain of the protocol's own errors (A2A 1.0 §9.5).
const Domain = "a2a-protocol.org"

// timestampLayout is RFC 3339 in UTC with milliseconds (A2A 1.0 §5.6.1).
const timestampLayout = "2006-01-02T15:04:05.000Z"

// Fault is an error that the guard reports in its own words.
type Fault struct {
	Code    Code
	Message string // what happened and what to do, without text of the agent's
	Rule    string // the rule's id, empty if none was broken
	TaskID  Token  // the task that the fault is about, nil if unknown
	Ref     string // names this one fault in the log, empty if it has none
	// Status is the HTTP status that says the same in HTTP+JSON, 0 for the code's
	// own.
	Status int
}

// Append appends the fault as the whole answer, or an event's data, of a binding.
func (f Fault) Append(dst []byte, b Binding, d Dialect, id Token) []byte {
	if b == REST {
		return f.appendPlain(dst, d)
	}
	return f.AppendResponse(dst, d, id)
}

// HTTPStatus is the fault's status in HTTP+JSON.
func (f Fault) HTTPStatus(d Dialect) int {
	if f.Status != 0 {
		return f.Status
	}
	return f.Code.HTTPStatus(d)
}

// appendPlain appends an error of the HTTP+JSON binding: in 1.0 a google.rpc.Status
// (A2A 1.0 §11.6). 0.3 has no schema; its clients look for a code of A2A's and a
// message at the top.
func (f Fault) appendPlain(dst []byte, d Dialect) []byte {
	if d == V03 {
		dst = append(dst, `{"code":`...)
		dst = strconv.AppendInt(dst, int64(f.Code), 10)
		dst = append(dst, `,"message":`...)
		dst = appendString(dst, f.text())
		return append(dst, '}')
	}
	status := f.HTTPStatus(d)
	dst = append(dst, `{"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(status), 10)
	dst = append(dst, `,"status":"`...)
	dst = append(dst, f.Code.status(status)...)
	dst = append(dst, `","message":`...)
	dst = appendString(dst, f.text())
	dst = append(dst, `,"details":[`...)
	dst = f.appendInfo(dst)
	return append(dst, "]}}"...)
}

// AppendResponse appends a JSON-RPC error response. A nil id becomes null. In
// 1.0, error.data is a list that begins with an ErrorInfo; 0.3 gets no data,
// since its clients cannot read a list, and is told everything in the message.
func (f Fault) AppendResponse(dst []byte, d Dialect, id Token) []byte {
	dst = appendEnvelope(dst, id)
	dst = append(dst, `"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(f.Code), 10)
	dst = append(dst, `,"message":`...)
	dst = appendString(dst, f.text())
	if d == V10 {
		dst = append(dst, `,"data":[`...)
		dst = f.appendInfo(dst)
		dst = append(dst, ']')
	}
	return append(dst, "}}"...)
}

// text is the message with everything a person needs to go on.
func (f Fault) text() string {
	text := f.Message
	sep := " ("
	add := func(name, value string) {
		if value != "" {
			text += sep + name + " " + value
			sep = ", "
		}
	}
	if f.TaskID != nil {
		add("task", f.TaskID.Text())
	}
	add("rule", f.Rule)
	add("ref", f.Ref)
	if sep == ", " {
		text += ")"
	}
	return text
}

func (f Fault) appendInfo(dst []byte) []byte {
	dst = append(dst, `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"`...)
	dst = append(dst, f.Code.Reason()...)
	dst = append(dst, `","domain":"`+Domain+`","metadata":{`...)
	sep := ""
	add := func(name string, value []byte) {
		dst = append(dst, sep...)
		dst = append(dst, name...)
		dst = append(dst, value...)
		sep = ","
	}
	if f.Rule != "" {
		add(`"rule":`, appendString(nil, f.Rule))
	}
	if f.TaskID != nil {
		add(`"taskId":`, f.TaskID)
	}
	if f.Ref != "" {
		add(`"ref":`, appendString(nil, f.Ref))
	}
	return append(dst, "}}"...)
}

// AppendTaskCall appends a JSON-RPC request that names one task: GetTask or
// CancelTask.
func AppendTaskCall(dst []byte, op Operation, d Dialect, id, taskID, tenant Token) []byte {
	dst = appendEnvelope(dst, id)
	dst = append(dst, `"method":"`...)
	dst = append(dst, op.Method(d)...)
	dst = append(dst, `","params":{"id":`...)
	dst = append(dst, taskID...)
	if tenant != nil {
		dst = append(dst, `,"tenant":`...)
		dst = append(dst, tenant...)
	}
	return append(dst, "}}"...)
}

// AppendErrorOnly appends a response with the error alone, in its own bytes.
func AppendErrorOnly(dst []byte, id Token, err []byte) []byte {
	dst = appendEnvelope(dst, id)
	dst = append(dst, `"error":`...)
	dst = append(dst, err...)
	return append(dst, '}')
}

// AppendSSE appends an event with the data, which holds no line end, and the
// event name if there is one.
func AppendSSE(dst []byte, name string, data []byte) []byte {
	if name != "" {
		dst = append(dst, "event: "...)
		dst = append(dst, name...)
		dst = append(dst, '\n')
	}
	dst = append(dst, "data: "...)
	dst = append(dst, data...)
	return append(dst, "\n\n"...)
}

func appendEnvelope(dst []byte, id Token) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	if id == nil {
		dst = append(dst, "null"...)
	} else {
		dst = append(dst, id...)
	}
	return append(dst, ',')
}

func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // replaces what is no UTF-8
	return dst
}
