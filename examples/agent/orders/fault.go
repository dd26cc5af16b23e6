// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"fmt"
	"strings"
)

// Fault is a way to misbehave. The package documentation has a table of what
// each one puts on the wire.
type Fault string

// The faults, and None.
const (
	None                Fault = "none"
	NoFinal             Fault = "no-final"
	NeverReturns        Fault = "never-returns"
	LateArtifact        Fault = "late-artifact"
	LateArtifactDelayed Fault = "late-artifact-delayed"
	Raises              Fault = "raises"
	CancelFails         Fault = "cancel-fails"
	CancelMidrun        Fault = "cancel-midrun"
	UpdateBeforeTask    Fault = "update-before-task"
	MessageInStream     Fault = "message-in-stream"
	TwoMessages         Fault = "two-messages"
	MidFrame            Fault = "mid-frame"
	WrongFinal          Fault = "wrong-final"
	TerminalOverwritten Fault = "terminal-overwritten"
	EmptyStream         Fault = "empty-stream"
	HTML                Fault = "html"
	Error500Text        Fault = "error-500-text"
	JSONError           Fault = "json-error"
	MalformedFrame      Fault = "malformed-frame"
	StallThenFinish     Fault = "stall-then-finish"
)

var faults = []struct {
	name        Fault
	description string
}{
	{NoFinal, "returns without a final status: the stream closes, the task stays WORKING"},
	{NeverReturns, "never returns: the stream stays open and silent until the client leaves"},
	{LateArtifact, "adds an artifact at once after COMPLETED"},
	{LateArtifactDelayed, "adds an artifact 0.3 s after COMPLETED"},
	{Raises, "raises after SUBMITTED: the client gets the raw exception, the task is FAILED"},
	{CancelFails, "returns without a final status, and cancelling fails: the task stays WORKING"},
	{CancelMidrun, "works on after a cancel: artifacts follow CANCELED"},
	{UpdateBeforeTask, "sends status and artifacts without ever sending the Task"},
	{MessageInStream, "sends a Message in the middle of a task's stream, and no final status"},
	{TwoMessages, "answers with two Messages in one stream"},
	{MidFrame, "dies in the middle of a frame"},
	{WrongFinal, "sets final on WORKING and not on COMPLETED (0.3; ordinary in 1.0)"},
	{TerminalOverwritten, "goes on to WORKING and FAILED after COMPLETED"},
	{EmptyStream, "answers 200 text/event-stream without a byte"},
	{HTML, "answers 200 text/html, a login page"},
	{Error500Text, "answers 500 text/plain"},
	{JSONError, "answers a streaming call with a JSON error instead of a stream"},
	{MalformedFrame, "sends one frame that is not JSON between good ones"},
	{StallThenFinish, "sends nothing but comments for a while, then completes"},
}

// Faults lists every fault, without None.
func Faults() []Fault {
	names := make([]Fault, len(faults))
	for i, f := range faults {
		names[i] = f.name
	}
	return names
}

// Description says in one line what an agent with this fault does.
func (f Fault) Description() string {
	for _, known := range faults {
		if known.name == f {
			return known.description
		}
	}
	return "behaves"
}

// ParseFault finds a fault by its name; "none" and "" are None. The error of an
// unknown name lists the known ones.
func ParseFault(name string) (Fault, error) {
	f := Fault(name)
	if f == None || f == "" {
		return None, nil
	}
	known := make([]string, len(faults))
	for i, k := range faults {
		if k.name == f {
			return f, nil
		}
		known[i] = string(k.name)
	}
	return None, fmt.Errorf("unknown fault %q, use one of %s", name, strings.Join(known, ", "))
}
