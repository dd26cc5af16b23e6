// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"fmt"
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
