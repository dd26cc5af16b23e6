// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"strings"

	"github.com/a2aguard/caddy-a2a-guard/examples/agent/orders"
)

// scenario is one call that the demo makes twice, directly and through the
// guard, with what must come of it.
type scenario struct {
	fault   orders.Fault
	title   string // what the agent does
	legacy  bool   // the call is one of protocol 0.3
	cancels bool   // the client cancels the task at its first artifact
	remedy  string // what the guard does about it

	wantDirect, wantGuarded string         // the accounts, as account.String tells them
	wantRules               map[string]int // how often the guard acts on which rule
}

// contextID marks the scenario's calls in the guard's log.
func (s *scenario) contextID() string { return "demo-" + string(s.fault) }

func (s *scenario) dialect() dialect {
	if s.legacy {
		return v03
	}
	return v10
}

// mends says whether the guard changes what the client sees.
func (s *scenario) mends() bool { return s.wantDirect != s.wantGuarded }

// scenarios are the rows of the table.
var scenarios = []*scenario{
	{
		fault: orders.None, title: "behaves well", remedy: "passes every byte",
		wantDirect: "S W a a a C | completed", wantGuarded: "S W a a a C | completed",
	},
	{
		fault: orders.NoFinal, title: "returns without a final status", remedy: "ends it with an error",
		wantDirect: "S W a a a | no end", wantGuarded: "S W a a a E | error -32006",
		wantRules: map[string]int{"missing-final-status": 1},
	},
	{
		fault: orders.NeverReturns, title: "never returns", remedy: "ends it after 1 s",
		wantDirect: "S W | hangs", wantGuarded: "S W E | error -32603",
		wantRules: map[string]int{"never-ending-stream": 1},
	},
	{
		fault: orders.LateArtifact, title: "artifact at once after completion", remedy: "drops the artifact",
		wantDirect: "S W a a a C A | late events", wantGuarded: "S W a a a C | completed",
		wantRules: map[string]int{"late-artifact": 1},
	},
	{
		fault: orders.LateArtifactDelayed, title: "artifact 0.3 s after completion", remedy: "drops the artifact",
		wantDirect: "S W a a a C A | late events", wantGuarded: "S W a a a C | completed",
		wantRules: map[string]int{"late-artifact": 1},
	},
	{
		fault: orders.TerminalOverwritten, title: "changes its mind after completion", remedy: "keeps the first end",
		wantDirect: "S W a a a C W F | late events", wantGuarded: "S W a a a C | completed",
		wantRules: map[string]int{"illegal-transition": 2},
	},
	{
		fault: orders.Raises, title: "raises after submission", remedy: "passes: it is an end",
		wantDirect: "S E | error -32603", wantGuarded: "S E | error -32603",
	},
	{
		fault: orders.CancelFails, title: "cancel fails", cancels: true, remedy: "ends it with an error",
		wantDirect: "S W a k! a a | no end", wantGuarded: "S W a k! a a E | error -32006",
		wantRules: map[string]int{"missing-final-status": 1},
	},
	{
		fault: orders.CancelMidrun, title: "cancel lands in mid-run", cancels: true, remedy: "drops the late chunks",
		wantDirect: "S W a k X a a | late events", wantGuarded: "S W a k X | canceled",
		wantRules: map[string]int{"late-artifact": 2},
	},
	{
		fault: orders.UpdateBeforeTask, title: "update before task", remedy: "passes: SDKs do it",
		wantDirect: "W a a a C | completed", wantGuarded: "W a a a C | completed",
	},
	{
		fault: orders.MessageInStream, title: "message in a task's stream", remedy: "makes it a status",
		wantDirect: "S W a M a a | no end", wantGuarded: `S W a W" a a E | error -32006`,
		wantRules: map[string]int{"message-after-task": 1, "missing-final-status": 1},
	},
	{
		fault: orders.TwoMessages, title: "two messages", remedy: "drops the second",
		wantDirect: "M M | late events", wantGuarded: "M | message",
		wantRules: map[string]int{"message-stream-exactly-one": 1},
	},
	{
		fault: orders.MidFrame, title: "dies in mid-frame", remedy: "ends it with an error",
		wantDirect: "S W a / | breaks off", wantGuarded: "S W a E | error -32006",
		wantRules: map[string]int{"upstream-abort": 1},
	},
	{
		fault: orders.MalformedFrame, title: "one frame is not JSON", remedy: "drops the frame",
		wantDirect: "S W a ? a a C | parse error", wantGuarded: "S W a a a C | completed",
		wantRules: map[string]int{"malformed-frame": 1},
	},
	{
		fault: orders.WrongFinal, title: "final flag wrong (0.3)", legacy: true, remedy: "fetches the real end",
		wantDirect: "S W* a a a C | no final flag", wantGuarded: "S W* A C* | completed",
		wantRules: map[string]int{"final-flag": 4, "missing-final-status": 1},
	},
	{
		fault: orders.EmptyStream, title: "answers with an empty stream", remedy: "answers with an error",
		wantDirect: "| empty", wantGuarded: "E | error -32006",
		wantRules: map[string]int{"missing-final-status": 1},
	},
	{
		fault: orders.HTML, title: "answers with a login page", remedy: "answers with an error",
		wantDirect: "| not A2A", wantGuarded: "E | error -32006",
		wantRules: map[string]int{"stream-content-type": 1},
	},
	{
		fault: orders.Error500Text, title: "answers HTTP 500 in plain text", remedy: "answers with an error",
		wantDirect: "| HTTP 500", wantGuarded: "E | error -32603",
		wantRules: map[string]int{"http-status-jsonrpc": 1},
	},
}

// findScenarios returns the one of a fault, or all for "".
func findScenarios(fault string) ([]*scenario, error) {
	if fault == "" {
		return scenarios, nil
	}
	for _, s := range scenarios {
		if string(s.fault) == fault {
			return []*scenario{s}, nil
		}
	}
	return nil, fmt.Errorf("unknown fault %q, use one of %s", fault, strings.Join(faultNames(), ", "))
}

func faultNames() []string {
	names := make([]string, len(scenarios))
	for i, s := range scenarios {
		names[i] = string(s.fault)
	}
	return names
}

// faultList tells the faults by name, one a line.
func faultList() string {
	var b strings.Builder
	b.WriteString("Faults:\n")
	for _, s := range scenarios {
		fmt.Fprintf(&b, "  %-22s %s\n", s.fault, s.title)
	}
	return b.String()
}

// check compares what came of a scenario with what must; the answer is empty if
// all is as the guard promises.
func (s *scenario) check(direct, guarded *account, rules map[string]int) (faults []string) {
	for _, side := range []struct {
		name, want string
		got        *account
	}{{"direct", s.wantDirect, direct}, {"guarded", s.wantGuarded, guarded}} {
		if got := side.got.String(); got != side.want {
			faults = append(faults, fmt.Sprintf("%s: the client saw %q, expected %q", side.name, got, side.want))
		}
	}
	if !s.mends() && !sameBytes(direct, guarded) {
		faults = append(faults, "guarded: the bytes are not the agent's")
	}
	if !maps.Equal(rules, s.wantRules) {
		faults = append(faults, fmt.Sprintf("guarded: the guard acted on %v, expected %v", rules, s.wantRules))
	}
	return faults
}
