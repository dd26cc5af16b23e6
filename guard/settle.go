// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"strconv"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// reason is why a stream without an end must end.
type reason struct {
	rule      policy.Rule
	end       End
	limit     bool // a time limit ran out; the agent's stream is still open
	renewable bool // news of the task start the limit afresh
	cancels   bool // cancel_unfinished may cancel the task
	opens     bool // nothing has ended: the stream lacks its first Task
	aborted   bool // bytes may be lost, so no artifact counts as whole
	paused    bool // the stream may end as it stands
}

// closeReason is the reason of a stream that the agent ended.
func closeReason(op a2a.Operation, cause Cause) reason {
	switch {
	case cause == Aborted:
		return reason{rule: policy.UpstreamAbort, end: EndUpstreamAbort, aborted: true}
	case op == a2a.SubscribeToTask:
		return reason{rule: policy.MissingFinalSubscribe, end: EndMissingFinal}
	}
	return reason{rule: policy.MissingFinal, end: EndMissingFinal, cancels: true}
}

// ask is a question under way.
type ask struct {
	why    reason
	op     a2a.Operation
	serial int
}

// unfinished begins to settle a stream that ends, or must end, before its task.
func (s *Stream) unfinished(why reason) {
	if s.ask != nil && !s.ask.why.limit {
		return // the answer under way serves the new reason too
	}
	s.ask = nil
	switch {
	case !s.p.Decide(why.rule).Do.Acts():
		s.observed(why)
	case s.known():
		s.put(a2a.GetTask, s.life.taskID, why)
	default:
		s.giveUp(why, a2a.Unspecified)
	}
}

// known reports whether the stream's task can be asked for.
func (s *Stream) known() bool {
	return s.life.taskID != nil && (s.life.events > 0 || s.x.Operation == a2a.SubscribeToTask)
}

// observed reports a stream that is left as it is.
func (s *Stream) observed(why reason) {
	s.reportEnd(why)
	switch {
	case why.end == EndMaxDuration:
		s.timers.overdue = true
		return
	case why.limit:
		s.timers.silent = true
		return
	}
	s.abort = why.aborted // whoever observes an abort passes it on
	s.end = why.end
	s.finish()
}

func (s *Stream) reportEnd(why reason) {
	s.open(nil)
	s.report(why.rule)
	s.verdicts = append(s.verdicts, s.verdict)
}

// put puts a question to the agent.
func (s *Stream) put(op a2a.Operation, task a2a.Token, why reason) {
	s.asks++
	s.ask = &ask{why, op, s.asks}
	s.need = s.x.need(op, task, s.asks)
}

// withdraw forgets a question that an event has answered.
func (s *Stream) withdraw() {
	if s.ask != nil && s.ask.why.limit && s.ask.why.end != EndMaxDuration {
		s.ask = nil
	}
}

// Settle takes the answer to a need. An answer that is no longer wanted changes
// nothing.
func (s *Stream) Settle(now time.Time, a Answer) Step {
	s.begin(now)
	if s.ask == nil || s.ask.serial != a.Serial || s.phase == ended {
		return s.step()
	}
	why, op := s.ask.why, s.ask.op
	s.ask = nil
	var reader a2a.ResponseReader
	ev, ok := s.x.answered(a, &reader)
	switch {
	case why.opens:
		s.settleFirst(a.Body, &ev)
	case ev.State.Settled():
		s.settleReal(why, op, a.Body, &ev)
	case ok && why.renewable && s.newer(ev.Timestamp):
		s.life.told = ev.Timestamp.Clone()
		s.timers.event(now)
	case op == a2a.GetTask && why.cancels && s.p.CancelUnfinished && s.x.Operation.Sends():
		s.put(a2a.CancelTask, s.life.taskID, why)
	default:
		s.giveUp(why, ev.State)
	}
	return s.step()
}

// newer reports whether a timestamp is later than the last ones of the stream and
// of its lookups.
func (s *Stream) newer(token a2a.Token) bool {
	got, fresh := parseTimestamp(token)
	for _, seen := range [...]a2a.Token{s.life.timestamp, s.life.told} {
		if t, ok := parseTimestamp(seen); ok && !got.After(t) {
			return false
		}
	}
	return fresh
}

