// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers_test

import "testing"

// Where everybody is known and tasks have owners, whoever created a task notices
// nothing of it. What breaks a rule in these scenes is the client that sends to a
// finished task, and the one that asks for a task which nobody has created.
func TestOwnersOfTasksNoticeNothing(t *testing.T) {
	const stranger = "knows no such task"
	for _, agent := range sdks {
		t.Run(agent.String()+" agent", func(t *testing.T) {
			behind := startTap(t, startAgent(t, agent))
			guard, violations := startGuard(t, behind.URL, "principal {http.request.header.User-Agent}", "task_owner on")
			before := startTap(t, guard)
			for _, sdk := range clientsOf(agent) {
				t.Run(sdk.String()+" client", func(t *testing.T) {
					client := startClient(t, sdk)
					for _, scene := range wellBehaved {
						if scene.name != stranger {
							compare(t, agent, sdk, scene, client, behind, before)
							continue
						}
						from := len(behind.Exchanges())
						scene.play(&caller{client: client, url: before.URL, limit: patience})
						if n := len(behind.Exchanges()) - from; n > 0 {
							t.Errorf("the agent sees %d calls about a task of nobody's", n)
						}
					}
				})
			}
			for _, v := range violations() {
				if agent.name == "Java" && v.Rule == "restarted-terminal-task" {
					continue // the Java server takes messages to finished tasks
				}
				if v.Rule != "send-to-terminal" && (v.Rule != "task-owner-scope" || v.Task != "no-such-task") {
					t.Errorf("the guard saw %s (%s) in task %s, where nobody broke a rule", v.Rule, v.Action, v.Task)
				}
			}
		})
	}
}
