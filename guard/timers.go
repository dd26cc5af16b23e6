// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// timers are the times that a stream's limits count from. They run against the
// agent alone, so the time that a write to the client takes is taken out of them.
type timers struct {
	start  time.Time // of the request
	head   time.Time // the response's head came
	last   time.Time // the last judged event, or the request
	write  time.Time // the last bytes to the client
	closed time.Time // when linger ends
	poll   time.Time // the last look into the memory of tasks, or the head
	hard   time.Time // the connection takes no more writes then; not moved

	// Limits that are only observed are reported once.
	silent  bool // since the last event
	paused  bool // likewise
	overdue bool // in the stream's life
}

func (t *timers) open(start, now time.Time) {
	*t = timers{start: start, head: now, last: start, write: now, poll: now}
}

func (t *timers) event(now time.Time) { t.last, t.silent, t.paused = now, false, false }

func (t *timers) wrote(now time.Time) { t.write = now }

func (t *timers) linger(until time.Time) { t.closed = until }

// Stalled tells the stream that a write to its client took d.
func (s *Stream) Stalled(d time.Duration) {
	t := &s.timers
	for _, at := range []*time.Time{&t.start, &t.head, &t.last, &t.write, &t.closed, &t.poll} {
		*at = at.Add(d)
	}
}

// EndBy bounds the stream's life by something that the agent cannot help: its
// end must be written before then.
func (s *Stream) EndBy(t time.Time) { s.timers.hard = t }

// limit is one of a stream's deadlines.
type limit uint8

const (
	noLimit limit = iota
	limitHard
	limitLinger
	limitMaxDuration
	limitFirstEvent
	limitIdle
	limitPaused
	limitInterrupted
	limitMemory
	limitHold
	limitHeartbeat
)

// Deadline is when Expire must be called; ok is false for never.
func (s *Stream) Deadline() (at time.Time, ok bool) {
	at, which := s.deadline()
	return at, which != noLimit
}

// deadline finds the earliest limit, of equal ones the strongest.
func (s *Stream) deadline() (at time.Time, which limit) {
	if s.phase == ended {
		return at, noLimit
	}
	t, l := &s.timers, &s.p.Limits
	offer := func(w limit, from time.Time, after time.Duration) {
		if d := from.Add(after); which == noLimit || d.Before(at) {
			at, which = d, w
		}
	}
	if !t.hard.IsZero() {
		offer(limitHard, t.hard, 0)
	}
	switch {
	case s.ask != nil:
	case s.phase == closing:
		if s.lingers() {
			offer(limitLinger, t.closed, 0)
		}
	default:
		s.offerLimits(offer)
	}
	if !s.committed {
		offer(limitHold, t.head, l.Hold)
	} else if l.Heartbeat > 0 && !s.p.Observes() && !s.partial {
		offer(limitHeartbeat, t.write, l.Heartbeat)
	}
	return at, which
}

// offerLimits offers the limits of a running task.
func (s *Stream) offerLimits(offer func(limit, time.Time, time.Duration)) {
	t, l := &s.timers, &s.p.Limits
	if l.MaxDuration > 0 && !t.overdue {
		offer(limitMaxDuration, t.start, l.MaxDuration)
	}
	switch {
	case t.silent:
	case s.life.events == 0:
		if l.FirstEvent > 0 {
			offer(limitFirstEvent, t.last, l.FirstEvent)
		}
	case s.life.last.Interrupted():
		if l.Paused > 0 && !s.p.Observes() {
			offer(limitPaused, t.last, l.Paused)
		}
		if s.life.last == a2a.InputRequired && !t.paused && s.p.Decide(policy.InterruptedStream).Do != policy.Off {
			offer(limitInterrupted, t.last, l.Linger)
		}
	case l.Idle > 0:
		offer(limitIdle, t.last, l.Idle)
	}
	if l.SettleAfter > 0 && s.remembers && s.life.taskID != nil && !t.silent {
		offer(limitMemory, later(t.last, t.poll), l.SettleAfter)
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Expire does what is due. It may be called early, and must be called again
// while Deadline has passed.
func (s *Stream) Expire(now time.Time) Step {
	s.begin(now)
	at, which := s.deadline()
	if now.Before(at) {
		return s.step()
	}
	switch which {
	case noLimit:
	case limitHard:
		if s.first.waits {
			s.release()
		}
		if s.phase != ended {
			s.cutShort()
		}
	case limitLinger:
		s.open(nil)
		s.report(policy.CloseAfterTerminal)
		s.verdicts = append(s.verdicts, s.verdict)
		s.lingered()
	case limitMaxDuration:
		s.unfinished(reason{rule: policy.NeverEnding, end: EndMaxDuration, limit: true})
	case limitFirstEvent:
		s.unfinished(reason{rule: policy.NeverEnding, end: EndFirstEventTimeout, limit: true, renewable: true})
	case limitIdle:
		s.unfinished(reason{rule: policy.NeverEnding, end: EndIdleTimeout, limit: true, renewable: true, cancels: true})
	case limitPaused:
		s.leave(EndInterrupted)
	case limitInterrupted:
		s.interrupted()
	case limitMemory:
		s.consultMemory()
	case limitHold:
		s.commit()
	case limitHeartbeat:
		s.out.write([]byte(heartbeat))
	}
	return s.step()
}

// interrupted deals with a stream that stays open while the task waits for its
// client.
func (s *Stream) interrupted() {
	s.timers.paused = true
	s.open(nil)
	acts := s.report(policy.InterruptedStream).Acts()
	s.verdicts = append(s.verdicts, s.verdict)
	if acts {
		s.leave(EndInterrupted)
	}
}

// consultMemory settles the stream if another call showed its task to be
// terminal and this one has heard nothing since.
func (s *Stream) consultMemory() {
	s.timers.poll = s.now
	record, _ := s.x.find(s.now, s.life.taskID)
	switch {
	case !record.State.Terminal():
	case s.now.Sub(record.Since) < s.p.Limits.SettleAfter:
		s.timers.poll = record.Since // not yet
	default:
		s.unfinished(reason{rule: policy.NeverEnding, end: EndIdleTimeout, limit: true})
	}
}
