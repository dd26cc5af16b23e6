// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

// State is a task's state (A2A 1.0 §4.1.3).
type State uint8

// The states. Their numbers are those of the proto enum, which some agents put
// on the wire.
const (
	Unspecified State = iota // absent, unspecified, or a state this version does not know
	Submitted
	Working
	Completed
	Failed
	Canceled
	InputRequired
	Rejected
	AuthRequired

	StateCount // how many there are
)

var stateNames = [StateCount]struct{ v10, v03 string }{
	Unspecified:   {"TASK_STATE_UNSPECIFIED", "unknown"},
	Submitted:     {"TASK_STATE_SUBMITTED", "submitted"},
	Working:       {"TASK_STATE_WORKING", "working"},
	Completed:     {"TASK_STATE_COMPLETED", "completed"},
	Failed:        {"TASK_STATE_FAILED", "failed"},
	Canceled:      {"TASK_STATE_CANCELED", "canceled"},
	InputRequired: {"TASK_STATE_INPUT_REQUIRED", "input-required"},
	Rejected:      {"TASK_STATE_REJECTED", "rejected"},
	AuthRequired:  {"TASK_STATE_AUTH_REQUIRED", "auth-required"},
}

var statesByName = func() map[string]State {
	m := make(map[string]State, 2*StateCount+2)
	for s, names := range stateNames {
		m[names.v10] = State(s)
		m[names.v03] = State(s)
	}
	m["TASK_STATE_CANCELLED"] = Canceled // the 0.3 proto's spelling
	m["cancelled"] = Canceled
	return m
}()

// ParseState reads a state from its JSON token: either version's name or the
// enum's number. What it does not know is Unspecified.
func ParseState(token []byte) State {
	if len(token) == 1 && token[0] >= '0' && token[0] < '0'+byte(StateCount) {
		return State(token[0] - '0')
	}
	t := Token(token)
	if !t.IsString() {
		return Unspecified
	}
	var scratch [32]byte
	return statesByName[string(t.AppendText(scratch[:0]))]
}

// Terminal reports whether the task can change no more (A2A 1.0 §3.1.1).
func (s State) Terminal() bool {
	return s == Completed || s == Failed || s == Canceled || s == Rejected
}

// Interrupted reports whether the task waits for its client (A2A 1.0 §4.1.3).
func (s State) Interrupted() bool { return s == InputRequired || s == AuthRequired }

// Settled reports whether a stream may end in this state.
func (s State) Settled() bool { return s.Terminal() || s.Interrupted() }

// Name returns the state as the dialect writes it.
func (s State) Name(d Dialect) string {
	if d == V03 {
		return stateNames[s].v03
	}
	return stateNames[s].v10
}

// String returns the state's label: the 0.3 name, from a closed set.
func (s State) String() string { return stateNames[s].v03 }
