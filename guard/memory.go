// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"crypto/sha256"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// maxKey bounds the ids that are remembered, in bytes: they come from the wire.
const maxKey = 1 << 10

// maxPrincipal bounds what a principal takes in memory, in bytes. A longer one is
// known by its hash.
const maxPrincipal = 128

func boundPrincipal(name string) string {
	if len(name) <= maxPrincipal {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return "sha256:" + string(sum[:])
}

// memoryRefresh is how often a stream with news tells the memory that its task
// lives, so that it is not forgotten.
const memoryRefresh = 10 * time.Second

// remembers reports whether anything may be remembered for this caller.
func (x *Exchange) remembers() bool { return x.guard.Tasks != nil && x.principal != "" }

// key returns the memory's key for a task of this caller; ok is false if the memory
// has nothing to say to it.
func (x *Exchange) key(task a2a.Token) (key TaskKey, ok bool) {
	if task == nil || len(task)+len(x.Tenant) > maxKey || !x.remembers() && (x.guard.Tasks == nil || !x.scoped()) {
		return TaskKey{}, false
	}
	return TaskKey{NewTaskDigest(x.guard.Name, x.Tenant, task), x.principal}, true
}

// find returns what is known of a task; known is false if this caller was not
// shown it.
func (x *Exchange) find(now time.Time, task a2a.Token) (record TaskRecord, known bool) {
	key, ok := x.key(task)
	if !ok {
		return TaskRecord{}, false
	}
	return x.guard.Tasks.Find(now, key)
}

// note tells the memory what an event shows of a task and returns what was known.
func (x *Exchange) note(now time.Time, ev *a2a.Event) (before TaskRecord) {
	key, ok := x.key(ev.TaskID)
	if !ok || !x.remembers() {
		return before
	}
	return x.guard.Tasks.Note(now, key, Sight{State: ev.State, Context: digest(ev.ContextID), Owned: x.creates(ev.TaskID) || x.owner && x.TaskID.Same(ev.TaskID)})
}

// admitTask refuses calls that the task which they name cannot take.
func (x *Exchange) admitTask(now time.Time, r *a2a.Request) {
	if !x.admitOwner(now, r) || x.TaskID == nil {
		return
	}
	rule, text := policy.SendToTerminal, "the task is terminal and takes no more messages; start a new task in the same context"
	switch {
	case x.Operation == a2a.SubscribeToTask:
		rule, text = policy.SubscribeTerminal, "the task is terminal and has no more events; call GetTask"
	case !x.Operation.Sends():
		return
	}
	record, _ := x.find(now, x.TaskID)
	if record.State.Terminal() {
		code := a2a.UnsupportedOperation
		if x.Dialect == a2a.V03 {
			code = a2a.InvalidParams
		}
		if x.refuse(rule, statusOK, code, text); x.Refusal != nil {
			return
		}
	}
	if x.Operation.Sends() && record.Context != 0 && x.ContextID != nil && record.Context != digest(x.ContextID) {
		x.refuse(policy.RequestTaskContext, statusOK, a2a.InvalidParams,
			"the task belongs to another context; leave the context id out or send the task's own")
	}
}

// creates reports whether a task that answers the call has been brought into being
// by it.
func (x *Exchange) creates(task a2a.Token) bool {
	return x.Operation.Sends() && (x.TaskID == nil || !x.TaskID.Same(task))
}

// contradiction returns the rule that an event breaks by what was known of its
// task; ok is false if it breaks none. What other calls have shown since this one
// began is no measure: its answer may have been on its way.
func (x *Exchange) contradiction(before TaskRecord, ev *a2a.Event) (rule policy.Rule, ok bool) {
	switch {
	case !before.State.Terminal() || before.State == ev.State || ev.State == a2a.Unspecified || before.Since.After(x.start):
		return 0, false
	case x.Operation.Sends() && !ev.State.Terminal() && x.TaskID.Same(ev.TaskID):
		return policy.RestartedTerminal, true
	}
	return policy.TerminalImmutable, true
}

// taken reports whether a new task bears the id of one that belongs to another
// principal, or to another context. A message that is sent again under its id may
// be answered with its task (A2A 1.0 §3.3.1), and one that names the task's context
// goes on with what it knows, be it under new credentials.
func (x *Exchange) taken(before TaskRecord, ev *a2a.Event) bool {
	if !x.creates(ev.TaskID) || x.ContextID != nil && x.ContextID.Same(ev.ContextID) {
		return false
	}
	context := digest(ev.ContextID)
	return before.Owner == OwnerOther || before.Context != 0 && context != 0 && before.Context != context
}

// recall holds a task of the answer to what is remembered of it, and remembers it.
func (u *unary) recall(ev *a2a.Event) {
	x := u.x
	if x.scoped() && x.Operation != a2a.ListTasks { // what a list shows was looked at
		if known, _ := x.find(u.now, ev.TaskID); x.foreign(known) && u.report(policy.TaskOwnerAnswer, ev).Acts() {
			return
		}
	}
	before := x.note(u.now, ev)
	u.checkLate(before.Late, ev)
	if x.taken(before, ev) {
		u.report(policy.TaskIDUnique, ev)
	}
	if rule, broken := x.contradiction(before, ev); broken && u.report(rule, ev) == policy.Rewrite {
		u.fix.replace(ev.Status, pinned(x.shape(x.Dialect, ev), before.State))
		ev.State = before.State
	}
}

// recall holds an event to what is remembered of its task. Nothing is noted: the
// event may yet be dropped.
func (s *Stream) recall(ev *a2a.Event) {
	if !s.news(ev) {
		return
	}
	before, _ := s.x.find(s.now, ev.TaskID)
	if s.x.foreign(before) && s.report(policy.TaskOwnerAnswer).Acts() {
		return
	}
	if s.life.events == 0 && s.x.taken(before, ev) {
		s.report(policy.TaskIDUnique)
	}
	if rule, broken := s.x.contradiction(before, ev); broken && s.report(rule) == policy.Rewrite {
		s.fix.replace(ev.Status, pinned(s.x.shape(ev.Dialect, ev), before.State))
		ev.State = before.State
	}
}

// pinned is the status of a task whose end is known. When and with which words it
// came is not remembered.
func pinned(f a2a.Frame, end a2a.State) string {
	return string(f.AppendStatusObject(nil, end, nil, time.Time{}))
}

// remember tells the memory of tasks, which other calls ask, of an event's task.
func (s *Stream) remember(ev *a2a.Event) {
	if s.remembers && (s.news(ev) || s.now.Sub(s.noted) >= memoryRefresh) {
		s.noted = s.now
		s.x.note(s.now, ev)
	}
}

// news reports whether an event shows more of its task than its stream has yet.
func (s *Stream) news(ev *a2a.Event) bool {
	return ev.TaskID != nil && (s.life.events == 0 || ev.HasState && ev.State != s.life.last)
}

// digest returns a number that stands for an id, zero if there is none.
func digest(id a2a.Token) uint64 {
	if id == nil {
		return 0
	}
	var scratch [128]byte
	h := uint64(14695981039346656037) // FNV-1a
	for _, b := range id.AppendText(scratch[:0]) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return max(h, 1)
}
