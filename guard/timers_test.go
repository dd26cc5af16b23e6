// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// quiet lets logical time pass until the stream ends or nothing is due, and
// returns what went out and when it ended. Questions get no answer.
func quiet(t *testing.T, s *guard.Stream, from time.Time, most time.Duration) (out []string, end time.Time) {
	t.Helper()
	for {
		at, ok := s.Deadline()
		if !ok || at.Sub(from) > most {
			return out, time.Time{}
		}
		step := s.Expire(at)
		for {
			if len(step.Out) > 0 {
				out = append(out, string(step.Out))
			}
			if step.End {
				return out, at
			}
			if step.Need == nil {
				break
			}
			step = s.Settle(at, guard.Answer{Serial: step.Need.Serial})
		}
	}
}

func TestEveryLimitEndsAStream(t *testing.T) {
	limits := func(change func(*policy.Limits)) func(*policy.Config) {
		return func(c *policy.Config) {
			c.Limits.Heartbeat = 0
			change(&c.Limits)
		}
	}
	tests := []struct {
		name   string
		change func(*policy.Config)
		body   string
		after  time.Duration
		end    guard.End
		says   string // in the last frame, empty for a plain end
	}{
		{"first event", limits(func(l *policy.Limits) { l.FirstEvent = time.Minute }), "", time.Minute, guard.EndFirstEventTimeout, "sent no event in time"},
		{"first event in spite of comments", limits(func(l *policy.Limits) { l.FirstEvent = time.Minute }), ": ping\n\n", time.Minute, guard.EndFirstEventTimeout, "sent no event in time"},
		{"idle", limits(func(l *policy.Limits) { l.Idle = time.Minute }), frame(task("WORKING")), time.Minute, guard.EndIdleTimeout, "no further event in time"},
		{"idle in spite of heartbeats as data", limits(func(l *policy.Limits) { l.Idle = time.Minute }), frame(task("WORKING")) + "data: {\"type\":\"heartbeat\"}\n\n", time.Minute, guard.EndIdleTimeout, "no further event in time"},
		{"not idle while paused", limits(func(l *policy.Limits) { l.Idle, l.Paused = time.Minute, time.Hour }), frame(task("INPUT_REQUIRED")), time.Hour, guard.EndInterrupted, ""},
		{"max duration", limits(func(l *policy.Limits) { l.MaxDuration = time.Minute }), frame(task("WORKING")), time.Minute, guard.EndMaxDuration, "longer than this server allows"},
		{"max duration while paused", limits(func(l *policy.Limits) { l.MaxDuration = time.Minute }), frame(task("AUTH_REQUIRED")), time.Minute, guard.EndMaxDuration, "longer than this server allows"},
		{"linger", limits(func(*policy.Limits) {}), frame(task("COMPLETED")), time.Second, guard.EndTerminal, ""},
		{"no linger", limits(func(l *policy.Limits) { l.Linger = 30 * time.Second }), frame(message("hi")), 30 * time.Second, guard.EndMessage, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStream(t, newGuard(t, tt.change), sendStream)
			s.Feed(noon, []byte(tt.body))
			out, end := quiet(t, s, noon, 2*time.Hour)
			if !end.Equal(noon.Add(tt.after)) || s.End() != tt.end {
				t.Errorf("ended %v after %v", s.End(), end.Sub(noon))
			}
			last := strings.Join(out, "")
			if tt.says == "" && last != "" || !strings.Contains(last, tt.says) {
				t.Errorf("says %q", last)
			}
		})
	}
}

func TestAStreamWhoseEndIsNobodysBusinessIsLeftToItsAgent(t *testing.T) {
	s := newStream(t, newGuard(t, func(c *policy.Config) {
		c.Limits.Heartbeat, c.Rules = 0, map[string]policy.Mode{"close-after-terminal": policy.ModeOff}
	}), sendStream)
	s.Feed(noon, []byte(frame(task("COMPLETED"))))
	if at, ok := s.Deadline(); ok {
		t.Errorf("something is due at %v", at)
	}
}

