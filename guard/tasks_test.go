// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

func key(principal, task string) guard.TaskKey {
	return guard.TaskKey{Task: guard.NewTaskDigest("g", nil, a2a.Token(`"`+task+`"`)), Principal: principal}
}

func note(tasks *guard.Tasks, now time.Time, key guard.TaskKey, s a2a.State) guard.TaskRecord {
	return tasks.Note(now, key, guard.Sight{State: s})
}

func TestTheFirstTerminalStateIsKept(t *testing.T) {
	tasks := guard.NewTasks(10, time.Hour)
	note(tasks, noon, key("p", "t1"), a2a.Working)
	note(tasks, noon, key("p", "t1"), a2a.Completed)
	if before := note(tasks, noon, key("p", "t1"), a2a.Failed); before.State != a2a.Completed {
		t.Errorf("before: %+v", before)
	}
	if now, _ := tasks.Find(noon, key("p", "t1")); now.State != a2a.Completed {
		t.Errorf("now: %+v", now)
	}
	if _, known := tasks.Find(noon, key("q", "t1")); known {
		t.Error("another principal finds it")
	}
}

func TestTasksAreForgotten(t *testing.T) {
	tasks := guard.NewTasks(3, time.Hour)
	for i := range 5 {
		note(tasks, noon.Add(time.Duration(i)*time.Minute), key("p", fmt.Sprint(i)), a2a.Working)
	}
	if _, known := tasks.Find(noon, key("p", "1")); known || tasks.Len() != 3 {
		t.Errorf("the oldest is still known, %d in all", tasks.Len())
	}
	if _, known := tasks.Find(noon.Add(63*time.Minute), key("p", "3")); known {
		t.Error("known after its time")
	}
	if _, known := tasks.Find(noon.Add(63*time.Minute), key("p", "4")); !known {
		t.Error("forgotten before its time")
	}
	tasks.Bound(0, time.Hour)
	if tasks.Len() != 0 {
		t.Errorf("%d are known beyond the new bound", tasks.Len())
	}
}

func TestTasksMayBeUsedByMany(t *testing.T) {
	tasks := guard.NewTasks(50, time.Hour)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 500 {
				note(tasks, noon, key("p", fmt.Sprint((i*j)%100)), a2a.Working)
				tasks.Find(noon, key("p", fmt.Sprint(j%100)))
			}
		})
	}
	wg.Wait()
	if n := tasks.Len(); n == 0 || n > 50 {
		t.Errorf("%d tasks are known", n)
	}
}

func TestATaskBelongsToWhoHasCreatedIt(t *testing.T) {
	tasks := guard.NewTasks(10, time.Hour)
	create, see := guard.Sight{State: a2a.Working, Owned: true}, guard.Sight{State: a2a.Working}
	check := func(when time.Time, principal string, want guard.Owner) {
		t.Helper()
		if record, _ := tasks.Find(when, key(principal, "t1")); record.Owner != want {
			t.Errorf("for %q the owner is %v, not %v", principal, record.Owner, want)
		}
	}
	tasks.Note(noon, key("carol", "t1"), see)
	check(noon, "carol", guard.OwnerUnknown)
	tasks.Note(noon, key("alice", "t1"), create)
	check(noon, "alice", guard.OwnerCaller)
	check(noon, "carol", guard.OwnerOther)
	check(noon, "", guard.OwnerOther)
	if before := tasks.Note(noon.Add(time.Minute), key("bob", "t1"), create); before.Owner != guard.OwnerOther {
		t.Errorf("bob takes it from %v", before.Owner)
	}
	check(noon.Add(time.Minute), "bob", guard.OwnerOther)
	if before := tasks.Note(noon, key("alice", "t2"), create); before.Owner != guard.OwnerUnknown {
		t.Errorf("another task is that of %v", before.Owner)
	}
	// The owner's record has its time, whoever else looks at the task.
	tasks.Note(noon.Add(61*time.Minute), key("carol", "t1"), see)
	check(noon.Add(61*time.Minute), "carol", guard.OwnerUnknown)
	check(noon.Add(61*time.Minute), "alice", guard.OwnerUnknown)
}

