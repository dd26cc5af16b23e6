// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/metrics"
)

// responseWriter is what the agent's answer is written to. One mutex orders the
// handler's writes and those of timers. reverse_proxy writes the headers without a
// lock, so timers may touch them only once a stream has a map of its own for them.
//
// It offers neither Unwrap nor ReadFrom, which would lead around it.
type responseWriter struct {
	// What every event needs comes first.
	c      *call
	rc     http.ResponseController
	mu     sync.Mutex
	follow *follower // nil, or &stream
	plan   guard.Plan
	sent   bool         // the head went out
	dirty  bool         // bytes wait for a flush
	over   bool         // nothing more goes out through Write
	late   bool         // the deadline has passed
	listed bool         // among the open streams
	head   guard.Head   // the agent's, Status 0 until it came
	header http.Header  // reverse_proxy's, on the handler's goroutine
	before headerFields // what stood there before the agent's
	reply  *guard.Reply
	body   []byte  // collected for a judgement
	memory *[]byte // that body may use again, nil if none was collected
	time   timeout // of the call; a stream has a timer
	waits  *asker  // for the task of a blocking call, nil if it does not
	stream follower
}

var errOver = errors.New("the client has its answer")

func newResponseWriter(c *call) *responseWriter {
	c.writer = responseWriter{c: c, rc: *http.NewResponseController(c.w), header: c.w.Header()}
	w := &c.writer
	for name, values := range w.header {
		w.before.add(name, values)
	}
	if at, ok := w.deadline(); ok {
		c.h.timeouts.start(&w.time, w, c.begun, at.Sub(c.begun))
	}
	if c.x.Operation.Streams() && !c.x.Policy().Observes() {
		w.register()
	}
	return w
}

// register notes the call as one that the process's exit must end.
func (w *responseWriter) register() {
	if !w.listed {
		w.c.x.Ref() // timers may need it
		w.listed = true
		openStreams.add(w)
	}
}

// deadline is when the call must have its answer: when the core says so, or when
// the server takes no more writes.
func (w *responseWriter) deadline() (at time.Time, ok bool) {
	at, ok = w.c.x.Deadline()
	if hard, bounded := w.c.lifetime(); bounded && (!ok || hard.Before(at)) && !w.c.x.Policy().Observes() {
		return hard, true
	}
	return at, ok
}

// stop ends the timers and gives memory back.
func (w *responseWriter) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forget()
	w.c.h.timeouts.stop(&w.time)
	if w.follow != nil {
		w.follow.stop()
		w.follow.asker.withdraw()
		w.follow.ended = true // also where a handler's panic has cut it short
		w.follow.tally.End(time.Now(), w.follow.stream.End(), w.follow.stream.Settled())
	}
	if w.listed {
		openStreams.remove(w)
	}
}

// Header implements http.ResponseWriter.
func (w *responseWriter) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *responseWriter) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writeHeader(status)
}

func (w *responseWriter) writeHeader(status int) {
	switch {
	case w.over || w.head.Status != 0:
		return
	case status < 200 && status != http.StatusSwitchingProtocols:
		if !w.sent {
			w.c.w.WriteHeader(status)
		}
		return
	case w.c.reason.Load() == cutDone:
		return // reverse_proxy's word on our own cut
	}
	w.head = guard.Head{
		Status:      status,
		ContentType: w.header.Get("Content-Type"),
		Encoding:    w.header.Get("Content-Encoding"),
	}
	if w.c.gone() && status == statusClientClosed {
		w.plan = guard.PassBody
	} else {
		w.respond()
	}
	switch w.plan {
	case guard.PassBody:
		w.commit()
	case guard.CollectBody:
		if w.c.x.Policy().Passive() {
			w.commit() // nothing is held back, a copy is judged
		}
	case guard.FollowBody:
		w.followStream()
	case guard.RefuseBody:
		w.over = true
		w.c.cut(cutDone)
	}
}

// respond asks the core what to do with the answer.
func (w *responseWriter) respond() {
	if w.c.protect(func() { w.plan, w.reply = w.c.x.Respond(w.head) }) {
		return
	}
	if w.plan = guard.PassBody; !w.c.x.Policy().Observes() {
		w.plan, w.reply = guard.RefuseBody, w.c.x.Internal()
	}
}

// statusClientClosed is what reverse_proxy answers to a client that left.
const statusClientClosed = 499

