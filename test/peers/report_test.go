// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata anew; it takes both clients of each agent")

// A report is what one client tells of an agent: lines by scene.
type report map[string][]string

// A book is a file with the reports of an agent's clients.
type book struct {
	name    string // of the file, before the agent's
	heading string
	scenes  []scene
}

// report writes down what a client saw. direct may be nil.
func (b book) report(direct, guarded []*caller, violations []violation) report {
	rules := make(map[string][]string) // by task
	for _, v := range violations {
		rules[v.Task] = append(rules[v.Task], v.Rule+" "+v.Action)
	}
	r := make(report)
	for i, scene := range b.scenes {
		var lines []string
		if direct != nil {
			for _, call := range direct[i].calls {
				lines = append(lines, "  direct   "+outcome(call))
			}
		}
		for _, call := range guarded[i].calls {
			lines = append(lines, "  guarded  "+outcome(call))
		}
		// A violation without a task cannot be told from another scene's.
		if task, _ := guarded[i].calls[0].Task(); task != "" && rules[task] != nil {
			slices.Sort(rules[task])
			lines = append(lines, "  rules    "+strings.Join(rules[task], ", "))
		}
		r[scene.name] = lines
	}
	return r
}

// compare compares the reports of an agent's clients, by the name of their SDK, with
// the agent's file.
func (b book) compare(t *testing.T, agent sdk, reports map[string]report) {
	t.Helper()
	name := filepath.Join("testdata", b.name+strings.NewReplacer(" ", "-", "+", "-").Replace(strings.ToLower(agent.String()))+".txt")
	if *update && len(reports) == len(clientsOf(agent)) {
		if err := os.WriteFile(name, []byte(b.merge(reports["Go"], reports["JavaScript"])), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for client, got := range reports {
		want := b.reportOf(client, string(text))
		for _, scene := range b.scenes {
			if !slices.Equal(got[scene.name], want[scene.name]) {
				t.Errorf("the agent %s; the %s client reports\n%s\n%s says\n%s", scene.name, client,
					strings.Join(got[scene.name], "\n"), name, strings.Join(want[scene.name], "\n"))
			}
		}
	}
}

// clientMark ends a line that only one client reports.
func clientMark(client string) string { return "  (" + client + " client)" }

// merge writes both clients' reports as one file.
func (b book) merge(goReport, jsReport report) string {
	text := b.heading
	for _, scene := range b.scenes {
		text += "\n" + scene.name + "\n"
		first, second := goReport[scene.name], jsReport[scene.name]
		for i := range max(len(first), len(second)) {
			if i < len(first) && i < len(second) && first[i] == second[i] {
				text += first[i] + "\n"
				continue
			}
			if i < len(first) {
				text += first[i] + clientMark("Go") + "\n"
			}
			if i < len(second) {
				text += second[i] + clientMark("JavaScript") + "\n"
			}
		}
	}
	return text
}

// reportOf is one client's part of a file.
func (b book) reportOf(client, text string) report {
	r := make(report)
	scene := ""
	for line := range strings.SplitSeq(strings.TrimPrefix(text, b.heading), "\n") {
		if !strings.HasPrefix(line, " ") {
			scene = line
			continue
		}
		own, marked := strings.CutSuffix(line, clientMark(client))
		if marked || !strings.HasSuffix(line, " client)") {
			r[scene] = append(r[scene], own)
		}
	}
	return r
}
