// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/guard/sse"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// frame judges one event.
func (s *Stream) frame(u sse.Unit) {
	err := s.reader.Read(u.Data, &s.resp)
	ev := &s.resp.Event
	if err == nil && s.lacksTask(ev) {
		s.awaitTask(ev.TaskID)
		s.park(u.Raw)
		return
	}
	s.frames++
	s.named = s.named || string(u.Event) == "message"
	s.open(u.Raw)
	if ev.Kind == a2a.Unknown && s.x.Binding == a2a.REST && string(u.Event) == "error" {
		ev.Kind = a2a.Error // of a shape of the agent's own
	}
	if err == nil {
		s.verdict.Kind, s.verdict.State = ev.Kind, ev.State
	}
	if s.phase == closing {
		s.checkLate(u.Data, err)
	} else {
		s.checkFrame(u.Data, err)
	}
	if err == nil && s.verdict.Action < policy.Drop && failed(&s.resp) {
		s.x.redact(u.Data, &s.resp, &s.fix, 0, s.reportViolation)
	}
	s.conclude(u, err == nil)
}

// open begins a verdict; report adds to it.
func (s *Stream) open(raw []byte) {
	s.fix.reset()
	s.verdict = Verdict{Raw: raw}
}

// report notes a broken rule of the current verdict and returns what is done
// about it.
func (s *Stream) report(rule policy.Rule) policy.Action {
	return s.reportViolation(Violation{Rule: rule})
}

// note is report for a rule whose remedy does not fit: it is observed.
func (s *Stream) note(rule policy.Rule) {
	d := s.p.Decide(rule)
	d.Do = min(d.Do, policy.Observe)
	s.add(Violation{Rule: rule, Decision: d})
}

func (s *Stream) reportViolation(v Violation) policy.Action {
	v.Decision = s.p.Decide(v.Rule)
	return s.add(v)
}

func (s *Stream) add(v Violation) policy.Action {
	if v.Decision.Do == policy.Off {
		return policy.Off
	}
	v.Kind, v.State = s.verdict.Kind, s.verdict.State
	v.Frame, v.Bytes = s.frames, len(s.verdict.Raw)
	if v.Kind == a2a.ArtifactUpdate {
		v.ArtifactID = s.resp.Event.Artifact.ID.Text()
	}
	if s.life.terminal != a2a.Unspecified {
		v.SinceTerminal = s.now.Sub(s.life.terminalAt)
	}
	from := len(s.violations) - len(s.verdict.Violations)
	s.violations = append(s.violations, v)
	s.verdict.Violations = s.violations[from:]
	s.verdict.Action = max(s.verdict.Action, v.Decision.Do)
	return v.Decision.Do
}

// checkFrame holds a frame to the envelope, the payload and the lifecycle.
func (s *Stream) checkFrame(data []byte, err error) {
	r := &s.resp
	switch {
	case err != nil:
		s.report(policy.FrameMalformed)
		return
	case r.Flaw == a2a.DuplicateKeys && s.report(policy.FrameDuplicateKeys).Acts():
		return // what else it says depends on who reads it
	case r.Flaw == a2a.CaseVariantKeys && s.report(policy.FrameCaseVariantKeys).Acts():
		return
	case !r.Bare && !r.HasResult && !r.HasError:
		s.report(policy.EnvelopeNeither)
		return
	}
	checkEnvelope(s.life.request, data, r, &s.fix, s.reportViolation)
	if s.x.breaksWord(r, data, statusOK) {
		s.report(policy.CapabilityMismatch)
	}
	switch ev := &r.Event; {
	case ev.Payloads > 1:
		s.report(policy.PayloadTwo)
	case ev.Kind == a2a.Unknown, ev.Kind == a2a.NoEvent:
		s.report(policy.PayloadUnknown)
	default:
		s.check(data, ev)
	}
}

// messageAsStatus carries a message that stands in a task's stream as the
// message of a status update, so that its words are not lost.
func (s *Stream) messageAsStatus(message []byte) []byte {
	state := s.life.last
	if state == a2a.Unspecified {
		state = a2a.Working
	}
	f := s.ownFrame()
	status := f.AppendStatusObject(nil, state, message, s.now)
	return f.AppendStatus(nil, status, false)
}

// conclude does what the verdict's action says.
func (s *Stream) conclude(u sse.Unit, readable bool) {
	v := &s.verdict
	switch v.Action {
	case policy.Drop:
		s.swallowed = true
	case policy.End, policy.Reject, policy.Answer:
		s.verdicts = append(s.verdicts, *v)
		s.refuse(v.Violations)
		return
	case policy.Rewrite:
		s.commit()
		v.Reply = s.out.extend(func(dst []byte) []byte {
			return u.AppendData(dst, s.fix.apply(nil, u.Data))
		})
	case policy.Off, policy.Observe:
		s.commit()
		s.out.pass(u.Raw)
	}
	goesOn := readable && v.Action < policy.Drop && s.phase == running
	if goesOn {
		s.remember(&s.resp.Event)
	}
	s.verdicts = append(s.verdicts, *v)
	if goesOn {
		s.advance(&s.resp.Event)
	}
}

// advance takes in an event that went out.
func (s *Stream) advance(ev *a2a.Event) {
	if ev.Kind == a2a.NoEvent || ev.Kind == a2a.Unknown {
		return
	}
	s.timers.event(s.now)
	s.withdraw()
	if ev.Kind == a2a.Error {
		s.runOut(EndError)
		return
	}
	if ev.Kind == a2a.Message {
		if s.lone() {
			s.apply(ev)
			s.runOut(EndMessage)
		}
		return
	}
	s.apply(ev)
	switch {
	case ev.HasState && ev.State.Terminal():
		s.runOut(EndTerminal)
	case ev.Kind == a2a.StatusUpdate && ev.Dialect == a2a.V03 && ev.Final:
		s.unsettled = !s.life.last.Interrupted()
		s.runOut(EndInterrupted)
	}
}

// oversize takes a piece of a frame that is too large to judge.
func (s *Stream) oversize(u sse.Unit) {
	if s.partial {
		s.out.pass(u.Raw)
		s.partial = !u.Last
		return
	}
	s.frames++
	s.open(u.Raw)
	if s.report(policy.FrameOversize).Acts() {
		s.verdicts = append(s.verdicts, s.verdict)
		s.refuse(s.verdict.Violations)
		return
	}
	s.verdicts = append(s.verdicts, s.verdict)
	s.commit()
	s.out.pass(u.Raw)
	s.partial = !u.Last
}

// rest judges what the agent left behind: an event that lacks only its line ends
// counts, half of one never goes out.
func (s *Stream) rest() {
	if u, ok := s.framer.Rest(); ok && s.reader.Read(u.Data, &s.resp) == nil {
		s.first.asked = true // what lacks its line ends cannot wait for a Task
		s.frame(u)
	}
}
