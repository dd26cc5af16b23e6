// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"sync"
	"time"
)

// timeouts tells calls that they have lasted for one of the few durations that the
// configuration sets. Nearly every call ends long before, so there is one timer for
// all that have the same time: a timer for each would cost more than judging it.
type timeouts struct {
	mu     sync.Mutex
	queues map[time.Duration]*timeoutQueue
}

// timeoutQueue is a ring of what lasts equally long, the eldest behind its head.
type timeoutQueue struct {
	head  timeout
	armed bool
}

// timeout is one that may run; the zero value does not.
type timeout struct {
	at         time.Time
	of         expirer
	prev, next *timeout // nil if it does not run
}

// expirer is told that its time is over, once. It must neither block nor touch the
// timeouts.
type expirer interface{ expired() }

// start begins a timeout, which must not move until it is stopped.
func (t *timeouts) start(timeout *timeout, of expirer, now time.Time, after time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	q := t.queues[after]
	if q == nil {
		if t.queues == nil {
			t.queues = make(map[time.Duration]*timeoutQueue)
		}
		q = new(timeoutQueue)
		q.head.prev, q.head.next = &q.head, &q.head
		t.queues[after] = q
	}
	timeout.at, timeout.of = now.Add(after), of
	timeout.prev, timeout.next = q.head.prev, &q.head
	timeout.prev.next, timeout.next.prev = timeout, timeout
	if !q.armed {
		t.arm(q, after)
	}
}

// stop ends a timeout. It is false if that has fired, or was never started.
func (t *timeouts) stop(timeout *timeout) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if timeout.next == nil {
		return false
	}
	timeout.unlink()
	return true
}

func (e *timeout) unlink() {
	e.prev.next, e.next.prev = e.next, e.prev
	e.prev, e.next = nil, nil
}

func (t *timeouts) arm(q *timeoutQueue, after time.Duration) {
	q.armed = true
	time.AfterFunc(after, func() { t.fire(q) })
}

// fire tells all of a queue whose time is over. The timer then waits for the next
// one, also if that will be stopped before.
func (t *timeouts) fire(q *timeoutQueue) {
	t.mu.Lock()
	defer t.mu.Unlock()
	q.armed = false
	for now := time.Now(); q.head.next != &q.head; {
		eldest := q.head.next
		if wait := eldest.at.Sub(now); wait > 0 {
			t.arm(q, wait)
			return
		}
		eldest.unlink()
		eldest.of.expired()
	}
}
