// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package gosdk10 is an agent and a client on the Go SDK for protocol 1.0.
package gosdk10

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"net/http"
	"strings"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/a2aguard/caddy-a2a-guard/test/peers"
)

// Agent is an agent that plays scripts. It takes JSON-RPC at the root and HTTP+JSON
// below it.
type Agent struct {
	http.Handler
	runs *peers.Runs
}

// NewAgent makes an agent.
func NewAgent() *Agent {
	runs := peers.NewRuns()
	handler := a2asrv.NewHandler(executor{runs}, a2asrv.WithLogger(slog.New(slog.DiscardHandler)))
	mux := http.NewServeMux()
	mux.Handle("/{$}", a2asrv.NewJSONRPCHandler(handler))
	mux.Handle("/", a2asrv.NewRESTHandler(handler))
	return &Agent{Handler: mux, runs: runs}
}

// Close ends what the agent still does.
func (a *Agent) Close() { a.runs.Close() }

type executor struct{ runs *peers.Runs }

// Execute implements a2asrv.AgentExecutor.
func (e executor) Execute(_ context.Context, exec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		err := e.runs.Play(string(exec.TaskID), exec.Message.Parts[0].Text(), stage{exec, yield})
		if err != nil && !errors.Is(err, errStopped) {
			yield(nil, err)
		}
	}
}

// Cancel implements a2asrv.AgentExecutor.
func (e executor) Cancel(_ context.Context, exec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		err := e.runs.Cancel(string(exec.TaskID), func() error {
			return stage{exec, yield}.Status(peers.Step{State: "canceled", Final: true})
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(nil, err)
		}
	}
}

// errStopped says that the SDK takes no more events.
var errStopped = errors.New("the SDK stopped reading events")

// stage publishes steps as events of the SDK.
type stage struct {
	exec  *a2asrv.ExecutorContext
	yield func(a2a.Event, error) bool
}

func (s stage) publish(event a2a.Event) error {
	if !s.yield(event, nil) {
		return errStopped
	}
	return nil
}

// Task implements peers.Stage.
func (s stage) Task(step peers.Step) error {
	task := s.exec.StoredTask
	if task == nil {
		task = a2a.NewSubmittedTask(s.exec, s.exec.Message)
	}
	snapshot := *task
	snapshot.Status.State = state(step)
	return s.publish(&snapshot)
}

// Status implements peers.Stage.
func (s stage) Status(step peers.Step) error {
	var message *a2a.Message
	if step.Text != "" {
		message = a2a.NewMessageForTask(a2a.MessageRoleAgent, s.exec, a2a.NewTextPart(step.Text))
	}
	return s.publish(a2a.NewStatusUpdateEvent(s.exec, state(step), message))
}

// Artifact implements peers.Stage.
func (s stage) Artifact(step peers.Step) error {
	event := a2a.NewArtifactUpdateEvent(s.exec, a2a.ArtifactID(step.Artifact), a2a.NewTextPart(step.Text))
	event.Append, event.LastChunk = step.Append, step.Last
	return s.publish(event)
}

// Message implements peers.Stage.
func (s stage) Message(step peers.Step) error {
	message := a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart(step.Text))
	message.ContextID = s.exec.ContextID
	return s.publish(message)
}

func state(step peers.Step) a2a.TaskState {
	return a2a.TaskState("TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(step.State, "-", "_")))
}
