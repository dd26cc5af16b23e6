// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package orders

// Protocol 0.3 on the wire (A2A 0.3 §6, §7): a payload stands bare and names
// its type in kind, enum values are lower case, and the last status update of a
// stream is marked final.

type v03 struct{}

type v03Task struct {
	Kind      string        `json:"kind"` // "task"
	ID        string        `json:"id"`
	ContextID string        `json:"contextId"`
	Status    v03Status     `json:"status"`
	Artifacts []v03Artifact `json:"artifacts,omitempty"`
}

type v03Status struct {
	State     string      `json:"state"`
	Message   *v03Message `json:"message,omitempty"`
	Timestamp string      `json:"timestamp"`
}

type v03Message struct {
	Kind      string    `json:"kind"` // "message"
	MessageID string    `json:"messageId"`
	ContextID string    `json:"contextId,omitempty"`
	TaskID    string    `json:"taskId,omitempty"`
	Role      string    `json:"role"`
	Parts     []v03Part `json:"parts"`
}

type v03Part struct {
	Kind string `json:"kind"` // "text"
	Text string `json:"text"`
}

type v03Artifact struct {
	ArtifactID string    `json:"artifactId"`
	Name       string    `json:"name,omitempty"`
	Parts      []v03Part `json:"parts"`
}

type v03StatusUpdate struct {
	Kind      string    `json:"kind"` // "status-update"
	TaskID    string    `json:"taskId"`
	ContextID string    `json:"contextId"`
	Status    v03Status `json:"status"`
	Final     bool      `json:"final"`
}

type v03ArtifactUpdate struct {
	Kind      string      `json:"kind"` // "artifact-update"
	TaskID    string      `json:"taskId"`
	ContextID string      `json:"contextId"`
	Artifact  v03Artifact `json:"artifact"`
	Append    bool        `json:"append,omitempty"`
	LastChunk bool        `json:"lastChunk,omitempty"`
}

type v03Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

var v03States = map[state]string{
	submitted:     "submitted",
	working:       "working",
	inputRequired: "input-required",
	completed:     "completed",
	failed:        "failed",
	canceled:      "canceled",
}

func (v v03) payload(e event) any {
	switch e := e.(type) {
	case task:
		return v.bareTask(e)
	case message:
		return v.message(e)
	case statusUpdate:
		return v03StatusUpdate{
			Kind: "status-update", TaskID: e.taskID, ContextID: e.contextID,
			Status: v.status(e.status), Final: e.final,
		}
	case artifactUpdate:
		return v03ArtifactUpdate{
			Kind: "artifact-update", TaskID: e.taskID, ContextID: e.contextID,
			Artifact: v.artifact(e.artifact), Append: e.append, LastChunk: e.lastChunk,
		}
	}
	return nil
}

func (v v03) bareTask(t task) any {
	out := v03Task{Kind: "task", ID: t.id, ContextID: t.contextID, Status: v.status(t.status)}
	for _, a := range t.artifacts {
		out.Artifacts = append(out.Artifacts, v.artifact(a))
	}
	return out
}

func (v03) error(e *rpcError) any { return v03Error{Code: e.code, Message: e.text} }

func (v v03) status(s status) v03Status {
	out := v03Status{State: v03States[s.state], Timestamp: timestamp(s.since)}
	if s.message != nil {
		out.Message = v.message(*s.message)
	}
	return out
}

func (v v03) message(m message) *v03Message {
	return &v03Message{
		Kind: "message", MessageID: m.id, ContextID: m.contextID, TaskID: m.taskID,
		Role: "agent", Parts: v.parts([]string{m.text}),
	}
}

func (v v03) artifact(a artifact) v03Artifact {
	return v03Artifact{ArtifactID: a.id, Name: a.name, Parts: v.parts(a.parts)}
}

func (v03) parts(texts []string) []v03Part {
	out := make([]v03Part, len(texts))
	for i, text := range texts {
		out[i] = v03Part{Kind: "text", Text: text}
	}
	return out
}
