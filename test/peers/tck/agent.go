// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package tck is an agent on the Go SDK that does what the official conformance kit,
// a2a-tck for protocol 1.0, asks of an agent under test. A message's id tells it what:
// the kit's folder "scenarios" says which id wants what.
package tck

import (
	"context"
	"iter"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/a2aproject/a2a-go/v2/a2asrv/push"
)

// NewAgent makes an agent whose card leads to a URL. It takes JSON-RPC at the root and
// HTTP+JSON below it.
func NewAgent(url string) http.Handler {
	card := &a2a.AgentCard{
		Name: "conformance", Description: "Does what the conformance kit asks.", Version: "1.0.0",
		SupportedInterfaces: []*a2a.AgentInterface{
			a2a.NewAgentInterface(url, a2a.TransportProtocolJSONRPC),
			a2a.NewAgentInterface(strings.TrimSuffix(url, "/"), a2a.TransportProtocolHTTPJSON),
		},
		Capabilities:       a2a.AgentCapabilities{Streaming: true, PushNotifications: true},
		DefaultInputModes:  []string{"text/plain"},
		DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.AgentSkill{
			{ID: "conform", Name: "Conform", Description: "Conforms.", Tags: []string{"conformance"}},
		},
	}
	handler := a2asrv.NewHandler(executor{},
		a2asrv.WithLogger(slog.New(slog.DiscardHandler)),
		a2asrv.WithCapabilityChecks(&card.Capabilities),
		a2asrv.WithPushNotifications(push.NewInMemoryStore(), push.NewHTTPPushSender(nil)))
	mux := http.NewServeMux()
	mux.Handle("/{$}", a2asrv.NewJSONRPCHandler(handler))
	mux.Handle("/", a2asrv.NewRESTHandler(handler))
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(card))
	return mux
}

// A step makes one event of a turn, nil for none.
type step func(context.Context, *a2asrv.ExecutorContext) a2a.Event

// turns are what the agent does by the beginning of a message's id. The first that
// fits counts; a turn that does not answer with a message begins with the Task.
var turns = []struct {
	id    string
	steps []step
}{
	{"tck-message-response", []step{answer("Direct message response")}},
	{"tck-input-required", []step{status(a2a.TaskStateInputRequired, "")}},
	{"tck-reject-task", []step{status(a2a.TaskStateRejected, "rejected")}},
	{"tck-artifact-text", []step{artifact(a2a.NewTextPart("Generated text content")), done}},
	{"tck-artifact-file-url", []step{artifact(file(a2a.NewFileURLPart("https://example.com/output.txt", "text/plain"))), done}},
	{"tck-artifact-file", []step{artifact(file(a2a.NewRawPart([]byte("tck")))), done}},
	{"tck-artifact-data", []step{artifact(a2a.NewDataPart(map[string]any{"key": "value", "count": 42})), done}},
	{"tck-stream-001", []step{working, artifact(a2a.NewTextPart("Stream hello from TCK")), done}},
	{"tck-stream-002", []step{answer("Message only")}},
	{"tck-stream-003", []step{working, artifact(a2a.NewTextPart("Stream task lifecycle")), done}},
	{"tck-stream-ordering-001", []step{working, artifact(a2a.NewTextPart("Ordered output")), done}},
	{"tck-stream-artifact-text", []step{working, artifact(a2a.NewTextPart("Streamed text content")), done}},
	{"tck-stream-artifact-file", []step{working, artifact(file(a2a.NewRawPart([]byte("tck")))), done}},
	{"tck-stream-artifact-chunked", []step{working, chunk("chunk-1 ", false), chunk("chunk-2", true), done}},
	{"test-resubscribe-message-id", []step{working, pause, done}},
	{"", []step{status(a2a.TaskStateCompleted, "Hello from TCK")}},
}

var (
	working = status(a2a.TaskStateWorking, "")
	done    = status(a2a.TaskStateCompleted, "")
)

type executor struct{}

// Execute implements a2asrv.AgentExecutor.
func (executor) Execute(ctx context.Context, exec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		for _, turn := range turns {
			if !strings.HasPrefix(exec.Message.ID, turn.id) {
				continue
			}
			for i, step := range turn.steps {
				event := step(ctx, exec)
				_, isMessage := event.(*a2a.Message)
				if i == 0 && !isMessage && exec.StoredTask == nil && !yield(a2a.NewSubmittedTask(exec, exec.Message), nil) {
					return
				}
				if event != nil && !yield(event, nil) {
					return
				}
			}
			return
		}
	}
}

// Cancel implements a2asrv.AgentExecutor.
func (executor) Cancel(_ context.Context, exec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(exec, a2a.TaskStateCanceled, nil), nil)
	}
}

func status(state a2a.TaskState, text string) step {
	return func(_ context.Context, exec *a2asrv.ExecutorContext) a2a.Event {
		var message *a2a.Message
		if text != "" {
			message = a2a.NewMessageForTask(a2a.MessageRoleAgent, exec, a2a.NewTextPart(text))
		}
		return a2a.NewStatusUpdateEvent(exec, state, message)
	}
}

func artifact(part *a2a.Part) step {
	return func(_ context.Context, exec *a2asrv.ExecutorContext) a2a.Event {
		return a2a.NewArtifactEvent(exec, part)
	}
}

func chunk(text string, last bool) step {
	return func(_ context.Context, exec *a2asrv.ExecutorContext) a2a.Event {
		event := a2a.NewArtifactUpdateEvent(exec, "chunks", a2a.NewTextPart(text))
		event.Append, event.LastChunk = last, last
		return event
	}
}

func answer(text string) step {
	return func(_ context.Context, exec *a2asrv.ExecutorContext) a2a.Event {
		message := a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart(text))
		message.ContextID = exec.ContextID
		return message
	}
}

// pause gives the kit the time to subscribe: twice its limit for a stream.
func pause(ctx context.Context, _ *a2asrv.ExecutorContext) a2a.Event {
	select {
	case <-time.After(4 * time.Second):
	case <-ctx.Done():
	}
	return nil
}

func file(part *a2a.Part) *a2a.Part {
	part.Filename, part.MediaType = "output.txt", "text/plain"
	return part
}
