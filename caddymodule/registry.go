// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// openStreams holds every stream of the process, also one whose agent has not
// begun it. An instance that a reload has
// replaced hears no event, so its streams are ended from here.
var openStreams = streams{open: make(map[*responseWriter]*time.Timer)}

type streams struct {
	mu      sync.Mutex
	open    map[*responseWriter]*time.Timer // the timer that ends a stream at exit, nil before
	empty   chan struct{}                   // closed once no stream is open; nil if none waits
	exiting time.Time                       // when the process began to exit, zero before
	poll    *time.Timer                     // the next look whether it does, nil while no stream is open
}

// exitPoll is how often the process is asked whether it exits, while streams are
// open: after a reload that dropped the guard nobody else would tell.
const exitPoll = 100 * time.Millisecond

// stuckWriteLimit is what a client that does not read gets once its stream is cut.
const stuckWriteLimit = 500 * time.Millisecond

// exitMargin is what a stream's end may take beyond its drain time.
const exitMargin = 2 * time.Second

func (s *streams) add(w *responseWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[w] = nil
	if !s.exiting.IsZero() {
		s.schedule(w)
	} else if s.poll == nil {
		s.poll = time.AfterFunc(exitPoll, s.look)
	}
}

func (s *streams) remove(w *responseWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if timer := s.open[w]; timer != nil {
		timer.Stop()
	}
	delete(s.open, w)
	if len(s.open) > 0 {
		return
	}
	if s.poll != nil {
		s.poll.Stop()
		s.poll = nil
	}
	if s.empty != nil {
		close(s.empty)
		s.empty = nil
	}
}

// schedule ends a stream once its drain time is over.
func (s *streams) schedule(w *responseWriter) {
	s.open[w] = time.AfterFunc(time.Until(s.exiting.Add(w.c.h.drainTime())), w.shutdown)
}

// begin schedules the end of every open stream, once. It returns when they will
// all have had their time.
func (s *streams) begin() (wait <-chan struct{}, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.exiting.IsZero() {
		s.exiting = time.Now()
		for w := range s.open {
			s.schedule(w)
		}
	}
	var atMost time.Duration
	for w := range s.open {
		atMost = max(atMost, w.c.h.drainTime())
	}
	if len(s.open) > 0 && s.empty == nil {
		s.empty = make(chan struct{})
	}
	return s.empty, s.exiting.Add(atMost + exitMargin)
}

// exit ends the open streams and waits until they have ended.
func (s *streams) exit() {
	empty, until := s.begin()
	if empty == nil {
		return
	}
	select {
	case <-empty:
	case <-time.After(time.Until(until)):
	}
}

// look asks whether the process exits, as long as streams are open.
func (s *streams) look() {
	if caddy.Exiting() {
		s.begin()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.poll != nil {
		s.poll = time.AfterFunc(exitPoll, s.look)
	}
}

// shutdown gives a stream its end because the process exits. A write that is
// stuck on a client that does not read is freed first.
func (w *responseWriter) shutdown() {
	if !w.mu.TryLock() {
		w.freeWrite()
		w.mu.Lock()
	}
	defer w.mu.Unlock()
	switch {
	case w.follow != nil:
		w.follow.shutdown()
	case !w.over && !w.sent:
		w.reply, w.over = w.c.x.Shutdown(), true
		w.endWait()
		w.c.cut(cutDone)
	}
}

// freeWrite bounds a write in flight. Only the raw connection may be touched
// while another goroutine writes.
func (w *responseWriter) freeWrite() {
	ctx := w.c.r.Context()
	deadline := time.Now().Add(stuckWriteLimit)
	if _, iw := caddyhttp.IdleTimeoutsFromContext(ctx); iw != nil {
		_ = iw.Ctrl.SetWriteDeadline(deadline)
		return
	}
	_ = w.rc.SetWriteDeadline(deadline)
}
