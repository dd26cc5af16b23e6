// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package scenario_test

import (
	"fmt"
	"os"
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

func TestEveryRuleIsShownAndSpared(t *testing.T) {
	cases, err := scenario.Load("../testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	type done struct {
		rule policy.Rule
		what policy.Action
	}
	broken, spared := make(map[done]bool), make(map[string]bool)
	for _, c := range cases {
		for _, s := range c.Scenes {
			for _, id := range s.Spares {
				spared[id] = true
			}
			results, err := s.Play(scenario.AsWritten)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				for _, v := range r.Core.Broken {
					broken[done{v.Rule, v.Decision.Do}] = true
				}
			}
		}
	}
	for _, rule := range policy.Rules() {
		info := rule.Info()
		for _, action := range []policy.Action{info.Standard, info.Strict} {
			if action != policy.Off && !broken[done{rule, action}] {
				elsewhere[info.ID].broken.check(t, rule, fmt.Sprintf("of %v, in which %s", action, info.Doc))
			}
		}
		if !spared[info.ID] {
			elsewhere[info.ID].spared.check(t, rule, "that spares it")
		}
	}
}

// check fails if there is no such test.
func (f test) check(t *testing.T, rule policy.Rule, which string) {
	t.Helper()
	if f.file == "" {
		t.Errorf("%v: no case %s", rule, which)
		return
	}
	text, err := os.ReadFile("../../" + f.file)
	if err != nil || !strings.Contains(string(text), "\nfunc "+f.name+"(t *testing.T) {\n") {
		t.Errorf("%v: no case %s, and no %s in %s", rule, which, f.name, f.file)
	}
}
