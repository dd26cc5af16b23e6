// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"context"
	"crypto/rand"
	"slices"
	"sync"
	"time"
)

// maxTasks bounds the store. The oldest task is forgotten first.
const maxTasks = 10_000

// store keeps the tasks, in memory.
type store struct {
	mu   sync.Mutex
	jobs map[string]*job
	ids  []string // oldest first
}

// add starts a job with a new task; contextID may be empty.
func (s *store) add(contextID string) *job {
	if contextID == "" {
		contextID = newID("ctx")
	}
	j := &job{id: newID("task"), contextID: contextID}
	j.task = task{id: j.id, contextID: j.contextID, status: status{state: submitted, since: time.Now()}}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.jobs == nil {
		s.jobs = make(map[string]*job)
	}
	if len(s.ids) == maxTasks {
		delete(s.jobs, s.ids[0])
		s.ids = s.ids[1:]
	}
	s.jobs[j.id] = j
	s.ids = append(s.ids, j.id)
	return j
}

// find returns the job of a task; nil if there is none.
func (s *store) find(taskID string) *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.jobs[taskID]
}

// newID makes an id that no restart repeats.
func newID(kind string) string { return kind + "-" + rand.Text() }

// job is a task and the turn that works on it.
type job struct {
	id, contextID string

	mu          sync.Mutex // guards all below and the turn's log
	task        task
	turn        *turn // nil between turns
	cancelFails bool  // the last turn's fault
}

// apply makes an event part of the task, as a store that checks nothing does: a
// terminal state does not stop it. The caller holds mu.
func (j *job) apply(e event) {
	switch e := e.(type) {
	case task:
		j.task = e.clone()
	case statusUpdate:
		j.task.status = e.status
	case artifactUpdate:
		j.keep(e)
	}
}

// keep stores an artifact whole, or the chunk of one (A2A 1.0 §4.2.2).
func (j *job) keep(u artifactUpdate) {
	i := slices.IndexFunc(j.task.artifacts, func(a artifact) bool { return a.id == u.artifact.id })
	switch {
	case i < 0:
		j.task.artifacts = append(j.task.artifacts, u.artifact)
	case u.append:
		have := &j.task.artifacts[i]
		have.parts = append(have.parts, u.artifact.parts...)
	default:
		j.task.artifacts[i] = u.artifact
	}
}

// read returns the task as it is now.
func (j *job) read() task {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.task.clone()
}

// set changes the state without telling anyone.
func (j *job) set(s state) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.task.status = status{state: s, since: time.Now()}
}

// cancel asks the turn's work to stop and waits until the task shows it; a task
// that nobody works on is cancelled at once (A2A 1.0 §3.1.5).
func (j *job) cancel(client context.Context) (task, *rpcError) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for asked := false; ; asked = true {
		switch s := j.task.status.state; {
		case asked && s == canceled:
			return j.task.clone(), nil
		case s.terminal():
			return task{}, &rpcError{taskNotCancelable, "the task has ended"}
		case j.cancelFails:
			return task{}, &rpcError{internalError, "NotImplementedError: cancel"}
		case j.turn == nil:
			j.task.status = status{state: canceled, since: time.Now()}
			return j.task.clone(), nil
		}
		j.turn.cancel()
		changed := j.turn.changed
		j.mu.Unlock()
		select {
		case <-changed:
		case <-client.Done():
		}
		j.mu.Lock()
		if client.Err() != nil {
			return task{}, &rpcError{internalError, "the client left"}
		}
	}
}
