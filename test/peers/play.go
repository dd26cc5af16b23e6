// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// A Stage turns steps into the events of one SDK and publishes them. Its errors
// end the play.
type Stage interface {
	Task(Step) error
	Status(Step) error
	Artifact(Step) error
	Message(Step) error
}

// Runs are the plays of an agent by task id.
type Runs struct {
	mu     sync.Mutex
	byTask map[string]*run
	closed chan struct{}
}

// A run is one play.
type run struct {
	onCancel string
	canceled chan struct{}
	once     sync.Once
}

// NewRuns makes room for an agent's plays.
func NewRuns() *Runs {
	return &Runs{byTask: make(map[string]*run), closed: make(chan struct{})}
}

// Play plays the script in a user message's text. What a step throws is returned.
func (r *Runs) Play(taskID, text string, stage Stage) error {
	var script Script
	if err := json.Unmarshal([]byte(text), &script); err != nil {
		return fmt.Errorf("reading the script in the message: %w", err)
	}
	play := &run{canceled: make(chan struct{})}
	r.mu.Lock()
	r.byTask[taskID] = play
	r.mu.Unlock()
	for _, step := range script {
		if err := r.step(play, step, stage); err != nil {
			return err
		}
	}
	return nil
}

func (r *Runs) step(play *run, step Step, stage Stage) error {
	switch step.Do {
	case "task":
		return stage.Task(step)
	case "status":
		return stage.Status(step)
	case "artifact":
		return stage.Artifact(step)
	case "message":
		return stage.Message(step)
	case "throw":
		return errors.New(step.Text)
	case "on-cancel":
		r.mu.Lock()
		defer r.mu.Unlock()
		play.onCancel = step.Text
		return nil
	case "wait":
		return await(r, time.After(time.Duration(step.Millis)*time.Millisecond))
	case "hang":
		return await(r, play.canceled)
	default:
		return fmt.Errorf("unknown step %q", step.Do)
	}
}

// Cancel cancels a play as its script told. publish reports the task as canceled.
func (r *Runs) Cancel(taskID string, publish func() error) error {
	r.mu.Lock()
	play := r.byTask[taskID]
	if play == nil {
		r.mu.Unlock()
		return fmt.Errorf("no play of task %s", taskID)
	}
	how := play.onCancel
	r.mu.Unlock()
	switch how {
	case "throw":
		return errors.New("cannot cancel")
	case "ignore":
		return nil
	default:
		defer play.once.Do(func() { close(play.canceled) })
		return publish()
	}
}

// Close ends the plays that hang or wait.
func (r *Runs) Close() { close(r.closed) }

func await[T any](r *Runs, event <-chan T) error {
	select {
	case <-event:
		return nil
	case <-r.closed:
		return errors.New("the agent shuts down")
	}
}
