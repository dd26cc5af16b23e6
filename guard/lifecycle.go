// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// lifecycle is what one stream has shown of its task.
type lifecycle struct {
	dialect   a2a.Dialect // the shape of the events carried
	proto     bool        // which is that of 0.3 in HTTP+JSON
	request   a2a.Token   // the request's id
	taskID    a2a.Token
	contextID a2a.Token
	last      a2a.State // the last state shown
	timestamp a2a.Token // of the last status that bore one
	told      a2a.Token // the newest one that a lookup told
	events    int       // judged events that passed
	tasks     int       // of these, Tasks
	ids       ids       // the storage of these ids
	artifacts artifacts

	// terminal is the state that ended the task, from a Task if byTask.
	terminal   a2a.State
	byTask     bool
	terminalAt time.Time
	repeated   bool // the one repetition that the protocol allows was used
}

// begin starts from what the request says.
func (l *lifecycle) begin(x *Exchange) {
	l.dialect = x.Dialect
	l.proto = x.shape(x.Dialect, new(a2a.Event)).Proto
	l.request = l.ids.keep(x.ID)
	if x.Operation == a2a.SubscribeToTask {
		l.taskID = x.TaskID
	}
	l.artifacts.begin()
}

// check reports what is wrong with an event that comes while the task lives. It
// changes nothing: the event may yet be dropped.
func (s *Stream) check(data []byte, ev *a2a.Event) {
	l := &s.life
	switch ev.Kind {
	case a2a.Task, a2a.StatusUpdate, a2a.ArtifactUpdate:
	case a2a.Message:
		if s.lone() {
			s.x.checkIdentity(ev, s.report)
		} else if s.report(policy.MessageAfterTask) == policy.Rewrite && l.taskID != nil {
			s.fix.whole = s.messageAsStatus(ev.Object.Of(data))
		}
		return
	case a2a.Error:
		if rule, ok := s.x.errorRule(s.resp.Code); ok {
			s.report(rule)
		}
		return
	default:
		return
	}
	s.checkIdentity(ev)
	s.recall(ev)
	if l.events == 0 {
		s.checkFirst(ev)
	}
	if ev.Kind == a2a.ArtifactUpdate {
		s.checkArtifact(ev)
	}
	s.checkState(ev)
	if ev.Kind == a2a.Task && l.tasks > 0 {
		s.checkSnapshot(data, ev)
	}
}

// lone reports whether a Message that comes now is all that there is: the answer
// to a message, not part of a task.
func (s *Stream) lone() bool { return s.life.events == 0 && s.x.Operation != a2a.SubscribeToTask }

// checkIdentity holds an event to the task and context of its stream.
func (s *Stream) checkIdentity(ev *a2a.Event) {
	l := &s.life
	if l.taskID != nil && ev.TaskID != nil && !l.taskID.Same(ev.TaskID) {
		s.report(policy.TaskIDStable)
	}
	if l.contextID != nil && ev.ContextID != nil && !l.contextID.Same(ev.ContextID) {
		s.report(policy.ContextIDStable)
	}
}

// checkSnapshot deals with a further Task. It becomes a status update where the
// client has all else that it says: some clients fail on a second Task.
func (s *Stream) checkSnapshot(data []byte, ev *a2a.Event) {
	l := &s.life
	complete := !ev.MoreArtifacts && ev.HasState && ev.Dialect == l.dialect && s.fix.empty()
	for i := range ev.Artifacts {
		complete = complete && l.artifacts.whole(ev.Artifacts[i].ID)
	}
	if !complete {
		s.note(policy.SecondTask)
		return
	}
	if s.report(policy.SecondTask) == policy.Rewrite {
		s.fix.whole = s.ownFrame().AppendStatus(nil, ev.Status.Of(data), ev.State.Terminal())
		ev.Kind = a2a.StatusUpdate // so it is to the client
	}
}

// checkFirst holds the first event of a task's stream to the request.
func (s *Stream) checkFirst(ev *a2a.Event) {
	x := s.x
	if x.flat() != (ev.Dialect == a2a.V03) {
		s.report(policy.DialectMismatch)
	}
	if ev.Kind != a2a.Task && ev.Dialect == a2a.V10 {
		s.note(s.openingRule())
		s.report(policy.UpdateBeforeTask)
	}
	x.checkIdentity(ev, s.report)
}

