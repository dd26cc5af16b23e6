// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

const million = 1_000_000

// nth is the key of the n-th of many tasks of a principal.
func nth(n int, principal string) guard.TaskKey {
	k := guard.TaskKey{Principal: principal}
	binary.LittleEndian.PutUint64(k.Task[:], uint64(n)*0x9e3779b97f4a7c15)
	return k
}

func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// The figures that the README and the type's comment give.
func TestAMillionTasksTakeWhatIsSaid(t *testing.T) {
	for _, tt := range []struct {
		name              string
		tasks, principals int
		most              int // bytes of a task
	}{
		{"of a hundred principals", million, 100, 180},
		{"each of a principal of its own", million / 4, million / 4, 340},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := heap()
			tasks := guard.NewTasks(tt.tasks, time.Hour)
			for n := range tt.tasks {
				tasks.Note(noon, nth(n, fmt.Sprintf("%032d", n%tt.principals)), guard.Sight{State: a2a.Working, Context: uint64(n), Owned: true})
			}
			each := (heap() - before) / tt.tasks
			t.Logf("%d bytes a task", each)
			if each > tt.most || tasks.Len() != tt.tasks {
				t.Errorf("%d tasks of %d bytes, more than %d", tasks.Len(), each, tt.most)
			}
		})
	}
}

func TestABoundHoldsUnderAMillionTasks(t *testing.T) {
	const most = 20_000
	tasks := guard.NewTasks(most, time.Hour)
	for n := range million {
		tasks.Note(noon.Add(time.Duration(n)), nth(n, fmt.Sprint(n%7)), guard.Sight{State: a2a.Completed, Owned: true})
		if n%10_000 == 0 && tasks.Len() > most {
			t.Fatalf("%d tasks are remembered", tasks.Len())
		}
	}
	late := noon.Add(2 * time.Hour)
	if _, known := tasks.Find(late, nth(million-1, fmt.Sprint((million-1)%7))); known {
		t.Error("one is known after its time")
	}
	if n := tasks.Len(); n < most-100 {
		t.Errorf("one call has forgotten %d tasks, while others wait", most-n)
	}
	for range most / 50 {
		tasks.Find(late, nth(0, "nobody"))
	}
	if n := tasks.Len(); n != 0 {
		t.Errorf("%d tasks are left after their time", n)
	}
}

// BenchmarkTasks is a call's share of a full memory: a task that is known, and one
// that takes the place of another.
func BenchmarkTasks(b *testing.B) {
	for _, size := range []int{1_000, million} {
		tasks := guard.NewTasks(size, time.Hour)
		keys := make([]guard.TaskKey, size)
		for n := range keys {
			keys[n] = nth(n, fmt.Sprintf("%032d", n%100))
			tasks.Note(noon, keys[n], guard.Sight{State: a2a.Working})
		}
		b.Run(fmt.Sprintf("known of %d", size), func(b *testing.B) {
			b.ReportAllocs()
			for n := 0; b.Loop(); n += 7919 {
				tasks.Note(noon, keys[n%size], guard.Sight{State: a2a.Working})
			}
		})
		b.Run(fmt.Sprintf("new beside %d", size), func(b *testing.B) {
			b.ReportAllocs()
			for n := size; b.Loop(); n++ {
				tasks.Note(noon, nth(n, keys[n%size].Principal), guard.Sight{State: a2a.Working})
			}
		})
	}
	b.Run("digest", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			guard.NewTaskDigest("agent", nil, a2a.Token(`"0199a5d2-8f5b-7c11-9d4e-6f3c2b1a0e9d"`))
		}
	})
}
