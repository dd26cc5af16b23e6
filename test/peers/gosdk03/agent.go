// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package gosdk03 is an agent and a client on the Go SDK for protocol 0.3.
package gosdk03

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2asrv"
	"github.com/a2aproject/a2a-go/a2asrv/eventqueue"

	"github.com/a2aguard/caddy-a2a-guard/test/peers"
)

// Agent is an agent that plays scripts. It takes JSON-RPC at any path.
type Agent struct {
	http.Handler
	runs *peers.Runs
}

// NewAgent makes an agent.
func NewAgent() *Agent {
	runs := peers.NewRuns()
	handler := a2asrv.NewHandler(executor{runs}, a2asrv.WithLogger(slog.New(slog.DiscardHandler)))
	return &Agent{Handler: a2asrv.NewJSONRPCHandler(handler), runs: runs}
}

// Close ends what the agent still does.
func (a *Agent) Close() { a.runs.Close() }

type executor struct{ runs *peers.Runs }

// Execute implements a2asrv.AgentExecutor.
func (e executor) Execute(ctx context.Context, req *a2asrv.RequestContext, queue eventqueue.Queue) error {
	text := req.Message.Parts[0].(a2a.TextPart).Text
	return e.runs.Play(string(req.TaskID), text, stage{ctx, req, queue})
}

// Cancel implements a2asrv.AgentExecutor.
func (e executor) Cancel(ctx context.Context, req *a2asrv.RequestContext, queue eventqueue.Queue) error {
	return e.runs.Cancel(string(req.TaskID), func() error {
		return stage{ctx, req, queue}.Status(peers.Step{State: "canceled", Final: true})
	})
}

// stage publishes steps as events of the SDK, for the time of one call.
type stage struct {
	ctx   context.Context
	req   *a2asrv.RequestContext
	queue eventqueue.Queue
}

// Task implements peers.Stage.
func (s stage) Task(step peers.Step) error {
	task := s.req.StoredTask
	if task == nil {
		task = a2a.NewSubmittedTask(s.req, s.req.Message)
	}
	snapshot := *task
	snapshot.Status.State = a2a.TaskState(step.State)
	return s.queue.Write(s.ctx, &snapshot)
}

// Status implements peers.Stage.
func (s stage) Status(step peers.Step) error {
	var message *a2a.Message
	if step.Text != "" {
		message = a2a.NewMessageForTask(a2a.MessageRoleAgent, s.req, a2a.TextPart{Text: step.Text})
	}
	event := a2a.NewStatusUpdateEvent(s.req, a2a.TaskState(step.State), message)
	event.Final = step.Final
	return s.queue.Write(s.ctx, event)
}

// Artifact implements peers.Stage.
func (s stage) Artifact(step peers.Step) error {
	event := a2a.NewArtifactUpdateEvent(s.req, a2a.ArtifactID(step.Artifact), a2a.TextPart{Text: step.Text})
	event.Append, event.LastChunk = step.Append, step.Last
	return s.queue.Write(s.ctx, event)
}

// Message implements peers.Stage.
func (s stage) Message(step peers.Step) error {
	message := a2a.NewMessage(a2a.MessageRoleAgent, a2a.TextPart{Text: step.Text})
	message.ContextID = s.req.ContextID
	return s.queue.Write(s.ctx, message)
}