func TestABusyStreamEndsAtItsMaxDuration(t *testing.T) {
	s := newStream(t, newGuard(t, func(c *policy.Config) { c.Limits.MaxDuration, c.Limits.Heartbeat = time.Minute, 0 }), sendStream)
	s.Feed(noon, []byte(frame(task("WORKING"))))
	over := noon.Add(time.Minute)
	asked := s.Expire(over)
	if asked.Need == nil {
		t.Fatalf("nothing is asked: %+v", asked)
	}
	if step := s.Feed(over, []byte(frame(status("WORKING")))); step.Need != nil || step.End {
		t.Errorf("an event changes it: %+v", step)
	}
	if step := s.Settle(over, guard.Answer{Serial: asked.Need.Serial}); !step.End || s.End() != guard.EndMaxDuration {
		t.Errorf("it goes on: %+v", step)
	}
}

func TestAStreamGetsNoSecondEnd(t *testing.T) {
	for name, late := range map[string]string{
		"a frame too large":      "data: " + strings.Repeat("x", 3000) + "\n\n",
		"two payloads":           frame(`{"task":{},"message":{}}`),
		"another task":           frame(strings.Replace(status("WORKING"), "t1", "t2", 1)),
		"another request's id":   strings.Replace(frame(task("COMPLETED")), "q1", "q2", 1),
		"one key twice":          frame(`{"statusUpdate":{"taskId":"t1","taskId":"t1","status":{"state":"TASK_STATE_COMPLETED"}}}`),
		"a fault of the guard's": "",
	} {
		for _, profile := range []string{"standard", "strict"} {
			t.Run(profile+"/"+name, func(t *testing.T) {
				s := newStream(t, newGuard(t, func(c *policy.Config) {
					profiles[profile](c)
					c.Limits.Linger = time.Second
				}), sendStream)
				s.Feed(noon, []byte(frame(status("COMPLETED"))))
				step := s.Feed(noon, []byte(late))
				if late == "" {
					step = s.Break(noon)
				}
				if strings.Contains(string(step.Out), "error") || s.End() != guard.EndTerminal {
					t.Errorf("%v, out %q", s.End(), step.Out)
				}
			})
		}
	}
}

func TestLimitsThatAreOffNeverFire(t *testing.T) {
	s := newStream(t, newGuard(t, func(c *policy.Config) {
		c.Limits.Heartbeat, c.Limits.FirstEvent, c.Limits.Idle = 0, 0, 0
	}), sendStream)
	s.Feed(noon, []byte(frame(task("WORKING"))))
	if at, ok := s.Deadline(); ok {
		t.Errorf("something is due at %v", at)
	}
}

func TestObservedLimitsAreReportedOnceAndCutNothing(t *testing.T) {
	s := newStream(t, newGuard(t, func(c *policy.Config) {
		c.Profile, c.Limits.Idle, c.Limits.MaxDuration = policy.ProfileObserve, time.Minute, time.Hour
	}), sendStream)
	s.Feed(noon, []byte(frame(task("WORKING"))))
	var seen []string
	for {
		at, ok := s.Deadline()
		if !ok {
			break
		}
		step := s.Expire(at)
		for _, v := range step.Verdicts {
			seen = append(seen, at.Sub(noon).String()+" "+v.Violations[0].Decision.String())
		}
		if step.End || len(step.Out) > 0 {
			t.Fatalf("a limit acts: %+v", step)
		}
	}
	if want := []string{"1m0s would_end", "1h0m0s would_end"}; !slices.Equal(seen, want) {
		t.Errorf("got %v, want %v", seen, want)
	}
}

