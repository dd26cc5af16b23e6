// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"net/http"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/metrics"
)

// follower carries one event stream from the agent to the client: it feeds the
// core, does what its steps say and keeps its timers. All methods but shutdown
// want the writer's mutex held.
type follower struct {
	w       *responseWriter
	stream  *guard.Stream
	ended   bool      // the core emits no more
	broken  bool      // the guard failed on this stream, which passes as it is
	abort   bool      // the client's stream must break off
	closed  bool      // the agent's body has ended
	armed   time.Time // when the timer fires, zero if it does not
	timer   *time.Timer
	asker   *asker
	asking  chan struct{}  // closed once the question under way is answered, nil if none is
	answers sync.WaitGroup // the questions that have not returned yet
	tally   metrics.Stream
}

const (
	// A write that takes longer has kept the agent from going on.
	noticeableStall = time.Millisecond
	// The last frame and the stream's end must be written in this time.
	lastWriteLimit = 2 * time.Second
)

// followStream begins to follow the agent's answer as a stream.
func (w *responseWriter) followStream() {
	now := time.Now()
	f := &w.stream
	f.w, f.asker = w, newAsker(w.c)
	if !w.c.protect(func() { f.stream = w.c.x.Stream(now) }) {
		w.plan = guard.PassBody
		w.commit()
		return
	}
	w.follow = f
	f.tally = w.c.h.meter.Stream(w.c.begun, now, w.c.x.Operation, w.c.span.TraceID())
	w.c.span.Began()
	w.header = w.header.Clone() // from now on timers may send the head
	if at, ok := w.c.lifetime(); ok && !w.c.x.Policy().Observes() {
		f.stream.EndBy(at)
	}
	if f.stream.Committed() {
		f.commit()
	}
	w.register()
	w.c.learn()
	f.rearm(now)
}

// commit sends the head of a stream.
func (f *follower) commit() {
	w := f.w
	if w.sent {
		return
	}
	if !w.c.x.Policy().Observes() {
		header := w.c.w.Header()
		header.Del("Content-Length") // what goes out may be more or less
		header.Del("Trailer")
		completeCacheControl(header)
	}
	w.commit()
}

// write takes a chunk of the agent's.
func (f *follower) write(p []byte) (int, error) {
	if f.broken {
		return f.w.pass(p)
	}
	if f.ended {
		return 0, errOver
	}
	now := time.Now()
	var step guard.Step
	if !f.w.c.protect(func() { step = f.stream.Feed(now, p) }) {
		return f.breakOff(now, p)
	}
	f.w.c.judged(now)
	if err := f.do(now, step); err != nil {
		return 0, err
	}
	return len(p), nil
}

// breakOff deals with a fault of the guard's own. Where nothing acts, the stream
// goes on unjudged; elsewhere it ends with an error.
func (f *follower) breakOff(now time.Time, p []byte) (int, error) {
	if f.w.c.x.Policy().Observes() {
		f.broken = true
		return f.w.pass(p)
	}
	var step guard.Step
	if !f.w.c.protect(func() { step = f.stream.Break(now) }) {
		step = guard.Step{End: true, Abort: true}
	}
	return len(p), f.do(now, step)
}

// do does what a step says. Its error is the client's.
func (f *follower) do(now time.Time, step guard.Step) (err error) {
	w := f.w
	f.report(now, step.Verdicts)
	switch {
	case step.Reply != nil:
		w.reply = step.Reply
	case step.Commit:
		f.commit()
	}
	if step.End && !w.c.x.Policy().Observes() {
		f.prepareEnd(now)
	}
	if len(step.Out) > 0 {
		_, err = w.pass(step.Out)
	}
	if err == nil && w.dirty {
		err = w.flush()
	}
	if len(step.Out) > 0 {
		if took := time.Since(now); took > noticeableStall {
			f.stream.Stalled(took)
		}
	}
	switch {
	case step.End:
		f.ended, f.abort = true, step.Abort
		w.over = true
		f.asker.withdraw()
		if !f.closed {
			w.c.cut(cutDone)
		}
	case step.Need != nil:
		f.need(step.Need)
	}
	f.rearm(now)
	return err
}

