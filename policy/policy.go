// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"errors"
	"fmt"
)

// Profile is a set of actions, one for every rule.
type Profile uint8

// The profiles.
const (
	ProfileStandard Profile = iota // repairs what breaks clients, passes what official SDKs do
	ProfileObserve                 // writes and withholds no byte; for a roll-out
	ProfileStrict                  // holds agents to the letter
)

var profileNames = [...]string{"standard", "observe", "strict"}

// String returns the profile's name.
func (p Profile) String() string { return profileNames[p] }

// ParseProfile reads a profile's name.
func ParseProfile(s string) (Profile, error) {
	i, err := parseName("profile", s, profileNames[:])
	return Profile(i), err
}

// Unfinished says what a client is told about a stream that ended before its
// task did, when the agent itself gives no answer.
type Unfinished uint8

// The choices of the "unfinished" option.
const (
	// UnfinishedDefault is UnfinishedError, except that a subscription which
	// ends cleanly is only observed: it may have been opened to look.
	UnfinishedDefault Unfinished = iota
	UnfinishedError              // an in-stream error
	UnfinishedFailed             // a FAILED status that says whose verdict it is
	UnfinishedObserve            // a plain end
)

var unfinishedNames = [...]string{"", "error", "failed", "observe"}

// String returns the choice's name, empty for the default.
func (u Unfinished) String() string { return unfinishedNames[u] }

// ParseUnfinished reads a choice's name.
func ParseUnfinished(s string) (Unfinished, error) {
	i, err := parseName("unfinished action", s, unfinishedNames[1:])
	return Unfinished(i + 1), err
}

// StreamErrors says how an agent's own JSON error to a streaming call goes out.
type StreamErrors uint8

// The choices of the "stream_errors" option.
const (
	StreamErrorsDefault StreamErrors = iota // as the profile has it
	StreamErrorsSSE                         // as an event stream of one frame
	StreamErrorsJSON                        // as the agent sent it
)

var streamErrorsNames = [...]string{"", "sse", "json"}

// String returns the choice's name, empty for the default.
func (s StreamErrors) String() string { return streamErrorsNames[s] }

// ParseStreamErrors reads a choice's name.
func ParseStreamErrors(s string) (StreamErrors, error) {
	i, err := parseName("stream error framing", s, streamErrorsNames[1:])
	return StreamErrors(i + 1), err
}

// Config is what a user says; the zero value is not usable, see [DefaultLimits].
type Config struct {
	Profile          Profile
	Rules            map[string]Mode // overrides by rule id
	Limits           Limits
	Unfinished       Unfinished
	CancelUnfinished bool // ask the agent to cancel a task whose stream ended without its end
	StreamErrors     StreamErrors
	// Versions are the accepted versions of the protocol, nil for all that the
	// guard knows. A list is also enforced where the profile would only observe.
	Versions []string
	// RequireAuthorization switches the rule on credentials on.
	RequireAuthorization bool
	// RedactErrors enforces the rule on what errors tell of the agent, except in the
	// observing profile.
	RedactErrors bool
	// TaskOwner switches the rules on the owners of tasks on.
	TaskOwner bool
}

// Policy is a compiled [Config]. It does not change and may be shared.
type Policy struct {
	Limits           Limits
	Unfinished       Unfinished
	CancelUnfinished bool
	StreamErrors     StreamErrors

	profile   Profile
	versions  []string
	passive   bool
	decisions [RuleCount]Decision
}

// New compiles a configuration. It fails on unknown rule ids, on "enforce" for
// a rule that no profile acts on, and on limits that make no sense.
func New(c Config) (*Policy, error) {
	if err := c.Limits.validate(); err != nil {
		return nil, err
	}
	p := &Policy{
		Limits:           c.Limits,
		Unfinished:       c.Unfinished,
		CancelUnfinished: c.CancelUnfinished,
		StreamErrors:     c.StreamErrors,
		profile:          c.Profile,
	}
	for r, info := range rules {
		p.decisions[r] = c.Profile.decide(info)
	}
	if err := p.admission(c); err != nil {
		return nil, err
	}
	if c.RedactErrors && c.Profile != ProfileObserve {
		would := c.Profile.remedy(rules[ErrorRedaction])
		p.decisions[ErrorRedaction] = Decision{would, would}
	}
	for id, mode := range c.Rules {
		if err := errors.Join(c.contradicts(id, mode), p.override(id, mode)); err != nil {
			return nil, err
		}
	}
	p.passive = c.Profile == ProfileObserve
	for _, d := range p.decisions {
		p.passive = p.passive && !d.Do.Acts()
	}
	return p, nil
}

// Decide returns what is done when the rule is broken.
func (p *Policy) Decide(r Rule) Decision { return p.decisions[r] }

// Observes reports whether the policy's profile is the observing one: only a
// rule that the user enforces acts.
func (p *Policy) Observes() bool { return p.profile == ProfileObserve }

// Passive reports whether nothing acts at all: every byte passes as it comes.
func (p *Policy) Passive() bool { return p.passive }

func (p *Policy) override(id string, mode Mode) error {
	if err := CheckRule(id, mode); err != nil {
		return err
	}
	for r, info := range rules {
		if info.ID != id {
			continue
		}
		would := p.profile.remedy(info)
		switch mode {
		case ModeOff:
			p.decisions[r] = Decision{Off, Off}
		case ModeObserve:
			p.decisions[r] = Decision{Observe, would}
		case ModeEnforce:
			p.decisions[r] = Decision{would, would}
		}
	}
	return nil
}

// CheckRule reports whether a rule id exists and may be given the mode, under
// whatever profile.
func CheckRule(id string, mode Mode) error {
	known, acts := false, false
	for _, info := range rules {
		if info.ID == id {
			known = true
			acts = acts || info.Standard.Acts() || info.Strict.Acts()
		}
	}
	switch {
	case !known:
		return fmt.Errorf("unknown rule %q%s", id, Suggest(id, ruleIDs()))
	case mode == ModeEnforce && !acts:
		return fmt.Errorf("rule %q can only be observed, no profile acts on it", id)
	}
	return nil
}

// decide is the profile's own column.
func (p Profile) decide(info Info) Decision {
	do := Observe
	switch p {
	case ProfileObserve:
	case ProfileStandard:
		do = info.Standard
	case ProfileStrict:
		do = info.Strict
	}
	if do == Observe {
		return Decision{Observe, p.remedy(info)}
	}
	return Decision{do, do}
}

// remedy is what enforcing the rule means under the profile: its own column if
// that acts, else the other one.
func (p Profile) remedy(info Info) Action {
	first, second := info.Standard, info.Strict
	if p == ProfileStrict {
		first, second = second, first
	}
	if first.Acts() {
		return first
	}
	return second
}
