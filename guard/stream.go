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
