// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"slices"
)

// knownVersions are the versions of the protocol that the guard can tell apart.
var knownVersions = []string{"0.3", "1.0"}

// CheckVersions reports what is wrong with a list of accepted versions.
func CheckVersions(versions []string) error {
	if len(versions) == 0 {
		return fmt.Errorf("versions wants at least one of %q", knownVersions)
	}
	for i, v := range versions {
		if !slices.Contains(knownVersions, v) {
			return fmt.Errorf("unknown version %q, use one of %q", v, knownVersions)
		}
		if slices.Contains(versions[:i], v) {
			return fmt.Errorf("version %q is given twice", v)
		}
	}
	return nil
}

// admission takes the options that set a rule beside the profile.
func (p *Policy) admission(c Config) error {
	if !c.RequireAuthorization {
		p.decisions[AuthnRequired] = Decision{Off, Off}
	}
	if !c.TaskOwner {
		for _, r := range [...]Rule{TaskOwner, TaskOwnerAnswer, TaskOwnerList} {
			p.decisions[r] = Decision{Off, Off}
		}
	}
	if c.Versions == nil {
		p.versions = knownVersions
		return nil
	}
	if c.Profile == ProfileStandard {
		would := c.Profile.remedy(rules[VersionSupported])
		p.decisions[VersionSupported] = Decision{would, would}
	}
	p.versions = c.Versions
	return CheckVersions(c.Versions)
}

// contradicts reports a rule that is switched off beside the option that asks for it.
func (c *Config) contradicts(id string, mode Mode) error {
	for _, option := range [...]struct {
		name string
		on   bool
		rule Rule
	}{
		{"require_authorization", c.RequireAuthorization, AuthnRequired},
		{"task_owner", c.TaskOwner, TaskOwner},
		{"redact_errors", c.RedactErrors, ErrorRedaction},
		{"versions", c.Versions != nil, VersionSupported},
	} {
		if option.on && mode == ModeOff && id == rules[option.rule].ID {
			return fmt.Errorf("rule %q is off beside %s, which it does the work of; leave one of them out", id, option.name)
		}
	}
	return nil
}

// Versions are the accepted versions of the protocol.
func (p *Policy) Versions() []string { return p.versions }

// Accepts reports whether calls of a version, as "Major.Minor", are accepted.
func (p *Policy) Accepts(version string) bool { return slices.Contains(p.versions, version) }

// Looks reports whether anything is done about any of the rules, and whether that
// is more than to observe it.
func (p *Policy) Looks(rules ...Rule) (looks, acts bool) {
	for _, r := range rules {
		do := p.decisions[r].Do
		looks, acts = looks || do != Off, acts || do.Acts()
	}
	return looks, acts
}
