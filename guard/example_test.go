// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"fmt"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// A stream is fed as its bytes come; what each step says is done by the caller.
func Example() {
	p, err := policy.New(policy.Config{Limits: policy.DefaultLimits()})
	if err != nil {
		panic(err)
	}
	g := &guard.Guard{Name: "order-status", Policy: p}
	now := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)

	x := g.Inspect(now, guard.Request{Body: []byte(`{"jsonrpc":"2.0","id":1,"method":"SubscribeToTask","params":{"id":"t1"}}`), Version: "1.0"})
	plan, _ := x.Respond(guard.Head{Status: 200, ContentType: "text/event-stream"})
	fmt.Println("follow the body:", plan == guard.FollowBody)

	s := x.Stream(now)
	for _, event := range []string{
		`data: {"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}}}`,
		`data: {"jsonrpc":"2.0","id":1,"result":{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}}}`,
		`data: {"jsonrpc":"2.0","id":1,"result":{"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"a","parts":[{"text":"too late"}]}}}}`,
	} {
		step := s.Feed(now, []byte(event+"\n\n"))
		for _, v := range step.Verdicts {
			fmt.Printf("%v %v: %v", v.Kind, v.State, v.Action)
			for _, violation := range v.Violations {
				fmt.Printf(" (%v)", violation.Rule)
			}
			fmt.Println()
		}
	}
	fmt.Println("ends:", s.Close(now, guard.EOF).End, s.End())
	// Output:
	// follow the body: true
	// task working: off
	// status completed: off
	// artifact unknown: drop (late-artifact)
	// ends: true terminal
}
