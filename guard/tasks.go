// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

// TaskKey names one task as one caller sees it. An answer given from memory must
// never tell one caller of another's task, so the principal is part of the key.
type TaskKey struct {
	Task      TaskDigest
	Principal string
}

// TaskDigest stands for a task of one tenant behind one guard. It is of one size,
// whatever the ids are, and nobody can make two tasks share one.
type TaskDigest [16]byte

// NewTaskDigest returns the digest of a task.
func NewTaskDigest(guard string, tenant, task a2a.Token) TaskDigest {
	// Each length stands before its text, so that no two lists of texts look the same.
	var scratch [256]byte
	text := binary.LittleEndian.AppendUint32(scratch[:0], uint32(len(guard)))
	text = append(text, guard...)
	from := len(text)
	text = tenant.AppendText(append(text, 0, 0, 0, 0))
	binary.LittleEndian.PutUint32(text[from:], uint32(len(text)-from))
	text = task.AppendText(text)
	sum := sha256.Sum256(text)
	return TaskDigest(sum[:len(TaskDigest{})])
}

// Owner tells to whom a task belongs: to the principal whose message has brought it
// into being.
type Owner uint8

// The owners, as one caller sees them.
const (
	OwnerUnknown Owner = iota
	OwnerCaller
	OwnerOther
)

// TaskRecord is what is remembered of a task for one caller.
type TaskRecord struct {
	Owner Owner
	State a2a.State
	// Since is when State was first seen. A terminal state is never replaced.
	Since time.Time
	// Context is the digest of the context last seen, zero if none was.
	Context uint64
	// Late are the digests of artifacts that came after the terminal state.
	Late []uint64
}

// Sight is what an answer of the agent's shows of a task.
type Sight struct {
	State   a2a.State // Unspecified if it shows none
	Context uint64    // zero if it shows none
	Owned   bool      // the caller's message has brought the task into being
}

// TaskStore remembers tasks across calls. It is safe for concurrent use.
type TaskStore interface {
	// Note tells the store what the agent has shown to a caller, and returns what
	// was known before.
	Note(now time.Time, key TaskKey, seen Sight) (before TaskRecord)
	// Find returns what is known of a task; known is false if the caller was not
	// shown it. Then the record tells no more than the owner.
	Find(now time.Time, key TaskKey) (record TaskRecord, known bool)
	// NoteLate tells the store of an artifact, by its digest, that came after the
	// end of a task which it knows.
	NoteLate(now time.Time, key TaskKey, artifact uint64)
}

// Tasks is a [TaskStore] in memory, bounded in number and age. A task takes about
// 165 bytes and its principal 150, in memory that the garbage collector need not
// follow.
//
// A task is forgotten some time after it was last shown to its caller or, while it
// runs, asked for. If there are too many, the principal that has the most loses its
// oldest one: nobody can push out the tasks of another who has fewer.
type Tasks struct {
	max int
	ttl time.Duration

	mu     sync.Mutex
	base   time.Time // what the times of tasks count from
	byKey  map[taskIndex]uint32
	owners map[TaskDigest]uint32 // the holder of each task whose creation was seen
	slots  slots
	late   map[uint32][]uint64 // artifacts that came too late, by the task's slot
	all    list                // the longest untouched first
	// holders are the principals, by their tasks.
	holders holders
}

// taskIndex is a key by the principal's number.
type taskIndex struct {
	task   TaskDigest
	holder uint32
}

// NewTasks returns a memory of at most max tasks, each forgotten ttl after it was
// last touched.
func NewTasks(max int, ttl time.Duration) *Tasks {
	return &Tasks{
		max: max, ttl: ttl,
		byKey:   make(map[taskIndex]uint32),
		owners:  make(map[TaskDigest]uint32),
		late:    make(map[uint32][]uint64),
		all:     list{links: linksOfAll},
		holders: holders{byName: make(map[string]uint32)},
	}
}

// Bound changes the bounds, as a new configuration may.
func (t *Tasks) Bound(max int, ttl time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.max, t.ttl = max, ttl
	for len(t.byKey) > max {
		t.forget(t.holders.victim(""))
	}
}

