// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/metrics"
)

// collect keeps an answer that is judged whole.
func (w *responseWriter) collect(p []byte) (int, error) {
	if len(w.body)+len(p) <= w.c.x.Policy().Limits.MaxEvent {
		if w.body == nil {
			w.memory = bodies.Get().(*[]byte)
			w.body = slices.Grow((*w.memory)[:0], w.expected(len(p)))
		}
		w.body = append(w.body, p...)
		if w.sent {
			return w.pass(p)
		}
		return len(p), nil
	}
	if reply := w.c.x.Oversize(); reply != nil {
		w.reply, w.over = reply, true
		w.c.cut(cutDone)
		return 0, errOver
	}
	w.plan = guard.PassBody
	held := w.body
	if w.body = nil; w.sent {
		held = nil
	}
	w.commit()
	if _, err := w.pass(held); err != nil {
		return 0, err
	}
	return w.pass(p)
}

// bodies is memory of answers that have gone out.
var bodies = sync.Pool{New: func() any { return new([]byte) }}

// keptBody is the largest memory that is kept for a next answer.
const keptBody = 64 << 10

// forget gives the memory of a collected answer back.
func (w *responseWriter) forget() {
	if w.memory == nil {
		return
	}
	if cap(w.body) <= keptBody {
		*w.memory = w.body
	}
	bodies.Put(w.memory)
	w.body, w.memory = nil, nil
}

// expected is how much memory an answer will need, as far as its head is to be
// believed.
func (w *responseWriter) expected(atLeast int) int {
	const believed = 64 << 10
	length := w.header.Get("Content-Length")
	if length == "" {
		return atLeast
	}
	n, err := strconv.Atoi(length)
	if err != nil || n < atLeast || n > believed {
		return atLeast
	}
	return n
}

// judge answers with what was collected, or with the guard's own answer.
func (w *responseWriter) judge() {
	j, ok := w.ask()
	if !ok && !w.c.x.Policy().Observes() {
		j.Reply = w.c.x.Internal()
	}
	if j.Need != nil {
		j = w.settle(j)
	}
	if w.c.judgement(w.head.Status, &j); w.late && j.Reply != nil {
		w.c.fault(metrics.TimedOut)
	}
	if j.Agent {
		w.c.learn()
	}
	if j.Card != nil {
		w.c.h.sawCard(j.Card, w.c.r.Host)
	}
	if j.Reply != nil {
		w.answer(j.Reply, comeBack[:]...)
		return
	}
	if j.Body != nil {
		w.body = j.Body
		w.header.Set("Content-Length", strconv.Itoa(len(j.Body)))
		dropValidators(w.header)
	}
	w.commit()
	if len(w.body) > 0 {
		_, _ = w.pass(w.body) // a client that left is noted there
	}
}

// ask lets the core judge what was collected; ok is false if the core failed.
func (w *responseWriter) ask() (j guard.Judgement, ok bool) {
	now := time.Now()
	ok = w.c.protect(func() { j = w.c.x.Judge(now, w.head, w.body) })
	w.c.judged(now)
	return j, ok
}
