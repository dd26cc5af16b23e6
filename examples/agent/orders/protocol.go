// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"slices"
	"time"
)

// The objects of the protocol, as far as this agent uses them, in neither
// version's spelling. wire10.go and wire03.go write them.

// event is what a task's stream carries.
type event interface{ isEvent() }

func (task) isEvent()           {}
func (message) isEvent()        {}
func (statusUpdate) isEvent()   {}
func (artifactUpdate) isEvent() {}
func (*rpcError) isEvent()      {}

// state is where a task stands (A2A 1.0 §4.1.3). This agent never rejects a
// task and never asks for authentication, so two states are missing.
type state int

const (
	submitted state = iota
	working
	inputRequired
	completed
	failed
	canceled
)

// terminal reports whether the task can change no more.
func (s state) terminal() bool { return s == completed || s == failed || s == canceled }

// settled reports whether the agent's turn is over: the task has ended or waits
// for its client.
func (s state) settled() bool { return s.terminal() || s == inputRequired }

// task is a unit of work (A2A 1.0 §4.1.1).
type task struct {
	id, contextID string
	status        status
	artifacts     []artifact
}

// clone copies the task, so that new artifacts and chunks do not change the copy.
func (t task) clone() task {
	t.artifacts = slices.Clone(t.artifacts)
	return t
}

// status is a task's state since when, with the agent's words to it (§4.1.2).
type status struct {
	state   state
	message *message // nil without words
	since   time.Time
}

// message is something the agent says (§4.1.4).
type message struct {
	id, taskID, contextID string
	text                  string
}

// artifact is something the agent made (§4.1.7). Each part is a text.
type artifact struct {
	id, name string
	parts    []string
}

// statusUpdate tells the followers of a task of its new status (§4.2.1).
type statusUpdate struct {
	taskID, contextID string
	status            status
	final             bool // 0.3 only: the last event of the stream
}

// artifactUpdate carries an artifact or a chunk of one (§4.2.2).
type artifactUpdate struct {
	taskID, contextID string
	artifact          artifact
	append, lastChunk bool // add to the artifact of that id; no more will come
}

// rpcError is a JSON-RPC error (A2A 1.0 §5.4, §9.5).
type rpcError struct {
	code int
	text string
}

// The codes of errors: JSON-RPC's own and A2A's.
const (
	parseError           = -32700
	invalidRequest       = -32600
	methodNotFound       = -32601
	invalidParams        = -32602
	internalError        = -32603
	taskNotFound         = -32001
	taskNotCancelable    = -32002
	unsupportedOperation = -32004
)

// dialect is a version's spelling of the protocol.
type dialect interface {
	// payload is what SendMessage results and stream frames carry: a task, a
	// message, or an update.
	payload(event) any
	// bareTask is the result of GetTask and CancelTask.
	bareTask(task) any
	// error is the error member of a response.
	error(*rpcError) any
}

// timestamp writes a time as A2A 1.0 §5.6.1 wants it.
func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
