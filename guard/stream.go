// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"bytes"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/guard/sse"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// Stream is the event stream that answers one exchange. Its methods are not safe
// for concurrent use.
type Stream struct {
	x *Exchange
	p *policy.Policy

	phase     phase
	end       End
	settled   Settlement
	unsettled bool      // closing after a final:true that ends nothing
	named     bool      // frames bore "event: message"
	swallowed bool      // the last frame was dropped, and with it the rest of its line end
	partial   bool      // the client has an unfinished frame
	committed bool      // the response's head may go out
	remembers bool      // the exchange does
	noted     time.Time // when the memory of tasks was last told that the task lives
	frames    int       // frames judged
	own       int       // messages of the guard's own
	asks      int       // questions put to the agent so far
	ask       *ask
	first     opening
	held      []byte

	// What the current call gathers.
	now        time.Time
	chunk      []byte
	out        output
	fix        edits
	verdict    Verdict
	verdicts   []Verdict
	violations []Violation
	reply      *Reply
	need       *Need
	abort      bool

	// What every event needs stands together, for the processor's sake.
	framer sse.Framer
	timers timers
	life   lifecycle
	resp   a2a.Response
	reader a2a.ResponseReader
}

type phase uint8

const (
	running phase = iota // the task lives
	closing              // the stream has its end, the agent may still close it
	ended                // nothing more is emitted
)

// maxHeld bounds the comments that wait for a stream's first event.
const maxHeld = 4 << 10

// heartbeat is a comment without a blank line: some clients take that for an
// event.
const heartbeat = ": a2a-guard\n"

// Stream begins the exchange's event stream, once its head has come.
func (x *Exchange) Stream(now time.Time) *Stream {
	s := &Stream{x: x, p: x.guard.Policy, framer: *sse.NewFramer(x.guard.Policy.Limits.MaxEvent), remembers: x.remembers()}
	s.life.begin(x)
	s.reader.For(x.Binding, x.Dialect)
	s.committed = s.p.Observes() || s.p.Limits.Hold == 0
	s.timers.open(x.start, now)
	return s
}

// Feed takes the next bytes of the agent's stream.
func (s *Stream) Feed(now time.Time, chunk []byte) Step {
	s.begin(now)
	s.chunk = chunk
	s.framer.Push(chunk)
	for s.phase != ended {
		u, ok := s.framer.Next()
		if !ok {
			break
		}
		s.unit(u)
	}
	return s.step()
}

// Close takes the end of the agent's stream.
func (s *Stream) Close(now time.Time, cause Cause) Step {
	s.begin(now)
	if s.first.waits {
		if cause == EOF || cause == Aborted {
			s.first.closed = &cause
			return s.step()
		}
		s.release()
	}
	if s.phase != ended {
		s.close(cause)
	}
	return s.step()
}

// close takes the end of the agent's stream.
func (s *Stream) close(cause Cause) {
	s.rest()
	s.abort = cause == Aborted && s.p.Observes() && !s.p.Decide(policy.UpstreamAbort).Do.Acts()
	switch {
	case s.phase == ended:
	case cause == ClientGone:
		s.leave(EndClientGone)
	case s.phase == closing && !s.unsettled:
		s.finish()
	case cause == Shutdown:
		s.shutdown()
	case s.life.events > 0 && s.life.last.Interrupted():
		s.closePaused(cause)
	default:
		s.unfinished(closeReason(s.x.Operation, cause))
	}
}

// Committed reports whether the response's head has been released.
func (s *Stream) Committed() bool { return s.committed }

// End tells how the agent left the stream, and Settled what became of it.
func (s *Stream) End() End { return s.end }

// Settled tells what the guard made of an unfinished stream.
func (s *Stream) Settled() Settlement { return s.settled }

// State is the last state that the client was told of, Unspecified if none.
func (s *Stream) State() a2a.State { return s.life.last }

// TaskID returns the id of the stream's task, nil if none was seen.
func (s *Stream) TaskID() a2a.Token { return s.life.taskID }

// ContextID returns the id of the stream's context, nil if none was seen.
func (s *Stream) ContextID() a2a.Token { return s.life.contextID }

// Events returns how many judged events have passed.
func (s *Stream) Events() int { return s.life.events }

func (s *Stream) begin(now time.Time) {
	s.now, s.chunk = now, nil
	s.out.reset()
	s.verdicts = s.verdicts[:0]
	s.violations = s.violations[:0]
	s.reply, s.need = nil, nil
}

func (s *Stream) step() Step {
	out := s.out.bytes()
	if s.p.Passive() {
		out = s.chunk // all that the call brought
	}
	if len(out) > 0 {
		s.timers.wrote(s.now)
	}
	return Step{
		Out:      out,
		Commit:   s.committed,
		Reply:    s.reply,
		Verdicts: s.verdicts,
		Need:     s.need,
		End:      s.phase == ended,
		Abort:    s.abort,
	}
}

// unit takes one unit of the framer's.
func (s *Stream) unit(u sse.Unit) {
	if s.first.waits {
		s.park(u.Raw)
		return
	}
	if u.Tail && s.swallowed {
		return
	}
	s.swallowed = false
	switch u.Kind {
	case sse.Frame:
		switch {
		case !s.isEmpty(u.Data):
			s.frame(u)
		case s.phase == running || s.p.Observes():
			s.filler(u.Raw)
		default:
			s.swallowed = true
		}
	case sse.Filler:
		s.filler(u.Raw)
	case sse.Oversize:
		s.oversize(u)
	}
}

// isEmpty reports whether an event says nothing. Without an envelope an empty object
// is as good as no data.
func (s *Stream) isEmpty(data []byte) bool {
	data = bytes.TrimSpace(data)
	return len(data) == 0 || s.x.Binding == a2a.REST && string(data) == "{}"
}

// filler lets through what dispatches no event. It waits for the first event, as
// long as that is waited for.
func (s *Stream) filler(raw []byte) {
	if s.committed {
		s.out.pass(raw)
		return
	}
	if s.held = append(s.held, raw...); len(s.held) > maxHeld {
		s.commit()
	}
}

// commit releases the response's head and what waited for it.
func (s *Stream) commit() {
	if s.committed {
		return
	}
	s.committed = true
	if len(s.held) > 0 {
		s.out.write(s.held)
		s.held = nil
	}
}
