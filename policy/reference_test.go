// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/policy"
)

var update = flag.Bool("update", false, "write docs/rules.md")

// demands is all that the two versions demand of the life of tasks, and what was
// seen to break it.
var demands = strings.Fields(`
	first-event-task-or-message update-before-task message-stream-exactly-one message-after-task
	second-task-snapshot stream-payload-oneof close-after-terminal missing-final-status upstream-abort
	never-ending-stream interrupted-stream final-flag stream-content-type no-event-after-terminal
	late-artifact terminal-immutable restarted-terminal-task send-to-terminal subscribe-terminal
	task-id-stable task-id-matches-request context-id-stable context-id-matches-request
	context-id-missing request-task-context-match unknown-task jsonrpc-id jsonrpc-envelope
	task-id-unique append-unknown-artifact chunk-after-last artifact-required-fields illegal-transition
	state-regression event-order status-timestamp auth-required-message blocking-nonterminal
	return-immediately send-result-oneof get-task-bare history-length list-tasks-shape cancel-result
	cancel-terminal cancel-then-stream concurrent-send-same-task duplicate-message-id
	subscribe-first-task broadcast-same-events close-one-stream push-capability push-url
	push-config-task push-delete-idempotent webhook-payload authn-required task-owner-scope
	guard-memory-scope no-existence-leak error-redaction version-header version-supported
	extension-required extended-card capability-streaming tenant-echo content-type-request
	malformed-frame duplicate-json-keys case-variant-keys oversize-frame error-frame-terminates
	route-normalisation unknown-method dialect-mismatch passthrough compressed-body`)

func TestNoDemandIsLeftOut(t *testing.T) {
	for _, id := range demands {
		if !slices.ContainsFunc(policy.Reference(), func(row policy.Row) bool { return row.ID == id }) {
			t.Errorf("nothing is said of %s", id)
		}
	}
}

func TestEveryRowHasRulesOrSaysWhyNot(t *testing.T) {
	seen := make(map[string]bool)
	for _, row := range policy.Reference() {
		if seen[row.ID] {
			t.Errorf("%s has two rows", row.ID)
		}
		seen[row.ID] = true
		hasRules := slices.ContainsFunc(policy.Rules(), func(r policy.Rule) bool { return r.String() == row.ID })
		switch {
		case row.Source == "":
			t.Errorf("%s: who demands it?", row.ID)
		case row.Unseen != "" && (hasRules || row.Spares != ""):
			t.Errorf("%s has rules, or spares something, and cannot be seen", row.ID)
		case row.Unseen == "" && row.Spares == "":
			t.Errorf("%s: which traffic does it spare?", row.ID)
		case row.Unseen == "" && !hasRules:
			t.Errorf("%s has no rule and does not say why", row.ID)
		}
	}
	for _, r := range policy.Rules() {
		if !seen[r.String()] {
			t.Errorf("%s has no row; add one to policy/reference.go", r)
		}
	}
}

func TestTheReferenceIsFresh(t *testing.T) {
	const file = "../docs/rules.md"
	want := render()
	if *update {
		if err := os.WriteFile(file, want, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the rules say; run go generate ./policy", file)
	}
}

// render writes the reference.
func render() []byte {
	var b bytes.Buffer
	b.WriteString(`# Rules

Made from the package policy by ` + "`go generate ./policy`" + `; do not edit.

The columns *observe*, *standard* and *strict* say what each profile does. ` + "`would_…`" + ` is counted and
logged with that word and changes nothing. An id with several lines can be broken in several ways; the option
` + "`rule <id> off|observe|enforce`" + ` changes them all. A *notice* is what official SDKs do in ordinary use: it is
counted apart from violations and not logged.

| id | broken when | counts as | observe | standard | strict |
|---|---|---|---|---|---|
`)
	for _, row := range policy.Reference() {
		for _, r := range policy.Rules() {
			if info := r.Info(); info.ID == row.ID {
				fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", info.ID, cell(info.Doc), counts(info),
					column(r, policy.ProfileObserve), column(r, policy.ProfileStandard), column(r, policy.ProfileStrict))
			}
		}
	}
	b.WriteString("\n## Where they come from, and what they spare\n\n| id | source | legitimate traffic that is spared |\n|---|---|---|\n")
	for _, row := range policy.Reference() {
		if row.Unseen == "" {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", row.ID, cell(row.Source), cell(row.Spares))
		}
	}
	b.WriteString("\n## What is kept, or cannot be seen from here\n\n| id | source | why no traffic breaks it here |\n|---|---|---|\n")
	for _, row := range policy.Reference() {
		if row.Unseen != "" {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", row.ID, cell(row.Source), cell(row.Unseen))
		}
	}
	return b.Bytes()
}

func counts(info policy.Info) string {
	if info.Notice {
		return "notice"
	}
	return "violation"
}

func column(r policy.Rule, profile policy.Profile) string {
	p, err := policy.New(policy.Config{Profile: profile, Limits: policy.DefaultLimits()})
	if err != nil {
		panic(err) // no profile fails by itself
	}
	return p.Decide(r).String()
}

// cell keeps a text from ending its table cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
