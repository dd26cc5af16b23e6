// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata anew; it takes all clients of each agent")

// A report is what one client tells of an agent: lines by scene.
type report map[string][]string

// A book is a file with the reports of an agent's clients.
type book struct {
	name    string // of the file, before the agent's
	heading string
	scenes  []scene
}

// report writes down what a client saw of an agent. direct may be nil.
func (b book) report(agent, client sdk, direct, guarded []*caller, violations []violation) report {
	rules := make(map[string][]string) // by task
	for _, v := range violations {
		rules[v.Task] = append(rules[v.Task], v.Rule+" "+v.Action)
	}
	r := make(report)
	for i, scene := range b.scenes {
		var lines []string
		if direct != nil {
			calls, _ := steady(agent, client, scene, direct[i].calls)
			for _, call := range calls {
				lines = append(lines, "  direct   "+outcome(call))
			}
		}
		calls, whole := steady(agent, client, scene, guarded[i].calls)
		for _, call := range calls {
			lines = append(lines, "  guarded  "+outcome(call))
		}
		// A violation without a task cannot be told from another scene's.
		if task, _ := guarded[i].calls[0].Task(); whole && task != "" && rules[task] != nil {
			slices.Sort(rules[task])
			lines = append(lines, "  rules    "+strings.Join(rules[task], ", "))
		}
		r[scene.name] = lines
	}
	return r
}

// file is the name of an agent's file.
func (b book) file(agent sdk) string {
	return filepath.Join("testdata", b.name+strings.NewReplacer(" ", "-", "+", "-").Replace(strings.ToLower(agent.String()))+".txt")
}

// compare compares the reports of an agent's clients, by the name of their SDK, with
// the agent's file.
func (b book) compare(t *testing.T, agent sdk, reports map[string]report) {
	t.Helper()
	name := b.file(agent)
	if *update && len(reports) == len(clientsOf(agent)) {
		if err := os.WriteFile(name, []byte(b.merge(clientsOf(agent), reports)), 0o644); err != nil {
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

// clientMark ends a line that only some clients report.
func clientMark(clients []string) string {
	if len(clients) == 1 {
		return "  (" + clients[0] + " client)"
	}
	return "  (" + strings.Join(clients, ", ") + " clients)"
}

var clientMarks = regexp.MustCompile(`  \(([^()]*) clients?\)$`)

// unmarked is a line of a file without its mark, and whether a client reports it.
func unmarked(line, client string) (own string, reported bool) {
	found := clientMarks.FindStringSubmatchIndex(line)
	if found == nil {
		return line, true
	}
	return line[:found[0]], slices.Contains(strings.Split(line[found[2]:found[3]], ", "), client)
}

// merge writes all clients' reports as one file.
func (b book) merge(clients []sdk, reports map[string]report) string {
	text := b.heading
	for _, scene := range b.scenes {
		text += "\n" + scene.name + "\n"
		for i, more := 0, true; more; i++ {
			var lines []string
			of := make(map[string][]string) // the clients that report a line
			for _, client := range clients {
				told := reports[client.name][scene.name]
				if i >= len(told) {
					continue
				}
				if of[told[i]] == nil {
					lines = append(lines, told[i])
				}
				of[told[i]] = append(of[told[i]], client.name)
			}
			more = lines != nil
			for _, line := range lines {
				text += line
				if len(of[line]) < len(clients) {
					text += clientMark(of[line])
				}
				text += "\n"
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
		if own, reported := unmarked(line, client); reported {
			r[scene] = append(r[scene], own)
		}
	}
	return r
}
