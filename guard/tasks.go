// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"container/list"
	"sync"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

// TaskKey names one task as one caller sees it. An answer given from memory must
// never tell one caller of another's task, so the principal is part of the key.
type TaskKey struct {
	Guard, Tenant, Principal, Task string
}

// TaskRecord is what is remembered of a task.
type TaskRecord struct {
	State a2a.State
	// Since is when State was first seen. A terminal state is never replaced.
	Since time.Time
}

// TaskStore remembers the states of tasks across calls. It is safe for
// concurrent use.
type TaskStore interface {
	// Note tells the store of a state that the agent showed. It returns what was
	// known before; known is false if nothing was.
	Note(now time.Time, key TaskKey, s a2a.State) (before TaskRecord, known bool)
	// Find returns what is known of a task.
	Find(now time.Time, key TaskKey) (TaskRecord, bool)
}

// Tasks is a [TaskStore] in memory, bounded in number and age.
type Tasks struct {
	max int
	ttl time.Duration

	mu    sync.Mutex
	byKey map[TaskKey]*list.Element
	order list.List // of *taskEntry, the longest untouched first
}

type taskEntry struct {
	key    TaskKey
	record TaskRecord
	seen   time.Time
}

// NewTasks returns a memory of at most max tasks, each forgotten ttl after it
// was last noted.
func NewTasks(max int, ttl time.Duration) *Tasks {
	return &Tasks{max: max, ttl: ttl, byKey: make(map[TaskKey]*list.Element)}
}

// Bound changes the bounds, as a new configuration may.
func (t *Tasks) Bound(max int, ttl time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.max, t.ttl = max, ttl
	t.shrink(t.max)
}

// Len returns how many tasks are remembered.
func (t *Tasks) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.byKey)
}

// Note implements [TaskStore].
func (t *Tasks) Note(now time.Time, key TaskKey, s a2a.State) (TaskRecord, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.expire(now)
	element, known := t.byKey[key]
	if !known {
		t.shrink(t.max - 1)
		entry := &taskEntry{key, TaskRecord{s, now}, now}
		t.byKey[key] = t.order.PushBack(entry)
		return TaskRecord{}, false
	}
	entry := element.Value.(*taskEntry)
	before := entry.record
	entry.seen = now
	t.order.MoveToBack(element)
	if s != before.State && !before.State.Terminal() {
		entry.record.State, entry.record.Since = s, now
	}
	return before, true
}

// Find implements [TaskStore].
func (t *Tasks) Find(now time.Time, key TaskKey) (TaskRecord, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.expire(now)
	element, ok := t.byKey[key]
	if !ok {
		return TaskRecord{}, false
	}
	return element.Value.(*taskEntry).record, true
}

func (t *Tasks) expire(now time.Time) {
	for front := t.order.Front(); front != nil; front = t.order.Front() {
		if now.Sub(front.Value.(*taskEntry).seen) < t.ttl {
			return
		}
		t.forget(front)
	}
}

func (t *Tasks) shrink(to int) {
	for len(t.byKey) > max(to, 0) {
		t.forget(t.order.Front())
	}
}

func (t *Tasks) forget(element *list.Element) {
	delete(t.byKey, element.Value.(*taskEntry).key)
	t.order.Remove(element)
}
