// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const faultsHeading = `# What an agent's faults come to

What a client on the same SDK reports of the faults that executors of A2A agents have
most often: the stream, or the unary call, and the task that is stored. Taken from the
agents' files in testdata, to which each run is held.

Written by: go test ./test/peers -run Faults -update
`

// commonFaults are those of an executor, by their scenes.
var commonFaults = []string{
	"returns without a final status",
	"returns without a final status in a unary call",
	"never returns",
	"never returns from a unary call",
	"sends an artifact at once after completion",
	"sends an artifact 0.3 s after completion",
	"throws after submission",
	"throws in a unary call",
	"throws at a cancellation",
	"works on after a cancellation",
	"updates before it sends a Task",
	"sends a message inside a task's stream",
}

func TestTheTableOfFaultsIsWhatTheAgentsFilesSay(t *testing.T) {
	var b strings.Builder
	b.WriteString(faultsHeading)
	for _, agent := range sdks {
		if agent.binding == httpJSON {
			continue
		}
		text, err := os.ReadFile(misbehaviour.file(agent))
		if err != nil {
			t.Fatal(err)
		}
		told := misbehaviour.reportOf(agent.name, string(text))
		fmt.Fprintf(&b, "\n## %s\n\n| the agent | directly | through the guard | rules |\n|---|---|---|---|\n", agent)
		for _, scene := range commonFaults {
			b.WriteString(faultRow(scene, told[scene]))
		}
	}
	const name = "FAULTS.md"
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(written) != b.String() {
		t.Errorf("%s is not what testdata says: go test ./test/peers -run Faults -update", filepath.Join("test", "peers", name))
	}
}

// faultRow is a scene's row of the table.
func faultRow(scene string, lines []string) string {
	cells := map[string][]string{}
	for _, line := range lines {
		how, what, _ := strings.Cut(strings.TrimSpace(line), " ")
		what = strings.Join(strings.Fields(what), " ")
		if how != "rules" {
			what = "`" + what + "`"
		}
		cells[how] = append(cells[how], what)
	}
	row := "| " + scene
	for _, how := range []string{"direct", "guarded", "rules"} {
		row += " | " + strings.Join(cells[how], "<br>")
	}
	return row + " |\n"
}
