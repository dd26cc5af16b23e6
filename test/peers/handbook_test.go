// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/test/peers"
	"github.com/a2aguard/caddy-a2a-guard/test/peers/process"
)

// handbook are the agents of python/v03/handbook.py and what clients report of them.
var handbook = []struct {
	agent string
	calls []string
}{
	{"handbook", []string{
		`send      task(completed "The handbook says: Data can be exported for 30 days after a plan ends.") => ok`,
		`get       task(completed "The handbook says: Data can be exported for 30 days after a plan ends.") => ok`,
		`cancel    => error -32002`,
		`stream    task(submitted) status(working "I look it up.") status(completed "The handbook says: Data can be exported for 30 days after a plan ends." final) => ok`,
		`get       task(completed "The handbook says: Data can be exported for 30 days after a plan ends.") => ok`,
		`cancel    => error -32002`,
	}},
	{"failing", []string{
		`send      => error -32603`,
		`stream    task(submitted) status(working "I look it up.") status(failed "no index is loaded to look export up in" final) => ok`,
		`get       task(failed "no index is loaded to look export up in") => ok`,
		`cancel    => error -32002`,
	}},
	{"greeting", []string{
		`send      message("Good morning.") => ok`,
		`stream    message("Good morning.") => ok`,
	}},
}

// TestALangGraphAgentIsServed has agents that are no script players: a LangGraph agent
// in a thread, the same with a fault of its own, and one that answers with a message.
func TestALangGraphAgentIsServed(t *testing.T) {
	python := sdk{"Python", "0.3", ""}
	agents, err := process.StartAgents(programOf(t, python, "handbook"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, agents.Close) })
	for _, tt := range handbook {
		for _, profile := range []string{"standard", "strict"} {
			t.Run(tt.agent+" agent, "+profile, func(t *testing.T) {
				guard, violations := startGuard(t, agents.URLs[tt.agent], "profile "+profile)
				for _, library := range clientsOf(python) {
					client := startClient(t, library)
					for _, url := range []string{agents.URLs[tt.agent], guard} {
						c := &caller{client: client, url: url, limit: patience}
						askHandbook(c)
						var got []string
						for _, call := range c.calls {
							got = append(got, outcome(call))
							checkWords(t, call, profile == "strict" && url == guard)
						}
						if !slices.Equal(got, tt.calls) {
							t.Errorf("the %s client at %s reports\n%s\nnot\n%s", library.name, url, strings.Join(got, "\n"), strings.Join(tt.calls, "\n"))
						}
					}
				}
				for _, v := range violations() {
					if v.Rule != "error-redaction" {
						t.Errorf("the guard saw %s (%s), where nobody broke a rule", v.Rule, v.Action)
					}
				}
			})
		}
	}
}

// askHandbook asks a question in either way, and what became of it.
func askHandbook(c *caller) {
	for _, verb := range []string{"send", "stream"} {
		answer := c.do(peers.Call{Verb: verb, Text: "Can I export my data after I cancel my plan?"}, nil)
		c.about("get", answer)
		c.about("cancel", answer)
	}
}

// checkWords checks whether the words of an exception reach the client.
func checkWords(t *testing.T, call madeCall, withheld bool) {
	t.Helper()
	if call.End.Code == -32603 && strings.Contains(call.End.Message, "no index is loaded") == withheld {
		t.Errorf("%s says %q", call.verb, call.End.Message)
	}
}
