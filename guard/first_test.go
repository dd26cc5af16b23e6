// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"fmt"
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// Wherever the stream is cut, and whenever the agent answers, the client gets the
// Task first and then every event once.
func TestTheTaskGoesFirstWheneverItComes(t *testing.T) {
	const answer = `{"jsonrpc":"2.0","id":"q1","result":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}}`
	body := ": ping\r\n\r\n" + frame(status("WORKING")) + ": pong\n\n" + frame(artifact("a", "x", false, true)) + frame(status("COMPLETED"))
	want := ": ping\r\n\r\n" + frame(task("WORKING")) + body[len(": ping\r\n\r\n"):]
	g := newGuard(t, func(c *policy.Config) { c.Profile = policy.ProfileStrict })
	for _, call := range []string{sendStream, subscribe} {
		for answered := 1; answered <= len(body); answered += 7 {
			s := newStream(t, g, call)
			r := &record{}
			settle := func() {
				for r.need != nil && !r.ended {
					serial := r.need.Serial
					r.need = nil
					r.take(t, s.Settle(noon, guard.Answer{Serial: serial, Status: 200, Body: []byte(answer)}))
				}
			}
			for at := range len(body) {
				r.take(t, s.Feed(noon, []byte(body[at:at+1])))
				if at >= answered {
					settle()
				}
			}
			r.take(t, s.Close(noon, guard.EOF))
			settle()
			if got := r.out.String(); got != want || !r.ended || s.End() != guard.EndTerminal {
				t.Fatalf("answered after %d bytes: %v, %v\n got %q\nwant %q", answered, r.ended, s.End(), got, want)
			}
		}
	}
}

// What waits for the Task is lost in no way in which a stream can end meanwhile.
func TestNothingIsLostThatWaitsForTheTask(t *testing.T) {
	body := frame(status("WORKING")) + frame(artifact("a", "x", false, true))
	for _, tt := range []struct {
		name string
		end  func(s *guard.Stream) guard.Step
	}{
		{"the client leaves", func(s *guard.Stream) guard.Step { return s.Close(noon, guard.ClientGone) }},
		{"the process exits", func(s *guard.Stream) guard.Step { return s.Close(noon, guard.Shutdown) }},
		{"the connection takes no more", func(s *guard.Stream) guard.Step {
			s.EndBy(noon)
			return s.Expire(noon)
		}},
		{"it is too much", func(s *guard.Stream) guard.Step {
			step := s.Feed(noon, fmt.Appendf(nil, ": %2000s\n\n", "x"))
			step.End = true // it goes on
			return step
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStream(t, newGuard(t, profiles["strict"]), sendStream)
			if step := s.Feed(noon, []byte(body)); step.Need == nil || len(step.Out) > 0 {
				t.Fatalf("the Task is not waited for: %+v", step)
			}
			step := tt.end(s)
			if got := string(step.Out); len(got) < len(body) || got[:len(body)] != body || !step.End {
				t.Errorf("the client gets %q", got)
			}
		})
	}
}