// settleReal gives the client the agent's own last word on the task: what of its
// artifacts is missing, then its status.
func (s *Stream) settleReal(why reason, op a2a.Operation, data []byte, ev *a2a.Event) {
	s.x.note(s.now, ev)
	f := s.ownFrame()
	if f.ContextID == nil {
		f.ContextID = ev.ContextID
	}
	missing, complete := s.missing(why, f, data, ev)
	if !complete {
		s.giveUpWith(policy.UnfinishedError, why, ev.State)
		return
	}
	status := ev.Status.Of(data)
	if s.speaks(f, ev) {
		status = s.redactStatus(status, ev)
	} else {
		status = f.AppendStatusObject(nil, ev.State, nil, s.now)
	}
	s.settled = SettledReal
	if op == a2a.CancelTask {
		s.settled = SettledCanceled
	}
	s.lastWord(why, ev.State, func(dst []byte) []byte {
		return appendSSELines(append(dst, missing...), f.AppendStatus(nil, status, true))
	})
}

// speaks reports whether the answer to a question has the shape of the stream.
func (s *Stream) speaks(f a2a.Frame, ev *a2a.Event) bool {
	return f.Dialect == s.x.Dialect && (!f.Proto || !ev.Kinded)
}

// missing renders the artifacts that the client does not have whole; complete is
// false if they cannot all be given.
func (s *Stream) missing(why reason, f a2a.Frame, data []byte, ev *a2a.Event) (frames []byte, complete bool) {
	for i := range ev.Artifacts {
		a := &ev.Artifacts[i]
		if a.ID == nil || !why.aborted && s.life.artifacts.whole(a.ID) {
			continue
		}
		frames = appendSSELines(frames, f.AppendArtifact(nil, a.Object.Of(data)))
		if len(frames) > s.p.Limits.MaxEvent || !s.speaks(f, ev) {
			return nil, false
		}
	}
	return frames, !ev.MoreArtifacts
}

// giveUp ends a stream whose task's end the agent does not tell. state is what
// the agent said instead, Unspecified if nothing.
func (s *Stream) giveUp(why reason, state a2a.State) {
	choice := s.p.Unfinished
	if choice == policy.UnfinishedDefault {
		choice = policy.UnfinishedError
		if why.rule == policy.MissingFinalSubscribe {
			choice = policy.UnfinishedObserve
		}
	}
	switch {
	case why.paused:
		choice = policy.UnfinishedObserve
	case s.life.events == 0 && !s.committed:
		choice = policy.UnfinishedError // an empty answer is none
	}
	s.giveUpWith(choice, why, state)
}

func (s *Stream) giveUpWith(choice policy.Unfinished, why reason, state a2a.State) {
	switch {
	case choice == policy.UnfinishedObserve:
		s.settled = SettledObserved
		s.reportEnd(why)
		s.end = why.end
		s.finish()
	case choice == policy.UnfinishedFailed && s.known() && !state.Settled():
		s.settled = SettledFailed
		s.own++
		id := "guard-" + s.life.taskID.Text() + "-" + strconv.Itoa(s.own)
		s.fail(why, s.ownFrame().AppendMessage(nil, id, "The guard in front of the agent ended this stream: "+why.text(s.life.taskID, state)+"."))
	default:
		s.settled = SettledError
		s.reportEnd(why)
		s.end = why.end
		s.emitFault(s.unfinishedFault(why, state))
	}
}

// fail ends the stream with a FAILED status that says whose verdict it is.
func (s *Stream) fail(why reason, message []byte) {
	f := s.ownFrame()
	status := f.AppendStatusObject(nil, a2a.Failed, message, s.now)
	s.lastWord(why, a2a.Failed, func(dst []byte) []byte {
		return appendSSELines(dst, f.AppendStatus(nil, status, true))
	})
}

// lastWord reports the reason, writes the last frames with the task's state and ends
// the stream.
func (s *Stream) lastWord(why reason, state a2a.State, frames func(dst []byte) []byte) {
	s.open(nil)
	s.report(why.rule)
	s.commit()
	s.completeFrame()
	s.verdict.Kind, s.verdict.State, s.life.last = a2a.StatusUpdate, state, state
	s.verdict.Reply = s.out.extend(frames)
	s.verdicts = append(s.verdicts, s.verdict)
	s.end = why.end
	s.finish()
}

// code is the error code that tells the client why.
func (r reason) code() a2a.Code {
	if r.limit {
		return a2a.InternalError
	}
	return a2a.InvalidAgentResponse
}

