// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import "testing"

// reaching is the usual chain: the guard and the way to an agent.
func reaching(address string, options ...string) string {
	guard := "a2a_guard"
	if len(options) > 0 {
		guard += " {\n"
		for _, line := range options {
			guard += "\t" + line + "\n"
		}
		guard += "}"
	}
	return guard + "\nreverse_proxy " + address
}

func TestFramesArriveOneByOne(t *testing.T) {
	a := startAgent(t)
	s := serve(t, reaching(a.address), allProtocols)
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			answers := s.client(t, p).asks(streamCall)
			agent := a.next(t).stream().say(taskFrame)
			client := head(t, answers)
			client.expect(taskFrame)
			agent.say(workingFrame)
			client.expect(workingFrame)
			agent.say(doneFrame).end()
			client.expect(doneFrame)
			if rest := client.rest(); rest != "" {
				t.Errorf("after the end comes %q", rest)
			}
		})
	}
}
