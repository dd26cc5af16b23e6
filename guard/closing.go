// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// runOut lets the client's stream run out: the agent may end it by itself for as
// long as linger says.
func (s *Stream) runOut(end End) {
	s.phase, s.end = closing, end
	if !s.lingers() {
		return
	}
	s.timers.linger(s.now.Add(s.p.Limits.Linger))
	if s.p.Limits.Linger == 0 {
		if lf := s.framer.Owed(); lf != "" {
			s.out.write([]byte(lf))
		}
		s.lingered()
	}
}

// lingers reports whether a stream that has its end is ended in time, or left to
// its agent.
func (s *Stream) lingers() bool {
	return s.p.Decide(policy.CloseAfterTerminal).Do.Acts() || s.unsettled && s.p.Decide(policy.MissingFinal).Do.Acts()
}

// lingered ends a stream whose agent has had its time.
func (s *Stream) lingered() {
	if s.unsettled {
		s.unfinished(closeReason(s.x.Operation, EOF))
		return
	}
	s.finish()
}

// checkLate judges a frame that comes after the stream's end.
func (s *Stream) checkLate(data []byte, err error) {
	r, ev := &s.resp, &s.resp.Event
	switch {
	case err != nil, ev.Kind == a2a.NoEvent, ev.Kind == a2a.Unknown:
		s.silence() // "[DONE]", "{}" and the like
	case r.Flaw == a2a.DuplicateKeys:
		s.report(policy.FrameDuplicateKeys)
	case r.Flaw == a2a.CaseVariantKeys:
		s.report(policy.FrameCaseVariantKeys)
	case ev.Payloads > 1:
		s.report(policy.PayloadTwo)
	case s.end == EndMessage:
		s.report(policy.MessageStreamOne)
	case s.end == EndError:
		s.report(policy.EventAfterError)
	case s.end == EndInterrupted:
		s.report(policy.FinalLate)
	default:
		s.checkAfterTerminal(data, ev)
	}
}

// checkAfterTerminal lets one repetition of the terminal state pass in its other
// form (A2A 1.0 §11.7), further ones go silently. Everything else is too late.
func (s *Stream) checkAfterTerminal(data []byte, ev *a2a.Event) {
	l := &s.life
	switch {
	case s.x.Operation == a2a.SubscribeToTask && l.byTask && l.events == 1:
		s.silence() // a replay of what led to the terminal Task
	case ev.TaskID != nil && l.taskID != nil && !ev.TaskID.Same(l.taskID):
		s.report(policy.TaskIDStable)
	case ev.Kind == a2a.ArtifactUpdate:
		s.lateArtifact(ev)
	case ev.Kind == a2a.Message, ev.Kind == a2a.Error:
		s.report(policy.EventAfterTerminal)
	case ev.State != l.terminal:
		s.report(policy.IllegalTransition)
	case l.repeated || l.byTask == (ev.Kind == a2a.Task):
		s.silence()
	default:
		l.repeated = true
		checkEnvelope(s.life.request, data, &s.resp, &s.fix, s.reportViolation)
		s.repairFinal(ev)
	}
}

// silence drops a frame that breaks no rule but has nothing to say.
func (s *Stream) silence() {
	if !s.p.Observes() {
		s.verdict.Action = policy.Drop
	}
}

// leave ends the stream without a word of the guard's, unless it has its end
// already.
func (s *Stream) leave(end End) {
	if s.phase == running || s.unsettled {
		s.end = end
	}
	s.finish()
}

// closePaused ends a stream whose task waits for its client: that is a good end,
// unless another call has shown that the task waits no more.
func (s *Stream) closePaused(cause Cause) {
	if record, _ := s.x.find(s.now, s.life.taskID); !record.State.Terminal() {
		s.leave(EndInterrupted)
		return
	}
	why := closeReason(s.x.Operation, cause)
	why.cancels, why.paused = false, true
	s.unfinished(why)
}

// finish ends the client's stream as it stands.
func (s *Stream) finish() {
	s.commit()
	s.phase, s.ask = ended, nil
}
