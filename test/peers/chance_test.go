// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers_test

// byChance are scenes in which an SDK's later calls come out now so, now so, with
// how many calls of the scene come out alike each time. The Java server stores
// events, closes streams and answers unary calls in threads of their own; its client
// leaves a stream at the first terminal state, whatever the agent still does.
var byChance = map[string]map[string]int{
	"Java client": {
		"sends an artifact at once after completion":                           1,
		"sends an artifact 0.3 s after completion":                             1,
		"sends an artifact at once after a completed Task":                     1,
		"sends an artifact 0.3 s after a completed Task":                       1,
		"completes without the final flag, then sends an artifact":             1,
		"completes without the final flag, then sends an artifact 0.3 s later": 1,
		"changes a terminal state":                                             2,
		"updates before it sends a Task":                                       0,
	},
	"Java agent": {
		"answers in one piece":                                                 0,
		"asks back in a unary call":                                            0,
		"fails in order":                                                       1,
		"refuses calls on a finished task":                                     4,
		"sends an artifact at once after completion":                           1,
		"sends an artifact 0.3 s after completion":                             1,
		"sends an artifact at once after a completed Task":                     1,
		"sends an artifact 0.3 s after a completed Task":                       1,
		"completes without the final flag, then sends an artifact":             1,
		"completes without the final flag, then sends an artifact 0.3 s later": 1,
		"changes a terminal state":                                             0,
		"works on after a cancellation":                                        1,
		"returns without a final status in a unary call":                       1,
	},
}

// breaksOff are scenes of good behaviour in which an SDK's server does not behave: it
// has sent the head of a stream before it finds that it must refuse the call, and then
// breaks the connection off.
var breaksOff = map[sdk][]string{
	{"Python", "0.3", httpJSON}: {"refuses calls on a finished task", "knows no such task"},
}

// steady are the calls of a scene that come out alike each time between an agent and
// a client. whole is false if others do not: the rules that they break are by chance.
func steady(agent, client sdk, scene scene, calls []madeCall) (alike []madeCall, whole bool) {
	for _, name := range []string{agent.name + " agent", client.name + " client"} {
		if n, some := byChance[name][scene.name]; some {
			return calls[:min(n, len(calls))], false
		}
	}
	return calls, true
}
