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

const matrixHeading = `# Agents and clients on official SDKs, through the guard

Each agent misbehaves in the scenes of behaviours_test.go. A row counts for one client,
in profile standard, the scenes in which the guard saw a rule broken, and the streams
through the guard that end in a state or a message, or in an error; then the streams
that never end, without and with the guard. What comes out by chance (chance_test.go)
is left out. The sequences are in the agents' files in testdata, to which each run is
held; well-behaved scenes pass between all of these byte for byte and without a
violation, but for two of Python 0.3 over HTTP+JSON, whose server breaks streams off
that it should refuse.

Written by: go test ./test/peers -run Matrix -update

| agent | client | scenes | rule broken | end well | end in an error | never end directly | never end guarded |
|---|---|---|---|---|---|---|---|
`

func TestTheMatrixIsWhatTheAgentsFilesSay(t *testing.T) {
	var b strings.Builder
	b.WriteString(matrixHeading)
	for _, agent := range sdks {
		text, err := os.ReadFile(misbehaviour.file(agent))
		if err != nil {
			t.Fatal(err)
		}
		for _, client := range clientsOf(agent) {
			b.WriteString(matrixRow(agent, client, misbehaviour.reportOf(client.name, string(text))))
		}
	}
	const name = "MATRIX.md"
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
		t.Errorf("%s is not what testdata says: go test ./test/peers -run Matrix -update", filepath.Join("test", "peers", name))
	}
}

// matrixRow counts one client's report of an agent.
func matrixRow(agent, client sdk, told report) string {
	var broken, well, failed, openDirect, openGuarded int
	for _, scene := range misbehaved {
		for _, line := range told[scene.name] {
			how, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			stream := strings.HasPrefix(strings.TrimSpace(rest), "stream ")
			open := strings.HasSuffix(line, "=> timeout")
			switch {
			case how == "rules":
				broken++
			case !stream:
			case how == "direct" && open:
				openDirect++
			case how == "direct":
			case open:
				openGuarded++
			case strings.Contains(line, "=> ok"):
				well++
			default:
				failed++
			}
		}
	}
	return fmt.Sprintf("| %s | %s | %d | %d | %d | %d | %d | %d |\n",
		agent, client, len(misbehaved), broken, well, failed, openDirect, openGuarded)
}
