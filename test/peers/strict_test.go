// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers_test

import "testing"

var strictness = book{"strict-", `# What official clients report of a well-behaved agent in profile strict, which holds
# it to the letter and remembers its tasks, and the rules that the guard saw broken.
# behaviours_test.go has the scenes. A line that only one client reports ends with its
# name.
# Written by: go test ./test/peers -run Strict -update
`, wellBehaved}

func TestStrictTellsWhatItHoldsAgainstOfficialPeers(t *testing.T) {
	for _, agent := range sdks {
		t.Run(agent.String()+" agent", func(t *testing.T) {
			guard, violations := startGuard(t, startAgent(t, agent), "profile strict", "principal {http.request.remote.host}")
			reports := make(map[string]report)
			for _, sdk := range clientsOf(agent) {
				t.Run(sdk.String()+" client", func(t *testing.T) {
					client := startClient(t, sdk)
					var guarded []*caller
					for _, scene := range wellBehaved {
						c := &caller{client: client, url: guard, limit: patience}
						scene.play(c)
						guarded = append(guarded, c)
					}
					reports[sdk.name] = strictness.report(agent, sdk, nil, guarded, violations())
				})
			}
			strictness.compare(t, agent, reports)
		})
	}
}
