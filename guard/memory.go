// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// admitTask refuses calls that a terminal task can no longer take.
func (x *Exchange) admitTask(now time.Time) {
	rule, text := policy.SendToTerminal, "the task is terminal and takes no more messages; start a new task in the same context"
	switch {
	case x.Operation == a2a.SubscribeToTask:
		rule, text = policy.SubscribeTerminal, "the task is terminal and has no more events; call GetTask"
	case !x.Operation.Sends():
		return
	}
	record, known := x.find(now, x.TaskID)
	if !known || !record.State.Terminal() {
		return
	}
	code := a2a.UnsupportedOperation
	if x.Dialect == a2a.V03 {
		code = a2a.InvalidParams
	}
	x.refuse(rule, statusOK, code, text)
}

// maxKey bounds the ids that are remembered, in bytes: they come from the wire.
const maxKey = 1 << 10

// remembers reports whether anything may be remembered for this caller.
func (x *Exchange) remembers() bool { return x.guard.Tasks != nil && x.principal != "" }

// key returns the memory's key for a task of this caller; ok is false if nothing
// may be remembered for it.
func (x *Exchange) key(task a2a.Token) (key TaskKey, ok bool) {
	if !x.remembers() || task == nil || len(task)+len(x.Tenant) > maxKey {
		return TaskKey{}, false
	}
	return TaskKey{x.guard.Name, x.Tenant.Text(), x.principal, task.Text()}, true
}

func (x *Exchange) find(now time.Time, task a2a.Token) (TaskRecord, bool) {
	key, ok := x.key(task)
	if !ok {
		return TaskRecord{}, false
	}
	return x.guard.Tasks.Find(now, key)
}

// remember notes the state that an event shows; changed is true if the task was
// terminal in another state before this call began.
func (x *Exchange) remember(now time.Time, ev *a2a.Event) (changed bool) {
	key, ok := x.key(ev.TaskID)
	if !ok {
		return false
	}
	before, known := x.guard.Tasks.Note(now, key, ev.State)
	return known && before.State.Terminal() && before.State != ev.State && !before.Since.After(x.start)
}

// remember tells the memory of tasks, which other calls ask, of a new state.
func (s *Stream) remember(ev *a2a.Event) {
	l := &s.life
	if ev.HasState && (ev.State != l.last || l.events == 0) && s.x.remember(s.now, ev) {
		s.report(policy.TerminalImmutable)
	}
}
