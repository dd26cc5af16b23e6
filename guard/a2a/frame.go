// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"strconv"
	"time"
)

// Frame is what every event of the guard's own in one stream has in common.
type Frame struct {
	Binding   Binding
	Dialect   Dialect // the shape of the stream's events
	Proto     bool    // 0.3 as HTTP+JSON has it: wrappers, enums, content in place of parts
	ID        Token   // the request's id
	TaskID    Token
	ContextID Token
}

// wraps reports whether payloads stand in a wrapper that names them.
func (f Frame) wraps() bool { return f.Dialect == V10 || f.Proto }

// AppendStatus appends a response with a status update. status is a whole
// status object. final is said in 0.3 alone, which requires it.
func (f Frame) AppendStatus(dst, status []byte, final bool) []byte {
	dst = f.open(dst, "statusUpdate", "status-update")
	dst = append(dst, `,"status":`...)
	dst = append(dst, status...)
	if f.Dialect == V03 {
		dst = append(dst, `,"final":`...)
		dst = strconv.AppendBool(dst, final)
	}
	return f.close(dst)
}

// AppendArtifact appends a response with an artifact update that carries the
// whole artifact.
func (f Frame) AppendArtifact(dst, artifact []byte) []byte {
	dst = f.open(dst, "artifactUpdate", "artifact-update")
	dst = append(dst, `,"artifact":`...)
	dst = append(dst, artifact...)
	dst = append(dst, `,"append":false,"lastChunk":true`...)
	return f.close(dst)
}

// AppendTask appends a response with a whole Task in a wrapper.
func (f Frame) AppendTask(dst, task []byte) []byte {
	if f.Binding == JSONRPC {
		dst = appendEnvelope(dst, f.ID)
		dst = append(dst, `"result":`...)
	}
	dst = append(dst, `{"task":`...)
	dst = append(dst, task...)
	if f.Binding == JSONRPC {
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

func (f Frame) open(dst []byte, wrapper, kind string) []byte {
	if f.Binding == JSONRPC {
		dst = appendEnvelope(dst, f.ID)
		dst = append(dst, `"result":`...)
	}
	dst = append(dst, '{')
	if f.wraps() {
		dst = append(dst, '"')
		dst = append(dst, wrapper...)
		dst = append(dst, `":{`...)
	} else {
		dst = append(dst, `"kind":"`...)
		dst = append(dst, kind...)
		dst = append(dst, `",`...)
	}
	dst = append(dst, `"taskId":`...)
	dst = append(dst, f.TaskID...)
	if f.ContextID != nil {
		dst = append(dst, `,"contextId":`...)
		dst = append(dst, f.ContextID...)
	}
	return dst
}

func (f Frame) close(dst []byte) []byte {
	if f.wraps() {
		dst = append(dst, '}')
	}
	if f.Binding == JSONRPC {
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// AppendStatusObject appends a status object with the state, with the message if
// there is one, and with the time unless it is zero.
func (f Frame) AppendStatusObject(dst []byte, s State, message []byte, at time.Time) []byte {
	dst = append(dst, `{"state":"`...)
	dst = append(dst, f.stateName(s)...)
	dst = append(dst, '"')
	if message != nil {
		dst = append(dst, `,"message":`...)
		dst = append(dst, message...)
	}
	if !at.IsZero() {
		dst = append(dst, `,"timestamp":"`...)
		dst = at.UTC().AppendFormat(dst, timestampLayout)
		dst = append(dst, '"')
	}
	return append(dst, '}')
}

func (f Frame) stateName(s State) string {
	switch {
	case f.Proto && s == Canceled:
		return "TASK_STATE_CANCELLED"
	case f.wraps():
		return s.Name(V10)
	}
	return s.Name(V03)
}

// AppendMessage appends a message of the agent's side with one part of text.
func (f Frame) AppendMessage(dst []byte, messageID, text string) []byte {
	dst = append(dst, '{')
	if !f.wraps() {
		dst = append(dst, `"kind":"message",`...)
	}
	dst = append(dst, `"messageId":`...)
	dst = appendString(dst, messageID)
	if f.TaskID != nil {
		dst = append(dst, `,"taskId":`...)
		dst = append(dst, f.TaskID...)
	}
	if f.ContextID != nil {
		dst = append(dst, `,"contextId":`...)
		dst = append(dst, f.ContextID...)
	}
	switch {
	case f.Proto:
		dst = append(dst, `,"role":"ROLE_AGENT","content":[{"text":`...)
	case f.Dialect == V10:
		dst = append(dst, `,"role":"ROLE_AGENT","parts":[{"text":`...)
	default:
		dst = append(dst, `,"role":"agent","parts":[{"kind":"text","text":`...)
	}
	dst = appendString(dst, text)
	return append(dst, "}]}"...)
}