// text says what happened and what the client can do. state is what the agent
// said of the task when asked.
func (r reason) text(task a2a.Token, state a2a.State) string {
	what := "the agent ended the stream without a final status"
	switch r.end {
	case EndUpstreamAbort:
		what = "the agent's connection broke before a final status"
	case EndFirstEventTimeout:
		what = "the agent sent no event in time"
	case EndIdleTimeout:
		what = "the agent sent no further event in time"
	case EndMaxDuration:
		what = "the stream lasted longer than this server allows"
	default:
	}
	if state.Settled() {
		return what + "; the task has ended, call GetTask for its result"
	}
	return what + stillRuns(task, "call GetTask or subscribe to it")
}

// refuse ends the stream because of a frame that must not reach the client. A
// stream that has its end gets no second one.
func (s *Stream) refuse(broken []Violation) {
	if s.phase == closing && !s.unsettled {
		s.finish()
		return
	}
	worst := broken[0]
	for _, v := range broken {
		if v.Decision.Do > worst.Decision.Do {
			worst = v
		}
	}
	s.end = EndError
	s.emitFault(brokenFault(worst.Rule, s.life.taskID))
}

// shutdown ends the stream because the guard's process ends.
func (s *Stream) shutdown() {
	if s.p.Observes() {
		s.leave(EndShutdown)
		return
	}
	s.end = EndShutdown
	s.emitFault(shutdownFault(s.life.taskID))
}

func shutdownFault(task a2a.Token) a2a.Fault {
	return a2a.Fault{
		Code:    a2a.InternalError,
		Message: "the server is shutting down" + stillRuns(task, "subscribe to it again"),
		TaskID:  task,
		Status:  statusUnavailable,
	}
}

// cutShort ends the stream because its connection takes no more writes soon.
func (s *Stream) cutShort() {
	if s.phase == closing && !s.unsettled || s.life.last.Interrupted() {
		s.leave(EndInterrupted)
		return
	}
	why := reason{rule: policy.NeverEnding, end: EndMaxDuration, limit: true}
	s.reportEnd(why)
	s.end = why.end
	s.emitFault(s.unfinishedFault(why, a2a.Unspecified))
}

// unfinishedFault tells the client why its stream ends before its task. In
// HTTP+JSON an answer with no event at all is a bad one of a gateway's peer.
func (s *Stream) unfinishedFault(why reason, state a2a.State) a2a.Fault {
	f := a2a.Fault{Code: why.code(), Message: why.text(s.life.taskID, state), Rule: why.rule.String(), TaskID: s.life.taskID}
	switch {
	case s.committed:
	case why.limit:
		f.Status = statusGatewayTimeout
	default:
		f.Status = statusBadGateway
	}
	return f
}

// Break ends the stream because the guard itself failed.
func (s *Stream) Break(now time.Time) Step {
	s.begin(now)
	switch {
	case s.phase == ended:
	case s.phase == closing && !s.unsettled:
		s.finish()
	default:
		s.end = EndError
		s.emitFault(a2a.Fault{
			Code:    a2a.InternalError,
			Message: "the guard in front of the agent failed" + stillRuns(s.life.taskID, "call GetTask"),
			TaskID:  s.life.taskID,
		})
	}
	return s.step()
}

// emitFault ends the stream with an error: in the stream if that has begun, else
// as the whole answer.
func (s *Stream) emitFault(f a2a.Fault) {
	if !s.committed {
		s.reply = s.x.reply(statusOK, f)
		s.phase, s.ask = ended, nil
		return
	}
	f.Ref = s.x.Ref()
	name := "error"
	if s.named && s.x.Binding == a2a.JSONRPC {
		name = "message"
	}
	own := s.ownFrame()
	s.completeFrame()
	reply := s.out.extend(func(dst []byte) []byte {
		return a2a.AppendSSE(dst, name, f.Append(nil, own.Binding, own.Dialect, own.ID))
	})
	s.verdicts = append(s.verdicts, Verdict{Kind: a2a.Error, Reply: reply})
	s.finish()
}

// completeFrame ends what the client has of a frame too large to judge, so that
// the guard's own is not taken for a part of it.
func (s *Stream) completeFrame() {
	if s.partial {
		s.partial = false
		s.out.write([]byte("\n\n"))
	}
}

// ownFrame is what the guard's own events in this stream have in common.
func (s *Stream) ownFrame() a2a.Frame {
	l := &s.life
	return a2a.Frame{Binding: s.x.Binding, Dialect: l.dialect, Proto: l.proto, ID: s.x.ID, TaskID: l.taskID, ContextID: l.contextID}
}
