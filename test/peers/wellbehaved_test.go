// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers_test

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/test/peers"
	"github.com/a2aguard/caddy-a2a-guard/test/peers/tap"
)

// patience is how long a call may last that is bound to end by itself.
const patience = 10 * time.Second

func TestWellBehavedTrafficPassesByteForByteAndWithoutViolation(t *testing.T) {
	for _, agent := range sdks {
		t.Run(agent.String()+" agent", func(t *testing.T) {
			behind := startTap(t, startAgent(t, agent))
			guard, violations := startGuard(t, behind.URL)
			before := startTap(t, guard)
			for _, sdk := range clientsOf(agent) {
				t.Run(sdk.String()+" client", func(t *testing.T) {
					client := startClient(t, sdk)
					for _, scene := range wellBehaved {
						compare(t, agent, sdk, scene, client, behind, before)
					}
				})
			}
			for _, v := range violations() {
				t.Errorf("the guard saw %s (%s) in task %s, where nobody broke a rule", v.Rule, v.Action, v.Task)
			}
		})
	}
}

// compare plays a scene directly and through the guard, which must make no difference.
func compare(t *testing.T, agent, library sdk, scene scene, client peers.Client, behind, before *tap.Tap) {
	t.Helper()
	if slices.Contains(breaksOff[agent], scene.name) {
		return // strict_test.go has it
	}
	direct := &caller{client: client, url: behind.URL, limit: patience}
	scene.play(direct)
	seen := len(behind.Exchanges())
	guarded := &caller{client: client, url: before.URL, limit: patience}
	guardedFrom := len(before.Exchanges())
	scene.play(guarded)
	without, _ := steady(agent, library, scene, direct.calls)
	with, _ := steady(agent, library, scene, guarded.calls)
	compareTranscripts(t, scene.name, without, with)
	compareExchanges(t, scene.name, behind.Exchanges()[seen:], before.Exchanges()[guardedFrom:])
}

// compareTranscripts checks that a client saw the same with and without the guard.
func compareTranscripts(t *testing.T, scene string, direct, guarded []madeCall) {
	t.Helper()
	if len(direct) != len(guarded) {
		t.Errorf("%s: the client made %d calls directly, %d through the guard", scene, len(direct), len(guarded))
		return
	}
	for i, call := range direct {
		if got, want := guarded[i].String(), call.String(); got != want {
			t.Errorf("%s: %s brought through the guard\n\t%s\ndirectly\n\t%s", scene, call.verb, got, want)
		}
	}
}

// compareExchanges checks that requests and answers are the same bytes on both
// sides of the guard. Calls of one scene may overlap, so their order says nothing.
func compareExchanges(t *testing.T, scene string, behind, before []tap.Exchange) {
	t.Helper()
	order := func(a, b tap.Exchange) int {
		return cmp.Or(cmp.Compare(a.Target, b.Target), cmp.Compare(a.Request, b.Request), cmp.Compare(a.Response, b.Response))
	}
	slices.SortFunc(behind, order)
	slices.SortFunc(before, order)
	if len(behind) != len(before) || len(behind) == 0 {
		t.Errorf("%s: the agent saw %d calls, the guard %d", scene, len(behind), len(before))
		return
	}
	for i, agent := range behind {
		if before[i] != agent {
			t.Errorf("%s: on the client's side of the guard passed\n%s\non the agent's\n%s", scene, before[i], agent)
		}
	}
}
