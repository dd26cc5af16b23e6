// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"testing"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// An open stream keeps its task from being forgotten, be it busy or silent, so its
// owner can ask for it however long it runs.
func TestAnOpenStreamKeepsItsTaskKnown(t *testing.T) {
	const get = `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1"}}`
	for _, tt := range []struct {
		name  string
		every time.Duration // between two events, zero for none
	}{{"busy", 5 * time.Second}, {"slow", 40 * time.Minute}, {"silent", 0}} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGuard(t, func(c *policy.Config) { c.TaskOwner, c.Limits.Idle = true, 0 })
			known := func(now time.Time) bool {
				return g.Inspect(now, guard.Request{Body: []byte(get), Version: "1.0", Principal: "me"}).Refusal == nil
			}
			s := g.Inspect(noon, guard.Request{Body: []byte(sendStream), Version: "1.0", Principal: "me"}).Stream(noon)
			s.Feed(noon, []byte(frame(task("WORKING"))))
			now, next := noon, noon.Add(tt.every)
			for now.Before(noon.Add(10 * time.Hour)) {
				at, ok := s.Deadline()
				if tt.every > 0 && next.Before(at) {
					now, next = next, next.Add(tt.every)
					s.Feed(now, []byte(frame(status("WORKING"))))
					continue
				}
				if now = at; !ok || s.Expire(now).Need != nil {
					t.Fatalf("after %v: no deadline, or a question", now.Sub(noon))
				}
			}
			if !known(now) {
				t.Error("it was forgotten")
			}
			s.Close(now, guard.ClientGone)
			if known(now.Add(2 * time.Hour)) {
				t.Error("it is never forgotten")
			}
		})
	}
}