// commit sends the head.
func (w *responseWriter) commit() {
	if w.sent {
		return
	}
	w.sent, w.dirty = true, true
	w.c.w.WriteHeader(w.head.Status)
}

// answer sends the guard's own answer in the agent's place, which leaves the kept
// fields of its header.
func (w *responseWriter) answer(reply *guard.Reply, kept ...string) {
	header := w.c.w.Header()
	var keep headerFields
	for _, name := range kept {
		if values := header[name]; len(values) > 0 {
			keep.add(name, values)
		}
	}
	clear(header)
	w.before.put(header)
	keep.put(header)
	w.c.answer(reply)
}

// Write implements http.ResponseWriter.
func (w *responseWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.head.Status == 0 {
		w.writeHeader(http.StatusOK)
	}
	switch {
	case w.over:
		return 0, errOver
	case w.plan == guard.FollowBody:
		return w.follow.write(p)
	case w.plan == guard.CollectBody:
		return w.collect(p)
	}
	return w.pass(p)
}

// pass writes bytes to the client, or nowhere if it left and the agent is read
// to its end.
func (w *responseWriter) pass(p []byte) (int, error) {
	if w.c.gone() {
		if w.c.h.ClientGone == clientGoneDrain {
			return len(p), nil
		}
		return 0, errOver
	}
	w.dirty = true
	n, err := w.c.w.Write(p)
	if err != nil {
		w.c.clientGone()
		if w.c.h.ClientGone == clientGoneDrain {
			return len(p), nil
		}
	}
	return n, err
}

// FlushError implements what http.ResponseController looks for.
func (w *responseWriter) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.flush()
}

func (w *responseWriter) flush() error {
	if !w.sent || !w.dirty || w.c.gone() {
		return nil
	}
	w.dirty = false
	err := w.rc.Flush()
	if err != nil {
		w.c.clientGone()
		if w.c.h.ClientGone == clientGoneDrain {
			return nil
		}
	}
	return err
}

// expired implements expirer.
func (w *responseWriter) expired() { go w.expire() }

// expire runs when a call's deadline passes before its answer is whole.
func (w *responseWriter) expire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over || w.plan == guard.PassBody && w.sent || w.follow != nil {
		return
	}
	if w.late = true; w.c.x.Expires() {
		w.over = true
		w.endWait()
		w.c.cut(cutDone)
	}
}

// finish ends the answer once the chain has returned.
func (w *responseWriter) finish(aborted bool, err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.late {
		w.reply = w.c.x.Expire()
	}
	switch {
	case w.follow != nil:
		return w.follow.finish(aborted)
	case w.reply != nil:
		if w.c.tally.outcome = metrics.Replaced; w.late {
			w.c.fault(metrics.TimedOut)
		}
		w.answer(w.reply)
		return nil
	case w.c.gone() && (aborted || w.plan != guard.CollectBody):
		w.c.tally.outcome = metrics.ClientGone
		return err
	case w.head.Status == 0 || aborted && w.plan == guard.CollectBody && !w.sent:
		return w.failed(aborted, err)
	case w.plan == guard.CollectBody && !w.sent:
		w.judge()
		return nil
	case w.plan == guard.CollectBody && !aborted:
		j, _ := w.ask()
		w.c.judgement(w.head.Status, &j)
	case w.head.Status >= http.StatusBadRequest:
		w.c.tally.outcome = metrics.Failed
	}
	if aborted {
		w.c.fault(metrics.BrokenOff)
		panic(http.ErrAbortHandler)
	}
	return err
}

// failed answers where the agent did not, or not to the end.
func (w *responseWriter) failed(aborted bool, err error) error {
	status := http.StatusBadGateway
	if err != nil {
		status = errorStatus(err)
		w.c.h.logger.Warn("the agent did not answer", zap.Error(err), zap.String("ref", w.c.x.Ref()))
	}
	var reply *guard.Reply
	switch {
	case aborted && err == nil:
		w.c.fault(metrics.BrokenOff)
		reply = w.c.x.Broke()
	case status == http.StatusGatewayTimeout:
		w.c.fault(metrics.TimedOut)
		reply = w.c.x.Failed(status).Reply
	default:
		w.c.fault(metrics.Unreachable)
		reply = w.c.x.Failed(status).Reply
	}
	switch {
	case reply != nil:
		w.answer(reply, comeBack[:]...)
		return nil
	case err == nil && aborted:
		panic(http.ErrAbortHandler)
	}
	return err
}