// prepareEnd gives the end of a stream time enough, whatever deadline an
// earlier write has left behind.
func (f *follower) prepareEnd(now time.Time) {
	if _, iw := caddyhttp.IdleTimeoutsFromContext(f.w.c.r.Context()); iw != nil {
		_ = f.w.rc.SetWriteDeadline(now.Add(lastWriteLimit)) // not every writer has deadlines
	}
}

// rearm sets the timer to the core's next deadline. A deadline that moves away
// is left to fire early: moving the timer for every event would cost more.
func (f *follower) rearm(now time.Time) {
	if f.ended || f.broken {
		f.stop()
		return
	}
	at, ok := f.stream.Deadline()
	if !ok || !f.armed.IsZero() && !at.Before(f.armed) {
		return
	}
	f.armed = at
	if wait := at.Sub(now); f.timer == nil {
		f.timer = time.AfterFunc(wait, f.expire)
	} else {
		f.timer.Reset(wait)
	}
}

func (f *follower) stop() {
	if f.timer != nil {
		f.timer.Stop()
	}
	f.armed = time.Time{}
}

// expire runs when the timer fires.
func (f *follower) expire() {
	f.w.mu.Lock()
	defer f.w.mu.Unlock()
	f.armed = time.Time{}
	if f.ended || f.broken {
		return
	}
	now := time.Now()
	var step guard.Step
	if !f.w.c.protect(func() { step = f.stream.Expire(now) }) {
		_, _ = f.breakOff(now, nil)
		return
	}
	_ = f.do(now, step) // a client that left is noted there
}

// need gets a question answered, beside whatever else goes on. Only the last
// question counts. No task is cancelled for a client that left.
func (f *follower) need(need *guard.Need) {
	if need.Operation == a2a.CancelTask && f.w.c.gone() {
		f.settle(guard.Answer{Serial: need.Serial})
		return
	}
	done := make(chan struct{})
	f.asking = done
	f.answers.Go(func() {
		defer close(done)
		answer := f.asker.ask(need)
		f.w.mu.Lock()
		defer f.w.mu.Unlock()
		if f.asking == done {
			f.asking = nil
		}
		f.settle(answer)
	})
}

func (f *follower) settle(answer guard.Answer) {
	if f.ended || f.broken {
		return
	}
	now := time.Now()
	var step guard.Step
	if !f.w.c.protect(func() { step = f.stream.Settle(now, answer) }) {
		_, _ = f.breakOff(now, nil)
		return
	}
	_ = f.do(now, step)
}

// finish ends the stream once the chain has returned. The mutex is given up
// while the agent is asked, so that heartbeats go on.
func (f *follower) finish(aborted bool) error {
	w := f.w
	f.closed = true
	f.end(aborted)
	for !f.ended && !f.broken {
		if f.asking == nil { // the core wants nothing and does not end: leave it
			f.close(guard.ClientGone)
			continue
		}
		asking := f.asking
		f.unlocked(func() { <-asking })
	}
	f.asker.withdraw() // nobody waits for an answer any more
	f.unlocked(f.answers.Wait)
	if w.reply != nil && !w.sent {
		w.answer(w.reply)
		return nil
	}
	if f.abort || f.broken && aborted {
		panic(http.ErrAbortHandler)
	}
	return nil
}

// unlocked waits without the writer's mutex.
func (f *follower) unlocked(wait func()) {
	f.w.mu.Unlock()
	defer f.w.mu.Lock()
	wait()
}

// end tells the core how the agent's stream ended.
func (f *follower) end(aborted bool) {
	switch {
	case f.ended || f.broken:
	case f.w.c.gone():
		f.close(guard.ClientGone)
	case aborted:
		f.close(guard.Aborted)
	default:
		f.close(guard.EOF)
	}
}

func (f *follower) close(cause guard.Cause) {
	now := time.Now()
	var step guard.Step
	if !f.w.c.protect(func() { step = f.stream.Close(now, cause) }) {
		_, _ = f.breakOff(now, nil)
		return
	}
	_ = f.do(now, step)
}

// shutdown ends the stream because the process exits.
func (f *follower) shutdown() {
	if !f.ended && !f.broken {
		f.close(guard.Shutdown)
	}
	f.w.c.cut(cutDone)
}
