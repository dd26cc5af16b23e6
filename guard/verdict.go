// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// Violation is one broken rule, with what a log line tells of it. It holds no
// text of the agent's or the client's but ids.
type Violation struct {
	Rule     policy.Rule
	Decision policy.Decision

	Kind          a2a.Kind      // of the event, NoEvent if none was involved
	State         a2a.State     // of the event
	ArtifactID    string        // of the event, if it is an artifact update
	Frame         int           // the event's number in its stream, from 1; 0 outside streams
	Bytes         int           // the event's size on the wire
	SinceTerminal time.Duration // since the stream's terminal state, 0 before it
	Withheld      Withheld      // the text that was taken out, if one was
}

// Verdict is what the guard made of one event, one event of the guard's own, or what
// it has to say beside events.
type Verdict struct {
	// Raw is the event as the agent sent it, nil if it sent none.
	Raw []byte
	// Kind and State tell what it was.
	Kind  a2a.Kind
	State a2a.State
	// Violations are the rules that it broke.
	Violations []Violation
	// Action is what was done with it: Off if it passed as it came.
	Action policy.Action
	// Reply is what went out in its place, nil if it passed or was dropped.
	Reply []byte
}

// Step is what follows from one call of the core: what to write, what was
// judged, what to find out, and whether the client's stream is over. Its slices
// are valid until the next call on the same stream.
type Step struct {
	// Out goes to the client now. If it is empty and Commit is true, the
	// response's headers go out alone.
	Out    []byte
	Commit bool
	// Reply replaces the agent's whole answer, whose headers were not sent yet.
	Reply *Reply
	// Verdicts are the events judged in this step, in their order.
	Verdicts []Verdict
	// Need is a question to the agent, to be answered with Stream.Settle.
	Need *Need
	// End is true once nothing more follows: the client's stream ends, and the
	// agent's is cut if it still runs. Abort asks for a broken end, not a clean one.
	End   bool
	Abort bool
}

// Cause is how an agent's stream came to its end.
type Cause uint8

// The causes.
const (
	EOF        Cause = iota // the agent ended the body
	Aborted                 // the agent's connection broke
	ClientGone              // the client left
	Shutdown                // the guard's process ends
)

// End names how the agent left a stream, for labels.
type End uint8

// The ends.
const (
	EndOpen End = iota
	EndTerminal
	EndInterrupted
	EndMessage
	EndError
	EndMissingFinal
	EndUpstreamAbort
	EndFirstEventTimeout
	EndIdleTimeout
	EndMaxDuration
	EndClientGone
	EndShutdown

	EndCount // how many there are
)

var endNames = [EndCount]string{
	"open", "terminal", "interrupted", "message", "error", "missing_final", "upstream_abort",
	"first_event_timeout", "idle_timeout", "max_duration", "client_gone", "shutdown",
}

// String returns the end's label.
func (e End) String() string { return endNames[e] }

// Settlement names what the guard made of an unfinished stream, for labels.
type Settlement uint8

// The settlements.
const (
	Unsettled       Settlement = iota // there was nothing to settle
	SettledReal                       // the agent's own answer went out
	SettledCanceled                   // as SettledReal, after the guard cancelled the task
	SettledError                      // an error went out
	SettledFailed                     // a FAILED status of the guard's own went out
	SettledObserved                   // a plain end

	SettlementCount // how many there are
)

var settlementNames = [SettlementCount]string{"none", "real", "canceled", "error", "failed", "observed"}

// String returns the settlement's label.
func (s Settlement) String() string { return settlementNames[s] }

// Need is a question that the guard puts to the agent as the caller.
type Need struct {
	// Operation is GetTask or CancelTask.
	Operation a2a.Operation
	// Verb and Path, escaped, are the request's; an empty Path is the call's own.
	Verb, Path string
	Body       []byte
	// Wait is how long to wait before asking, and Limit how long the answer may
	// take.
	Wait  time.Duration
	Limit time.Duration
	// Serial tells this need from earlier ones of the call.
	Serial int
}

// Answer is what came back for a need. The zero value means that nothing did.
type Answer struct {
	Serial int
	Status int    // HTTP status
	Body   []byte // at most max_event bytes of it
}
