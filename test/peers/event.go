// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"encoding/json"
	"fmt"
	"strings"
)

// An Event is a task, a message or an update of a task, whatever protocol version
// brought it.
type Event struct {
	// Kind is "task", "status", "artifact" or "message".
	Kind string
	// State of a task or status, in the spelling of protocol 0.3.
	State string
	// Text of the status, artifact or message.
	Text string
	// Final is the mark of protocol 0.3 on a status.
	Final bool
	// Artifact is the artifact's id; Append and Last mark its chunk.
	Artifact     string
	Append, Last bool
	// Artifacts are those of a task, each as id and text.
	Artifacts []string
	// Task and Context are ids.
	Task, Context string
}

// String is the event without its ids and times.
func (e Event) String() string {
	var words []string
	add := func(known bool, word string) {
		if known {
			words = append(words, word)
		}
	}
	add(e.State != "", e.State)
	add(e.Artifact != "", e.Artifact)
	add(e.Append, "append")
	add(e.Last, "last")
	add(e.Text != "", fmt.Sprintf("%q", e.Text))
	add(e.Final, "final")
	words = append(words, e.Artifacts...)
	return e.Kind + "(" + strings.Join(words, " ") + ")"
}

// wireEvent has the fields of every kind of event in both versions.
type wireEvent struct {
	Kind      string         `json:"kind"`
	ID        string         `json:"id"`
	TaskID    string         `json:"taskId"`
	ContextID string         `json:"contextId"`
	Status    wireStatus     `json:"status"`
	Final     bool           `json:"final"`
	Artifact  wireArtifact   `json:"artifact"`
	Append    bool           `json:"append"`
	LastChunk bool           `json:"lastChunk"`
	Artifacts []wireArtifact `json:"artifacts"`
	Parts     wireParts      `json:"parts"`
}

type wireStatus struct {
	State   string `json:"state"`
	Message struct {
		Parts wireParts `json:"parts"`
	} `json:"message"`
}

type wireArtifact struct {
	ID    string    `json:"artifactId"`
	Parts wireParts `json:"parts"`
}

type wireParts []struct {
	Text string `json:"text"`
}

func (p wireParts) text() string {
	var b strings.Builder
	for _, part := range p {
		b.WriteString(part.Text)
	}
	return b.String()
}

// ParseEvent reads an event in the form that goes over the wire: protocol 1.0
// wraps it in a member that names its kind, 0.3 names the kind inside.
func ParseEvent(wire []byte) Event {
	var wrapped struct{ Task, Message, StatusUpdate, ArtifactUpdate *wireEvent }
	if err := json.Unmarshal(wire, &wrapped); err != nil {
		return Event{Kind: "unreadable", Text: err.Error()}
	}
	switch {
	case wrapped.Task != nil:
		return wrapped.Task.event("task")
	case wrapped.Message != nil:
		return wrapped.Message.event("message")
	case wrapped.StatusUpdate != nil:
		return wrapped.StatusUpdate.event("status")
	case wrapped.ArtifactUpdate != nil:
		return wrapped.ArtifactUpdate.event("artifact")
	}
	var bare wireEvent
	if err := json.Unmarshal(wire, &bare); err != nil {
		return Event{Kind: "unreadable", Text: err.Error()}
	}
	return bare.event(strings.TrimSuffix(bare.Kind, "-update"))
}

func (w wireEvent) event(kind string) Event {
	e := Event{
		Kind: kind, Task: w.TaskID, Context: w.ContextID, Final: w.Final,
		State:    strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(w.Status.State, "TASK_STATE_")), "_", "-"),
		Text:     w.Status.Message.Parts.text() + w.Artifact.Parts.text() + w.Parts.text(),
		Artifact: w.Artifact.ID, Append: w.Append, Last: w.LastChunk,
	}
	if kind == "task" {
		e.Task = w.ID
	}
	for _, artifact := range w.Artifacts {
		e.Artifacts = append(e.Artifacts, fmt.Sprintf("%s=%q", artifact.ID, artifact.Parts.text()))
	}
	return e
}
