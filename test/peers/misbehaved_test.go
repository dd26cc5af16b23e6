// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/test/peers"
)

// impatience is how long a direct call may last: nothing else ends some of them.
const impatience = 4 * time.Second

// hurry makes the guard's time limits short, but not so short that a busy machine
// passes them by itself.
var hurry = []string{"first_event_timeout 2s", "idle_timeout 2s", "call_timeout 2s", "stream_errors sse"}

// TestMisbehaviourComesOutRight compares what clients report, directly and through
// the guard, with what testdata tells of their agent.
var misbehaviour = book{"", `# What official clients report of an agent that misbehaves, directly and through
# the guard, and the rules that the guard saw broken. behaviours_test.go has the
# scenes. A line that only one client reports ends with the client's name.
# Written by: go test ./test/peers -run Misbehaviour -update
`, misbehaved}

func TestMisbehaviourComesOutRight(t *testing.T) {
	for _, agent := range sdks {
		t.Run(agent.String()+" agent", func(t *testing.T) {
			url := startAgent(t, agent)
			guard, violations := startGuard(t, url, hurry...)
			reports := make(map[string]report)
			for _, sdk := range clientsOf(agent) {
				t.Run(sdk.String()+" client", func(t *testing.T) {
					client := startClient(t, sdk)
					// The first call of a process is its slowest.
					(&caller{client: client, url: guard, limit: patience}).stream(message("Hello."))
					var direct, guarded []*caller
					var both sync.WaitGroup
					both.Go(func() { direct = playAll(client, url, impatience) })
					both.Go(func() { guarded = playAll(client, guard, patience) })
					both.Wait()
					for i, scene := range misbehaved {
						calls, _ := steady(agent, sdk, scene, guarded[i].calls)
						for _, call := range calls {
							checkGuarded(t, sdk, scene.name, call)
						}
					}
					reports[sdk.name] = misbehaviour.report(agent, sdk, direct, guarded, violations())
				})
			}
			misbehaviour.compare(t, agent, reports)
		})
	}
}

// playAll plays all scenes side by side.
func playAll(client peers.Client, url string, limit time.Duration) []*caller {
	callers := make([]*caller, len(misbehaved))
	var all sync.WaitGroup
	for i, scene := range misbehaved {
		callers[i] = &caller{client: client, url: url, limit: limit}
		all.Go(func() { scene.play(callers[i]) })
	}
	all.Wait()
	return callers
}

// errorTypes are what the libraries call the errors of JSON-RPC codes that the
// guard uses.
var errorTypes = map[sdk]map[int]string{
	{"Go", "1.0", ""}:         {-32006: "invalid agent response", -32603: "internal error"},
	{"Go", "0.3", ""}:         {-32006: "invalid agent response", -32603: "internal error"},
	{"JavaScript", "1.0", ""}: {-32006: "JsonRpcInvalidAgentResponseError", -32603: "JsonRpcTransportError"},
	{"JavaScript", "0.3", ""}: {-32006: "InvalidAgentResponseJSONRPCError", -32603: "JSONRPCTransportError"},

	{"Java", "1.0", ""}: {-32006: "InvalidAgentResponseError", -32603: "InternalError"},

	{"Python", "1.0", ""}:       {-32006: "InvalidAgentResponseError", -32603: "InternalError"},
	{"Python", "1.0", httpJSON}: {-32006: "InvalidAgentResponseError", -32603: "InternalError"},

	{"Python", "0.3", ""}:       {-32006: "A2AClientJSONRPCError", -32603: "A2AClientJSONRPCError"},
	{"Python", "0.3", httpJSON}: {-32006: "A2AClientHTTPError", -32603: "A2AClientHTTPError"},

	{"Go", "1.0", httpJSON}:         {-32006: "invalid agent response", -32603: "internal error"},
	{"JavaScript", "1.0", httpJSON}: {-32006: "RestInvalidAgentResponseError", -32603: "RestA2AErrorImpl"},
	{"JavaScript", "0.3", httpJSON}: {-32006: "InvalidAgentResponseError", -32603: "Error"},
}

// checkGuarded checks what holds for every call through the guard: it ends, and
// either in an error, of the right type if it is the guard's, or with a state or
// a message that a client may take for the end.
func checkGuarded(t *testing.T, client sdk, scene string, call madeCall) {
	t.Helper()
	end := call.End
	switch {
	case end.How == "timeout":
		t.Errorf("%s: %s never ended: %s", scene, call.verb, call)
	case end.How == "error":
		if want := errorTypes[client][end.Code]; ruleOf(end) != "" && end.Type != want {
			t.Errorf("%s: %s ended with code %d as a %q, want %q", scene, call.verb, end.Code, end.Type, want)
		}
	case len(call.Events) == 0:
		t.Errorf("%s: %s is an empty success", scene, call.verb)
	case call.verb == "stream" || call.verb == "subscribe":
		last := call.Events[len(call.Events)-1]
		if client.name != "Go" && client.version == "1.0" && client.binding == httpJSON && last.Kind == "" {
			return // the Go agent's own error, which is no event "error": other clients see nothing in it
		}
		if last.Kind != "message" && !ended[last.State] {
			t.Errorf("%s: %s ended well, but with %s", scene, call.verb, last)
		}
	}
}

// ended are the states in which a turn is over.
var ended = map[string]bool{
	"completed": true, "failed": true, "canceled": true, "rejected": true, "input-required": true, "auth-required": true,
}

// ruleOf is the rule that an error of the guard's own names, "" for any other.
func ruleOf(end peers.End) string {
	_, rest, found := strings.Cut(end.Message, "rule ")
	if !found {
		return ""
	}
	rule, _, _ := strings.Cut(rest, ",")
	return rule
}

// outcome is a call in one line.
func outcome(call madeCall) string {
	line := fmt.Sprintf("%-9s %s", call.verb, call)
	if rule := ruleOf(call.End); rule != "" {
		line += " " + rule
	}
	return line
}
