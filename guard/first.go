// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/guard/sse"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// opening is what a stream does about an agent that begins with an update: where
// the rule acts, what comes waits until the agent was asked for the Task, which
// then goes out first.
type opening struct {
	waits  bool   // what comes is parked
	asked  bool   // once is enough
	closed *Cause // how the agent's stream ended meanwhile, nil if it did not
	parked []byte // whole units of the framer's
}

// openingRule is the rule on the stream's first event.
func (s *Stream) openingRule() policy.Rule {
	if s.x.Operation == a2a.SubscribeToTask {
		return policy.SubscribeFirstTask
	}
	return policy.FirstEvent
}

// lacksTask reports whether the Task is to be asked for before the event goes out.
func (s *Stream) lacksTask(ev *a2a.Event) bool {
	if s.life.events > 0 || s.first.asked || s.phase != running || !s.x.Operation.Streams() ||
		ev.Kind != a2a.StatusUpdate && ev.Kind != a2a.ArtifactUpdate || ev.State.Terminal() {
		return false // a task that has ended has no beginning to tell of
	}
	return ev.Dialect == a2a.V10 && ev.Payloads == 1 && s.resp.Flaw == a2a.NoFlaw && ev.TaskID != nil &&
		(s.x.TaskID == nil || s.x.TaskID.Same(ev.TaskID)) && s.p.Decide(s.openingRule()).Do == policy.Rewrite
}

// awaitTask asks the agent for the Task that the stream should have begun with.
func (s *Stream) awaitTask(task a2a.Token) {
	s.first.waits, s.first.asked = true, true
	s.put(a2a.GetTask, task, reason{opens: true})
}

// park keeps a unit until the Task has come. What is too much ends the wait.
func (s *Stream) park(raw []byte) {
	if s.first.parked = append(s.first.parked, raw...); len(s.first.parked) > s.p.Limits.MaxEvent {
		s.release()
	}
}

// settleFirst takes the answer to the question for the Task.
func (s *Stream) settleFirst(data []byte, ev *a2a.Event) {
	before, _ := s.x.find(s.now, ev.TaskID)
	// A task that is terminal already would end the stream before its events.
	if ev.HasState && !ev.State.Terminal() && !ev.MoreArtifacts && !s.x.foreign(before) && s.fits(ev) {
		s.beginWith(data, ev)
	}
	closed := s.first.closed
	s.release()
	if closed != nil && s.phase != ended {
		s.close(*closed)
	}
}

// fits reports whether what is parked may follow the Task: no chunk in it is
// appended to an artifact that the Task has perhaps with that chunk.
func (s *Stream) fits(task *a2a.Event) bool {
	if s.startsTask() {
		return true
	}
	var known artifacts
	known.begin()
	known.rebase(task)
	var begun artifacts
	begun.begin()
	var reader a2a.ResponseReader
	var r a2a.Response
	framer := sse.NewFramer(s.p.Limits.MaxEvent)
	framer.Push(s.first.parked)
	for u, ok := framer.Next(); ok; u, ok = framer.Next() {
		if u.Kind != sse.Frame || reader.Read(u.Data, &r) != nil || r.Event.Kind != a2a.ArtifactUpdate {
			continue
		}
		id := r.Event.Artifact.ID
		if _, has, _ := known.begun(id); has && r.Event.Append {
			if _, here, _ := begun.begun(id); !here {
				return false
			}
		}
		begun.note(id, artifactState{})
	}
	return true
}

// startsTask reports whether the task began with this stream, which then carries
// every artifact of it.
func (s *Stream) startsTask() bool { return s.x.Operation.Sends() && s.x.TaskID == nil }

// beginWith lets the agent's own Task go out as the first event. Its state is not
// taken for one that the stream has shown: what is parked may be older.
func (s *Stream) beginWith(data []byte, ev *a2a.Event) {
	object := ev.Object.Of(data)
	if s.startsTask() && ev.ArtifactsAt.End > 0 {
		var fix edits
		fix.remove(data[:ev.Object.End], ev.ArtifactsAt)
		object = fix.apply(nil, data[:ev.Object.End])[ev.Object.Start:]
		ev.Artifacts = nil
	}
	s.open(nil)
	s.report(s.openingRule())
	s.report(policy.UpdateBeforeTask)
	s.commit()
	f := a2a.Frame{Binding: s.x.Binding, Dialect: a2a.V10, ID: s.x.ID}
	s.verdict.Kind = a2a.Task
	s.verdict.Reply = s.out.extend(func(dst []byte) []byte {
		return appendSSELines(dst, f.AppendTask(nil, object))
	})
	s.verdicts = append(s.verdicts, s.verdict)
	s.x.note(s.now, ev)
	s.timers.event(s.now)
	stateless := *ev
	stateless.HasState, stateless.Dialect = false, a2a.V10
	s.apply(&stateless)
}

// release judges what was parked, now that nothing more is waited for.
func (s *Stream) release() {
	parked := s.first.parked
	s.first = opening{asked: true}
	s.ask = nil
	framer := sse.NewFramer(s.p.Limits.MaxEvent)
	framer.Push(parked)
	for s.phase != ended {
		u, ok := framer.Next()
		if !ok {
			return
		}
		s.unit(u)
	}
}
