// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"strings"
	"testing"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/policy"
)

func compile(t *testing.T, c policy.Config) *policy.Policy {
	t.Helper()
	if c.Limits == (policy.Limits{}) {
		c.Limits = policy.DefaultLimits()
	}
	p, err := policy.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEveryRuleHasACompleteEntry(t *testing.T) {
	for _, r := range policy.Rules() {
		info := r.Info()
		if info.ID == "" || info.Doc == "" {
			t.Errorf("rule %d lacks an id or a sentence: %+v", r, info)
		}
		if info.Standard == policy.Off || info.Strict == policy.Off {
			t.Errorf("%s: a rule that no profile looks at is no rule", info.ID)
		}
		if info.Strict < info.Standard && info.Standard.Acts() && !info.Strict.Acts() {
			t.Errorf("%s: strict (%v) is laxer than standard (%v)", info.ID, info.Strict, info.Standard)
		}
		if strings.ToLower(info.ID) != info.ID || strings.ContainsAny(info.ID, " _") {
			t.Errorf("%s: ids are lower case with dashes", info.ID)
		}
	}
}

func TestProfilesDecide(t *testing.T) {
	tests := []struct {
		profile policy.Profile
		rule    policy.Rule
		do      policy.Action
		label   string
	}{
		{policy.ProfileStandard, policy.LateArtifact, policy.Drop, "drop"},
		{policy.ProfileStrict, policy.LateArtifact, policy.Drop, "drop"},
		{policy.ProfileObserve, policy.LateArtifact, policy.Observe, "would_drop"},
		{policy.ProfileStandard, policy.FrameMalformed, policy.Drop, "drop"},
		{policy.ProfileStrict, policy.FrameMalformed, policy.End, "end"},
		{policy.ProfileStandard, policy.ContextIDStable, policy.Observe, "would_drop"},
		{policy.ProfileStrict, policy.ContextIDStable, policy.Drop, "drop"},
		{policy.ProfileObserve, policy.FrameMalformed, policy.Observe, "would_drop"},
		{policy.ProfileStandard, policy.StateRegression, policy.Observe, "observe"},
		{policy.ProfileStandard, policy.SendToTerminal, policy.Observe, "would_answer"},
		{policy.ProfileStrict, policy.SendToTerminal, policy.Answer, "answer"},
	}
	for _, tt := range tests {
		t.Run(tt.profile.String()+"/"+tt.rule.String(), func(t *testing.T) {
			d := compile(t, policy.Config{Profile: tt.profile}).Decide(tt.rule)
			if d.Do != tt.do || d.String() != tt.label {
				t.Errorf("got %v (%v), want %v (%s)", d.Do, d, tt.do, tt.label)
			}
		})
	}
}

func TestObserveActsOnNothing(t *testing.T) {
	p := compile(t, policy.Config{Profile: policy.ProfileObserve})
	for _, r := range policy.Rules() {
		if p.Decide(r).Do.Acts() {
			t.Errorf("%v acts under observe: %v", r, p.Decide(r))
		}
	}
	if !p.Passive() || !p.Observes() {
		t.Error("a policy that acts on nothing is passive")
	}
}

func TestRulesAreOverriddenOneByOne(t *testing.T) {
	tests := []struct {
		name    string
		profile policy.Profile
		id      string
		mode    policy.Mode
		rule    policy.Rule
		label   string
	}{
		{"off", policy.ProfileStandard, "late-artifact", policy.ModeOff, policy.LateArtifact, "off"},
		{"observe keeps what would have been", policy.ProfileStandard, "late-artifact", policy.ModeObserve, policy.LateArtifact, "would_drop"},
		{"enforce takes the other column where its own does not act", policy.ProfileStandard, "context-id-stable", policy.ModeEnforce, policy.ContextIDStable, "drop"},
		{"enforce takes its own column where that acts", policy.ProfileStrict, "malformed-frame", policy.ModeEnforce, policy.FrameMalformed, "end"},
		{"enforce under observe takes the standard column first", policy.ProfileObserve, "malformed-frame", policy.ModeEnforce, policy.FrameMalformed, "drop"},
		{"enforce under observe falls back to the strict column", policy.ProfileObserve, "context-id-stable", policy.ModeEnforce, policy.ContextIDStable, "drop"},
		{"one id covers every way of breaking it", policy.ProfileStandard, "jsonrpc-envelope", policy.ModeObserve, policy.EnvelopeBoth, "would_rewrite"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := compile(t, policy.Config{Profile: tt.profile, Rules: map[string]policy.Mode{tt.id: tt.mode}})
			if got := p.Decide(tt.rule).String(); got != tt.label {
				t.Errorf("got %s, want %s", got, tt.label)
			}
		})
	}
	enforced := compile(t, policy.Config{Profile: policy.ProfileObserve, Rules: map[string]policy.Mode{"late-artifact": policy.ModeEnforce}})
	if enforced.Passive() {
		t.Error("a policy with an enforced rule is not passive")
	}
}

