// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import "fmt"

// Action is what the guard does about a broken rule.
type Action uint8

// The actions, from none at all to the strongest.
const (
	Off     Action = iota // not looked at, not counted
	Observe               // counted and logged, the bytes pass
	Rewrite               // the frame goes out repaired
	Drop                  // the frame is not forwarded
	End                   // the stream gets its end from the guard
	Reject                // the agent's answer, or the request, is replaced by an error
	Answer                // the guard answers in the agent's place
)

// ActionCount is how many actions there are. It is none itself.
const ActionCount = int(Answer) + 1

var actionNames = [ActionCount]string{"off", "observe", "rewrite", "drop", "end", "reject", "answer"}

// String returns the action's name as logs and metrics show it.
func (a Action) String() string { return actionNames[a] }

// Acts reports whether the action changes what the client sees.
func (a Action) Acts() bool { return a > Observe }

// Decision is what a [Policy] holds against one rule.
type Decision struct {
	// Do is what the guard does.
	Do Action
	// Would is what it would do if the rule were enforced. It equals Do where
	// the rule is, and is Observe where no profile ever acts on it.
	Would Action
}

// String is the decision as a label: the action taken ("drop") or, under
// observation, the one that was not ("would_drop").
func (d Decision) String() string {
	if d.Do == Observe && d.Would.Acts() {
		return "would_" + d.Would.String()
	}
	return d.Do.String()
}

// Mode is a user's own word on one rule.
type Mode uint8

// The modes of the "rule" option.
const (
	ModeOff     Mode = iota // never look
	ModeObserve             // count and log
	ModeEnforce             // act
)

var modeNames = [...]string{"off", "observe", "enforce"}

// String returns the mode's name.
func (m Mode) String() string { return modeNames[m] }

// ParseMode reads a mode's name.
func ParseMode(s string) (Mode, error) {
	i, err := parseName("rule mode", s, modeNames[:])
	return Mode(i), err
}

func parseName(what, s string, names []string) (int, error) {
	for i, name := range names {
		if s == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("unknown %s %q, use one of %q", what, s, names)
}
