// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
)

// openStreams holds every stream of the process. An instance that a reload has
// replaced hears no event, so its streams are ended from here.
var openStreams = streams{open: make(map[*follower]*time.Timer)}

type streams struct {
	mu      sync.Mutex
	open    map[*follower]*time.Timer // the timer that ends a stream at exit, nil before
	empty   chan struct{}             // closed once no stream is open; nil if none waits
	exiting time.Time                 // when the process began to exit, zero before
	poll    *time.Timer               // the next look whether it does, nil while no stream is open
}

// exitPoll is how often the process is asked whether it exits, while streams are
// open: after a reload that dropped the guard nobody else would tell.
const exitPoll = 100 * time.Millisecond

// exitMargin is what a stream's end may take beyond its drain time.
const exitMargin = 2 * time.Second

func (s *streams) add(f *follower) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[f] = nil
	if !s.exiting.IsZero() {
		s.schedule(f)
	} else if s.poll == nil {
		s.poll = time.AfterFunc(exitPoll, s.look)
	}
}

func (s *streams) remove(f *follower) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if timer := s.open[f]; timer != nil {
		timer.Stop()
	}
	delete(s.open, f)
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
func (s *streams) schedule(f *follower) {
	s.open[f] = time.AfterFunc(time.Until(s.exiting.Add(f.w.c.h.drainTime())), f.shutdown)
}

// begin schedules the end of every open stream, once. It returns when they will
// all have had their time.
func (s *streams) begin() (wait <-chan struct{}, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.exiting.IsZero() {
		s.exiting = time.Now()
		for f := range s.open {
			s.schedule(f)
		}
	}
	var atMost time.Duration
	for f := range s.open {
		atMost = max(atMost, f.w.c.h.drainTime())
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