func TestHeartbeatsKeepTheClientNotTheAgent(t *testing.T) {
	s := newStream(t, newGuard(t, func(c *policy.Config) {
		c.Limits.Heartbeat, c.Limits.Idle = 15*time.Second, 100*time.Second
	}), sendStream)
	s.Feed(noon, []byte(frame(task("WORKING"))))
	out, end := quiet(t, s, noon, time.Hour)
	beats := 0
	for _, o := range out {
		if o == ": a2a-guard\n" {
			beats++
		}
	}
	if beats != 6 || !end.Equal(noon.Add(100*time.Second)) {
		t.Errorf("%d heartbeats, end after %v", beats, end.Sub(noon))
	}
}

func TestTheHeadWaitsForTheFirstEventButNotForEver(t *testing.T) {
	s := newStream(t, newGuard(t, nil), sendStream)
	if step := s.Feed(noon, []byte(": hello\n\n")); step.Commit || len(step.Out) > 0 {
		t.Fatalf("a comment releases the head: %+v", step)
	}
	at, _ := s.Deadline()
	if step := s.Expire(at); !step.Commit || string(step.Out) != ": hello\n\n" || !at.Equal(noon.Add(time.Second)) {
		t.Errorf("at %v: %+v", at.Sub(noon), step)
	}
	s = newStream(t, newGuard(t, nil), sendStream)
	s.Feed(noon, []byte(": hello\n\n"))
	if step := s.Feed(noon, []byte(frame(task("WORKING")))); !step.Commit || string(step.Out) != ": hello\n\n"+frame(task("WORKING")) {
		t.Errorf("the first event brings %q", step.Out)
	}
}

func TestASlowClientIsNotTheAgentsFault(t *testing.T) {
	s := newStream(t, newGuard(t, func(c *policy.Config) { c.Limits.Heartbeat = 0 }), sendStream)
	s.Feed(noon, []byte(frame(task("WORKING"))))
	before, _ := s.Deadline()
	s.Stalled(time.Hour)
	if after, _ := s.Deadline(); after.Sub(before) != time.Hour {
		t.Errorf("the deadline moved by %v", after.Sub(before))
	}
}

func TestAServersWriteTimeoutLeavesRoomForTheEnd(t *testing.T) {
	s := newStream(t, newGuard(t, nil), sendStream)
	s.EndBy(noon.Add(3500 * time.Millisecond))
	s.Feed(noon, []byte(frame(task("WORKING"))))
	out, end := quiet(t, s, noon, time.Hour)
	if !end.Equal(noon.Add(3500*time.Millisecond)) || s.End() != guard.EndMaxDuration || len(out) != 1 || !strings.Contains(out[0], `"code":-32603`) {
		t.Errorf("%v after %v: %q", s.End(), end.Sub(noon), out)
	}
}

func TestAStreamWhoseTaskEndedElsewhereIsSettled(t *testing.T) {
	g := newGuard(t, func(c *policy.Config) { c.Limits.Heartbeat = 0 })
	mine := guard.Request{Body: []byte(sendStream), Version: "1.0", Principal: "me"}
	s := g.Inspect(noon, mine).Stream(noon)
	s.Feed(noon, []byte(frame(task("WORKING"))))

	get := `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1"}}`
	ask := func(principal string) {
		x := g.Inspect(noon, guard.Request{Body: []byte(get), Version: "1.0", Principal: principal})
		x.Judge(noon, guard.Head{Status: 200, ContentType: "application/json"}, []byte(`{"jsonrpc":"2.0","id":1,"result":`+stored("FAILED", "", "")+"}"))
	}
	ask("somebody else")
	if _, end := quiet(t, s, noon, time.Minute); !end.IsZero() {
		t.Fatal("another caller's task ends the stream")
	}
	s = g.Inspect(noon, mine).Stream(noon)
	s.Feed(noon, []byte(frame(task("WORKING"))))
	ask("me")
	out, end := quiet(t, s, noon, time.Minute)
	if !end.Equal(noon.Add(10*time.Second)) || s.Settled() != guard.SettledError || !strings.Contains(strings.Join(out, ""), "no further event in time") {
		t.Errorf("%v after %v: %q", s.Settled(), end.Sub(noon), out)
	}
}