func (s *Stream) checkArtifact(ev *a2a.Event) {
	if ev.Artifact.ID == nil {
		if ev.Dialect == a2a.V10 {
			s.report(policy.ArtifactFields)
		}
		return
	}
	if ev.Append || !ev.Artifact.HasParts {
		s.checkChunk(ev)
	}
}

// checkChunk holds a chunk to what the stream has carried of its artifact.
func (s *Stream) checkChunk(ev *a2a.Event) {
	l := &s.life
	state, begun, sure := l.artifacts.begun(ev.Artifact.ID)
	switch {
	case ev.Artifact.HasParts, ev.Dialect == a2a.V03:
	case begun && ev.LastChunk:
		s.report(policy.ArtifactClosed)
	default:
		s.report(policy.ArtifactFields)
	}
	switch {
	case !ev.Append:
	case !begun && sure && (l.tasks > 0 || s.x.TaskID == nil):
		if s.report(policy.AppendUnknownArtifact) == policy.Rewrite {
			s.fix.replace(ev.AppendAt, "false")
		}
	case begun && state.sealed:
		s.report(policy.ChunkAfterLast)
	}
}

func (s *Stream) checkState(ev *a2a.Event) {
	if !ev.HasState {
		return
	}
	l := &s.life
	if ev.State == a2a.Submitted && (l.last == a2a.Working || l.last.Interrupted()) {
		s.report(policy.StateRegression)
	}
	if ev.Kind == a2a.StatusUpdate && earlier(ev.Timestamp, l.timestamp) {
		s.report(policy.EventOrder)
	}
	if ev.Dialect == a2a.V10 && badTimestamp(ev) {
		s.report(policy.StatusTimestamp)
	}
	if ev.State == a2a.AuthRequired && !ev.StatusMessage && ev.Dialect == a2a.V10 {
		s.report(policy.AuthRequiredMessage)
	}
	if ev.Kind != a2a.StatusUpdate || ev.Dialect != a2a.V03 {
		return
	}
	if ev.Final && !ev.State.Settled() {
		s.report(policy.FinalEarly)
	}
	s.repairFinal(ev)
}

// repairFinal sets the flag that 0.3 clients wait for on a terminal status.
func (s *Stream) repairFinal(ev *a2a.Event) {
	if ev.Kind != a2a.StatusUpdate || ev.Dialect != a2a.V03 || ev.Final || !ev.State.Terminal() {
		return
	}
	if s.report(policy.FinalMissing) != policy.Rewrite {
		return
	}
	if ev.FinalAt.End > 0 {
		s.fix.replace(ev.FinalAt, "true")
	} else {
		s.fix.replace(a2a.Span{Start: ev.Object.End - 1, End: ev.Object.End - 1}, `,"final":true`)
	}
}

// apply takes in an event that passed.
func (s *Stream) apply(ev *a2a.Event) {
	l := &s.life
	if l.events == 0 {
		l.dialect = ev.Dialect
		l.proto = s.x.shape(ev.Dialect, ev).Proto
	}
	l.events++
	if l.taskID == nil && ev.TaskID != nil {
		l.taskID = l.ids.keep(ev.TaskID)
	}
	if l.contextID == nil && ev.ContextID != nil {
		l.contextID = l.ids.keep(ev.ContextID)
	}
	switch ev.Kind {
	case a2a.Task:
		l.tasks++
		l.artifacts.rebase(ev)
	case a2a.ArtifactUpdate:
		l.artifacts.note(ev.Artifact.ID, artifactState{whole: ev.LastChunk, sealed: ev.LastChunk})
	default:
	}
	if ev.HasState {
		s.applyState(ev)
	}
}

func (s *Stream) applyState(ev *a2a.Event) {
	l := &s.life
	l.last = ev.State
	if ev.Timestamp != nil {
		l.timestamp = append(l.timestamp[:0], ev.Timestamp...)
	}
	if ev.State.Terminal() {
		l.terminal, l.byTask, l.terminalAt = ev.State, ev.Kind == a2a.Task, s.now
	}
}