func TestBadConfigurationsAreRefused(t *testing.T) {
	limits := func(change func(*policy.Limits)) policy.Limits {
		l := policy.DefaultLimits()
		change(&l)
		return l
	}
	tests := []struct {
		name   string
		config policy.Config
		want   string
	}{
		{"unknown rule", policy.Config{Limits: policy.DefaultLimits(), Rules: map[string]policy.Mode{"late-artefact": policy.ModeOff}}, `unknown rule "late-artefact", did you mean "late-artifact"?`},
		{"rule that nothing acts on", policy.Config{Limits: policy.DefaultLimits(), Rules: map[string]policy.Mode{"state-regression": policy.ModeEnforce}}, `rule "state-regression" can only be observed, no profile acts on it`},
		{"rule off beside its option", policy.Config{Limits: policy.DefaultLimits(), TaskOwner: true, Rules: map[string]policy.Mode{"task-owner-scope": policy.ModeOff}}, `rule "task-owner-scope" is off beside task_owner, which it does the work of; leave one of them out`},
		{"heartbeat without a rest", policy.Config{Limits: limits(func(l *policy.Limits) { l.Heartbeat = 1 })}, "heartbeat 1ns must be at least 10ms"},
		{"hold beyond patience", policy.Config{Limits: limits(func(l *policy.Limits) { l.Hold = time.Hour })}, "hold 1h0m0s must be at most 1m0s: clients wait for the headers meanwhile"},
		{"unknown version", policy.Config{Limits: policy.DefaultLimits(), Versions: []string{"1.0", "2.0"}}, `unknown version "2.0", use one of ["0.3" "1.0"]`},
		{"version twice", policy.Config{Limits: policy.DefaultLimits(), Versions: []string{"1.0", "1.0"}}, `version "1.0" is given twice`},
		{"no version", policy.Config{Limits: policy.DefaultLimits(), Versions: []string{}}, `versions wants at least one of ["0.3" "1.0"]`},
		{"negative time", policy.Config{Limits: limits(func(l *policy.Limits) { l.Idle = -time.Second })}, "idle_timeout is negative: -1s"},
		{"no lookup time", policy.Config{Limits: limits(func(l *policy.Limits) { l.Lookup = 0 })}, "lookup_timeout must be more than zero"},
		{"no request size", policy.Config{Limits: limits(func(l *policy.Limits) { l.MaxRequestBody = 0 })}, "max_request_body 0 must be at least 256 bytes"},
		{"negative event size", policy.Config{Limits: limits(func(l *policy.Limits) { l.MaxEvent = -1 })}, "max_event -1 must be at least 256 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := policy.New(tt.config)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestNamesAreReadBack(t *testing.T) {
	for _, name := range []string{"standard", "observe", "strict"} {
		if p, err := policy.ParseProfile(name); err != nil || p.String() != name {
			t.Errorf("profile %s: %v, %v", name, p, err)
		}
	}
	for _, name := range []string{"off", "observe", "enforce"} {
		if m, err := policy.ParseMode(name); err != nil || m.String() != name {
			t.Errorf("mode %s: %v, %v", name, m, err)
		}
	}
	for _, name := range []string{"error", "failed", "observe"} {
		if u, err := policy.ParseUnfinished(name); err != nil || u.String() != name {
			t.Errorf("unfinished %s: %v, %v", name, u, err)
		}
	}
	for _, name := range []string{"sse", "json"} {
		if s, err := policy.ParseStreamErrors(name); err != nil || s.String() != name {
			t.Errorf("stream errors %s: %v, %v", name, s, err)
		}
	}
	_, err := policy.ParseProfile("lax")
	if want := `unknown profile "lax", use one of ["standard" "observe" "strict"]`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestUnknownNamesAreTalkedAbout(t *testing.T) {
	known := []string{"hold", "linger", "max_calls", "max_event", "rpc_path"}
	for name, want := range map[string]string{
		"holds":     `, did you mean "hold"?`,
		"max_evnt":  `, did you mean "max_event"?`,
		"RPC_PATH":  `, did you mean "rpc_path"?`,
		"heartbeat": `, use one of ["hold" "linger" "max_calls" "max_event" "rpc_path"]`,
		"":          `, use one of ["hold" "linger" "max_calls" "max_event" "rpc_path"]`,
	} {
		if got := policy.Suggest(name, known); got != want {
			t.Errorf("%q: got %s, want %s", name, got, want)
		}
	}
}

func TestOptionsSetTheirRules(t *testing.T) {
	tests := []struct {
		name   string
		config policy.Config
		rule   policy.Rule
		want   string
	}{
		{"credentials are nobody's concern", policy.Config{Profile: policy.ProfileStrict}, policy.AuthnRequired, "off"},
		{"nor are they observed", policy.Config{Profile: policy.ProfileObserve}, policy.AuthnRequired, "off"},
		{"unless the option is set", policy.Config{RequireAuthorization: true}, policy.AuthnRequired, "reject"},
		{"in the observing profile only to be counted", policy.Config{Profile: policy.ProfileObserve, RequireAuthorization: true}, policy.AuthnRequired, "would_reject"},
		{"a rule's own word comes last", policy.Config{RequireAuthorization: true, Rules: map[string]policy.Mode{"authn-required": policy.ModeObserve}}, policy.AuthnRequired, "would_reject"},
		{"or does without the option", policy.Config{Rules: map[string]policy.Mode{"authn-required": policy.ModeEnforce}}, policy.AuthnRequired, "reject"},
		{"versions are observed", policy.Config{}, policy.VersionSupported, "would_reject"},
		{"and refused in strict", policy.Config{Profile: policy.ProfileStrict}, policy.VersionSupported, "reject"},
		{"or if they are listed", policy.Config{Versions: []string{"1.0"}}, policy.VersionSupported, "reject"},
		{"but not while all is observed", policy.Config{Profile: policy.ProfileObserve, Versions: []string{"1.0"}}, policy.VersionSupported, "would_reject"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := compile(t, tt.config).Decide(tt.rule).String(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