func TestATaskThatRunsIsNotForgottenWhileItIsAskedFor(t *testing.T) {
	tasks := guard.NewTasks(10, time.Hour)
	note(tasks, noon, key("p", "runs"), a2a.InputRequired)
	note(tasks, noon, key("p", "over"), a2a.Completed)
	for minutes := range 5 {
		tasks.Find(noon.Add(time.Duration(minutes)*30*time.Minute), key("p", "runs"))
	}
	for task, want := range map[string]bool{"runs": true, "over": false} {
		if _, known := tasks.Find(noon.Add(150*time.Minute), key("p", task)); known != want {
			t.Errorf("%s is known: %v", task, known)
		}
	}
}

func TestWhatASightDoesNotShowStaysKnown(t *testing.T) {
	tasks := guard.NewTasks(10, time.Hour)
	k := key("p", "t1")
	tasks.Note(noon, k, guard.Sight{State: a2a.Working, Context: 7})
	tasks.Note(noon.Add(time.Minute), k, guard.Sight{})
	tasks.Note(noon.Add(2*time.Minute), k, guard.Sight{State: a2a.Working, Context: 8})
	tasks.Note(noon.Add(2*time.Minute), k, guard.Sight{State: a2a.Unspecified})
	record, known := tasks.Find(noon.Add(2*time.Minute), k)
	if want := (guard.TaskRecord{State: a2a.Working, Since: noon, Context: 8}); !known || !reflect.DeepEqual(record, want) {
		t.Errorf("got %+v, want %+v", record, want)
	}
}

func TestTasksOfOneNameStandApart(t *testing.T) {
	digests := make(map[guard.TaskDigest]string)
	quote := func(s string) a2a.Token {
		if s == "" {
			return nil
		}
		return a2a.Token(`"` + s + `"`)
	}
	for _, k := range [][3]string{
		{"g", "", "t1"}, {"g", "", "t2"}, {"h", "", "t1"}, {"g", "a", "t1"}, {"g", "b", "t1"},
		{"ga", "", "t1"}, {"g", "at", "1"}, {"g", "a\\u0000t", "1"}, {"g\x00a", "", "t1"}, {"g", "a", "\\u0000t1"},
	} {
		d := guard.NewTaskDigest(k[0], quote(k[1]), quote(k[2]))
		if other, taken := digests[d]; taken {
			t.Errorf("%q has the digest of %s", k, other)
		}
		digests[d] = fmt.Sprintf("%q", k)
	}
	if guard.NewTaskDigest("g", nil, quote("t1")) != guard.NewTaskDigest("g", nil, quote("\\u00741")) {
		t.Error("an escape makes another task")
	}
}

// Whoever has more loses before whoever has fewer, against a plain count.
func TestNobodyPushesOutTheTasksOfOthers(t *testing.T) {
	const most = 60
	tasks := guard.NewTasks(most, time.Hour)
	for n := range 10 {
		note(tasks, noon, key("alice", fmt.Sprint(n)), a2a.Working)
	}
	for n := range 5 {
		note(tasks, noon, key("carol", fmt.Sprint(n)), a2a.Working)
	}
	for n := range 10_000 {
		note(tasks, noon.Add(time.Second), key("mallory", fmt.Sprint(n)), a2a.Working)
	}
	for principal, want := range map[string]int{"alice": 10, "carol": 5, "mallory": most - 15} {
		if got := holds(tasks, principal, 10_000); got != want {
			t.Errorf("%s has %d tasks, not %d", principal, got, want)
		}
	}
	// Many with one task each take from those who have more, down to what they leave.
	for n := range 40 {
		note(tasks, noon.Add(2*time.Second), key(fmt.Sprintf("sybil %d", n), "t"), a2a.Working)
	}
	if alice, carol, mallory := holds(tasks, "alice", 10), holds(tasks, "carol", 5), holds(tasks, "mallory", 10_000); carol != 5 || alice < 7 || mallory < 7 {
		t.Errorf("among many there are left %d, %d and %d", alice, carol, mallory)
	}
	if n := tasks.Len(); n != most {
		t.Errorf("%d tasks in all", n)
	}
}

func holds(tasks *guard.Tasks, principal string, upTo int) (count int) {
	for n := range upTo {
		if _, known := tasks.Find(noon.Add(3*time.Second), key(principal, fmt.Sprint(n))); known {
			count++
		}
	}
	return count
}
