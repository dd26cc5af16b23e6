// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// Config sets an agent's manners and pace. Its zero value behaves, without
// pauses.
type Config struct {
	Fault  Fault         // of messages that ask for none; "" is None
	Step   time.Duration // between two steps of the work
	Stall  time.Duration // how long StallThenFinish stalls and CancelMidrun waits for a cancel; 0 is 3 s
	Life   time.Duration // the longest a turn may run; 0 is 10 min
	Chunks int           // of the artifact; 0 is 3
}

// Agent is an A2A agent, served over HTTP. Use New and Close.
type Agent struct {
	config Config
	mux    *http.ServeMux
	store  store

	mu     sync.Mutex // orders the start of turns before Close's wait
	life   context.Context
	stop   context.CancelFunc
	atWork sync.WaitGroup // turns
}

// New makes an agent. It panics if the configuration names an unknown fault; see
// ParseFault.
func New(c Config) *Agent {
	fault, err := ParseFault(string(c.Fault))
	if err != nil {
		panic("orders: " + err.Error())
	}
	c.Fault = fault
	if c.Stall == 0 {
		c.Stall = 3 * time.Second
	}
	if c.Life == 0 {
		c.Life = 10 * time.Minute
	}
	if c.Chunks <= 0 {
		c.Chunks = 3
	}
	a := &Agent{config: c, mux: http.NewServeMux()}
	a.life, a.stop = context.WithCancel(context.Background())
	a.mux.HandleFunc("POST /{$}", a.serveRPC)
	a.mux.HandleFunc("GET /.well-known/agent-card.json", serveCard)
	a.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	return a
}

// ServeHTTP serves JSON-RPC at /, the card and /healthz.
func (a *Agent) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.mux.ServeHTTP(w, r) }

// Close ends all work and the streams that follow it, and returns once the work
// has stopped. From then on the agent takes no messages.
func (a *Agent) Close() {
	a.mu.Lock()
	a.stop()
	a.mu.Unlock()
	a.atWork.Wait()
}

// start starts a turn of the job. A task that has ended takes no more messages
// (A2A 1.0 §3.1.1), and this agent works on one message of a task at a time.
func (a *Agent) start(j *job, in inquiry) (*turn, *rpcError) {
	a.mu.Lock()
	defer a.mu.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	switch s := j.task.status.state; {
	case a.life.Err() != nil:
		return nil, &rpcError{internalError, "the agent is shutting down"}
	case s.terminal():
		return nil, &rpcError{unsupportedOperation, "the task has ended; send the message without a task id"}
	case j.turn != nil:
		return nil, &rpcError{unsupportedOperation, fmt.Sprintf("the task is %s; subscribe to it", v03States[s])}
	}
	ctx, cancel := context.WithTimeout(a.life, a.config.Life)
	t := &turn{
		job: j, config: &a.config, inquiry: in, ctx: ctx,
		cancels: make(chan struct{}, 1), changed: make(chan struct{}),
	}
	j.turn, j.cancelFails = t, in.fault == CancelFails
	a.atWork.Go(func() {
		defer cancel()
		t.play(in.script)
	})
	return t, nil
}
