// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"context"
	"time"
)

// turn is the work on one message of a task. It runs in a goroutine of its own
// and keeps a log of its events. Clients read the log at their own speed: none
// can hold the work up, and each sees every event in the same order
// (A2A 1.0 §3.5.2).
type turn struct {
	job     *job
	config  *Config
	inquiry inquiry
	ctx     context.Context // ends with the agent, and at Config.Life
	cancels chan struct{}   // holds the client's wish to cancel until the work looks

	// Guarded by job.mu.
	log     [][]event     // each entry goes out in one piece
	changed chan struct{} // closed and replaced when the log grows
	over    bool          // the log will not grow
	answer  event         // of the unary SendMessage, once known
}

// play runs the script and closes the log.
func (t *turn) play(s script) {
	for i, step := range s {
		if i > 0 && !t.pause() || !step(t) {
			break
		}
	}
	t.job.mu.Lock()
	defer t.job.mu.Unlock()
	t.job.turn = nil
	t.over = true
	if t.answer == nil {
		t.answer = t.job.task.clone()
	}
	close(t.changed)
}

// publish makes events part of the task and shows them to its followers, in one
// piece.
func (t *turn) publish(events ...event) {
	t.job.mu.Lock()
	defer t.job.mu.Unlock()
	for _, e := range events {
		t.job.apply(e)
		if t.answer == nil {
			t.answer = t.answerAfter(e)
		}
	}
	t.log = append(t.log, events)
	close(t.changed)
	t.changed = make(chan struct{})
}

// answerAfter is what the unary SendMessage gets once e has happened; nil means
// that it waits on (A2A 1.0 §3.2.2).
func (t *turn) answerAfter(e event) event {
	switch e := e.(type) {
	case message, *rpcError, crash:
		return e
	case statusUpdate:
		if e.status.state.settled() {
			return t.job.task.clone()
		}
	}
	return nil
}

// since returns what the log holds from entry i on. If over is false, there will
// be more once changed is closed.
func (t *turn) since(i int) (entries [][]event, over bool, changed <-chan struct{}) {
	t.job.mu.Lock()
	defer t.job.mu.Unlock()
	return t.log[i:], t.over, t.changed
}

// await waits for the answer of the unary SendMessage; it is nil if the client
// left. A client that does not want to wait gets the task as it begins.
func (t *turn) await(client context.Context) event {
	for {
		t.job.mu.Lock()
		answer, changed := t.answer, t.changed
		if answer == nil && t.inquiry.returnImmediately && len(t.log) > 0 {
			answer = t.job.task.clone()
		}
		t.job.mu.Unlock()
		if answer != nil {
			return answer
		}
		select {
		case <-changed:
		case <-client.Done():
			return nil
		}
	}
}

// pause passes the time between two steps.
func (t *turn) pause() bool { return t.wait(t.config.Step) }

// wait passes some time. It reports false if the work ends now: the client
// cancelled the task, unless the fault is to work on, or the agent goes.
func (t *turn) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-t.cancels:
		t.obeyCancel()
		return t.inquiry.fault == CancelMidrun
	case <-t.ctx.Done():
	}
	return false
}

// obeyCancel ends the task, if it has not ended before the wish was seen.
func (t *turn) obeyCancel() {
	if !t.job.read().status.state.terminal() {
		t.publish(t.status(canceled))
	}
}

// cancel asks the turn's work to stop. It does not wait.
func (t *turn) cancel() {
	select {
	case t.cancels <- struct{}{}:
	default: // it has been asked already
	}
}
