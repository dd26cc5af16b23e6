// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

// FuzzTasks plays a script through the memory and through a plain list, which must
// agree, and looks at the memory from inside.
func FuzzTasks(f *testing.F) {
	f.Add([]byte("a1a2b1 c1a3 b2b3b4c1"), uint8(3))
	f.Add([]byte("aAbBcCdDeEfFaAbBcC1122334455"), uint8(5))
	f.Add([]byte("a1a2a3a4a5b1b2c1c2c3c4d1d2d3d4d5d6a1b1c1d1"), uint8(7))
	f.Fuzz(func(t *testing.T, script []byte, most uint8) {
		start := time.Unix(1_800_000_000, 0)
		m := &model{t: t, tasks: NewTasks(int(most%16), time.Minute), now: start}
		for ; len(script) >= 2; script = script[2:] {
			m.now = m.now.Add(time.Duration(script[0]>>4) * time.Second)
			m.play(string('a'+rune(script[0]%5)), script[1]%11, Sight{
				State:   a2a.State(script[1] % 9),
				Context: uint64(script[0] % 3),
				Owned:   script[1]&1 == 0,
			}, script[1]&16 == 0)
			m.inspect()
		}
	})
}

type model struct {
	t     *testing.T
	tasks *Tasks
	now   time.Time
	plain []plainTask // the longest untouched first
}

type plainTask struct {
	key TaskKey
	TaskRecord
	seen time.Time
}

// play notes a sight, or asks only.
func (m *model) play(principal string, task byte, seen Sight, notes bool) {
	m.t.Helper()
	k := TaskKey{TaskDigest{task}, principal}
	m.plain = slices.DeleteFunc(m.plain, func(t plainTask) bool { return m.now.Sub(t.seen) >= m.tasks.ttl })
	want, known := m.find(k)
	if !notes {
		if got, ok := m.tasks.Find(m.now, k); !reflect.DeepEqual(got, want) || ok != known {
			m.t.Fatalf("%v: found %+v %v, not %+v %v", k, got, ok, want, known)
		}
		if known && !want.State.Terminal() {
			m.touch(k)
		}
		return
	}
	before := m.counts()
	if got := m.tasks.Note(m.now, k, seen); !reflect.DeepEqual(got, want) {
		m.t.Fatalf("%v: %+v was known, not %+v", k, got, want)
	}
	if m.tasks.max == 0 {
		return
	}
	if !known {
		m.evict(k, before)
		m.plain = append(m.plain, plainTask{key: k, TaskRecord: TaskRecord{Since: m.now}})
	}
	m.touch(k)
	t := &m.plain[len(m.plain)-1]
	if seen.State != t.State && seen.State != a2a.Unspecified && !t.State.Terminal() {
		t.State, t.Since = seen.State, m.now
	}
	if seen.Context != 0 {
		t.Context = seen.Context
	}
	if seen.Owned && want.Owner == OwnerUnknown {
		t.Owner = OwnerCaller
	}
}

func (m *model) find(k TaskKey) (record TaskRecord, known bool) {
	for _, t := range m.plain {
		switch {
		case t.key == k:
			owner := record.Owner
			if record, known = t.TaskRecord, true; record.Owner == OwnerUnknown {
				record.Owner = owner
			}
		case t.key.Task == k.Task && t.Owner == OwnerCaller:
			record.Owner = OwnerOther
		}
	}
	return record, known
}

func (m *model) touch(k TaskKey) {
	i := slices.IndexFunc(m.plain, func(t plainTask) bool { return t.key == k })
	t := m.plain[i]
	t.seen = m.now
	m.plain = append(slices.Delete(m.plain, i, i+1), t)
}

func (m *model) counts() map[string]int {
	counts := make(map[string]int)
	for _, t := range m.plain {
		counts[t.key.Principal]++
	}
	return counts
}

// evict follows the memory in what has gone, which must be the oldest task of who
// has the most: of the caller, if nobody has more.
func (m *model) evict(k TaskKey, counts map[string]int) {
	m.t.Helper()
	for len(m.plain) >= m.tasks.max {
		most := 0
		for _, n := range counts {
			most = max(most, n)
		}
		i := slices.IndexFunc(m.plain, func(t plainTask) bool { return !m.holds(t.key) })
		gone := m.plain[i].key
		if counts[gone.Principal] != most || counts[k.Principal] == most && gone.Principal != k.Principal {
			m.t.Fatalf("%v goes for %v: %v", gone, k, counts)
		}
		if oldest := slices.IndexFunc(m.plain, func(t plainTask) bool { return t.key.Principal == gone.Principal }); oldest != i {
			m.t.Fatalf("%v goes before %v", gone, m.plain[oldest].key)
		}
		counts[gone.Principal]--
		m.plain = slices.Delete(m.plain, i, i+1)
	}
}

func (m *model) holds(k TaskKey) bool {
	h, known := m.tasks.holders.byName[k.Principal]
	return known && m.tasks.byKey[taskIndex{k.Task, h}] != 0
}

// inspect looks at lists, heap and indexes.
func (m *model) inspect() {
	m.t.Helper()
	tasks := m.tasks
	if len(tasks.byKey) != len(m.plain) || len(tasks.holders.heap) != len(m.counts()) || len(tasks.holders.byName) != len(m.counts()) {
		m.t.Fatalf("%d tasks of %d principals, not %d of %d", len(tasks.byKey), len(tasks.holders.heap), len(m.plain), len(m.counts()))
	}
	i := 0
	for n := tasks.all.oldest; n != 0; n = tasks.slots.at(n).links[linksOfAll].newer {
		if s := tasks.slots.at(n); s.task != m.plain[i].key.Task || tasks.holders.at(s.holder).name != m.plain[i].key.Principal {
			m.t.Fatalf("the task at %d is %v", i, s)
		}
		i++
	}
	owned := 0
	for _, t := range m.plain {
		if t.Owner == OwnerCaller {
			owned++
		}
	}
	if len(tasks.owners) != owned {
		m.t.Fatalf("%d tasks have owners, not %d", len(tasks.owners), owned)
	}
	for place, n := range tasks.holders.heap {
		h := tasks.holders.at(n)
		if h.place != place || h.count != m.counts()[h.name] || place > 0 && tasks.holders.size((place-1)/2) < h.count {
			m.t.Fatalf("the heap is no heap at %d", place)
		}
	}
}
