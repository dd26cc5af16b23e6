// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package scenario_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/policy"
	"github.com/a2aguard/caddy-a2a-guard/test/scenario"
)

// elsewhere names tests of what no case can show: where a rule is broken, and
// where it is spared.
var elsewhere = map[string]struct{ broken, spared test }{
	"max-streams":                  {maxima, maxima},
	"max-calls":                    {maxima, maxima},
	"capability-mismatch-declared": {breaksItsWord, breaksItsWord},
	"return-immediately":           {broken: test{"guard/exchange_test.go", "TestALateAnswerIsNoneAtOnce"}},
	"late-request": {
		broken: test{"test/requests_test.go", "TestABodyThatNeverEndsIsRefusedInTime"},
		spared: test{"test/requests_test.go", "TestAClientThatWaitsForContinueGetsIt"},
	},
}

var (
	maxima        = test{"caddymodule/limits_test.go", "TestACallerHasNoMoreCallsThanItMay"}
	breaksItsWord = test{"guard/capability_test.go", "TestAnAgentThatBreaksItsCardsWordIsReported"}
)

// test is a test function and the file that it stands in.
type test struct{ file, name string }

// pending are rules whose cases are still to come. The list only shrinks.
var pending = strings.Fields(``)

func TestEveryRuleIsTestedBothWays(t *testing.T) {
	cases, err := scenario.Load("../testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	broken, spared := make(map[string]bool), make(map[string]bool)
	for _, c := range cases {
		for _, s := range c.Scenes {
			for _, id := range s.Spares {
				spared[id] = true
			}
			for _, e := range s.Exchanges {
				for _, line := range slices.Concat(e.Expect.Reports, e.Expect.Notices) {
					broken[strings.Fields(line)[0]] = true
				}
			}
		}
	}
	for _, row := range policy.Reference() {
		known := slices.ContainsFunc(policy.Rules(), func(r policy.Rule) bool { return r.String() == row.ID })
		if !known || slices.Contains(pending, row.ID) {
			continue
		}
		if !broken[row.ID] {
			elsewhere[row.ID].broken.check(t, row.ID, "reports or notices")
		}
		if !spared[row.ID] {
			elsewhere[row.ID].spared.check(t, row.ID, "spares")
		}
	}
}

// check fails if there is no such test.
func (f test) check(t *testing.T, id, does string) {
	t.Helper()
	if f.file == "" {
		t.Errorf("no case %s %s", does, id)
		return
	}
	text, err := os.ReadFile("../../" + f.file)
	if err != nil || !strings.Contains(string(text), "\nfunc "+f.name+"(t *testing.T) {\n") {
		t.Errorf("no case %s %s, and %s holds no %s", does, id, f.file, f.name)
	}
}