// Len returns how many tasks are remembered.
func (t *Tasks) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.byKey)
}

// Note implements [TaskStore].
func (t *Tasks) Note(now time.Time, key TaskKey, seen Sight) TaskRecord {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := t.begin(now)
	before, n := t.find(at, key)
	if n == 0 {
		if t.max == 0 {
			return before
		}
		n = t.add(at, key)
	}
	s := t.slots.at(n)
	t.touch(at, n, s)
	if seen.State != s.state && seen.State != a2a.Unspecified && !s.state.Terminal() {
		s.state, s.since = seen.State, at
	}
	if seen.Context != 0 {
		s.context = seen.Context
	}
	if seen.Owned && before.Owner == OwnerUnknown {
		s.owned = true
		t.owners[key.Task] = s.holder
	}
	return before
}

// Find implements [TaskStore].
func (t *Tasks) Find(now time.Time, key TaskKey) (TaskRecord, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := t.begin(now)
	record, n := t.find(at, key)
	if n != 0 && !record.State.Terminal() {
		t.touch(at, n, t.slots.at(n))
	}
	return record, n != 0
}

// begin forgets what is too old, a part at a time so that no call waits for all of
// it, and returns the time as tasks have it.
func (t *Tasks) begin(now time.Time) time.Duration {
	if t.base.IsZero() {
		t.base = now
	}
	at := now.Sub(t.base)
	for range mostForgotten {
		if t.all.oldest == 0 || !t.old(at, t.slots.at(t.all.oldest)) {
			break
		}
		t.forget(t.all.oldest)
	}
	return at
}

// mostForgotten is how many old tasks one call forgets at most.
const mostForgotten = 64

func (t *Tasks) old(at time.Duration, s *slot) bool { return at-s.seen >= t.ttl }

// find returns what is known for a key, and the task's slot, zero if there is none.
func (t *Tasks) find(at time.Duration, key TaskKey) (record TaskRecord, n uint32) {
	holder, ok := t.holders.byName[key.Principal]
	if ok {
		if n = t.byKey[taskIndex{key.Task, holder}]; n != 0 && t.old(at, t.slots.at(n)) {
			t.forget(n)
			n = 0
		}
	}
	if n != 0 {
		s := t.slots.at(n)
		record = TaskRecord{State: s.state, Since: t.base.Add(s.since), Context: s.context, Late: t.late[n]}
		if s.owned {
			record.Owner = OwnerCaller
			return record, n
		}
	}
	if owner, known := t.owners[key.Task]; known {
		if o := t.byKey[taskIndex{key.Task, owner}]; t.old(at, t.slots.at(o)) {
			t.forget(o)
		} else {
			record.Owner = OwnerOther
		}
	}
	return record, n
}

// add makes room for a task and gives it a slot.
func (t *Tasks) add(at time.Duration, key TaskKey) uint32 {
	for len(t.byKey) >= t.max {
		t.forget(t.holders.victim(key.Principal))
	}
	holder := t.holders.open(key.Principal)
	n := t.slots.take()
	*t.slots.at(n) = slot{task: key.Task, holder: holder, since: at, seen: at}
	t.byKey[taskIndex{key.Task, holder}] = n
	t.slots.push(&t.all, n)
	t.slots.push(t.holders.grow(holder), n)
	return n
}

// touch makes a task the latest.
func (t *Tasks) touch(at time.Duration, n uint32, s *slot) {
	s.seen = at
	for _, l := range [...]*list{&t.all, &t.holders.at(s.holder).tasks} {
		if l.newest != n {
			t.slots.remove(l, n)
			t.slots.push(l, n)
		}
	}
}

func (t *Tasks) forget(n uint32) {
	s := t.slots.at(n)
	t.slots.remove(&t.all, n)
	t.slots.remove(&t.holders.at(s.holder).tasks, n)
	t.holders.shrink(s.holder)
	delete(t.byKey, taskIndex{s.task, s.holder})
	delete(t.late, n)
	if s.owned {
		delete(t.owners, s.task)
	}
	t.slots.release(n)
}
