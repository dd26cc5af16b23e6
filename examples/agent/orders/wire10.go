// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package orders

// Protocol 1.0 on the wire (A2A 1.0 §9.4): a payload is wrapped in a member
// that names its type, and enum values are spelt as in the proto.

type v10 struct{}

// v10Payload is SendMessageResponse and StreamResponse: exactly one is set.
type v10Payload struct {
	Task           *v10Task           `json:"task,omitempty"`
	Message        *v10Message        `json:"message,omitempty"`
	StatusUpdate   *v10StatusUpdate   `json:"statusUpdate,omitempty"`
	ArtifactUpdate *v10ArtifactUpdate `json:"artifactUpdate,omitempty"`
}

type v10Task struct {
	ID        string        `json:"id"`
	ContextID string        `json:"contextId"`
	Status    v10Status     `json:"status"`
	Artifacts []v10Artifact `json:"artifacts,omitempty"`
}

type v10Status struct {
	State     string      `json:"state"`
	Message   *v10Message `json:"message,omitempty"`
	Timestamp string      `json:"timestamp"`
}

type v10Message struct {
	MessageID string    `json:"messageId"`
	ContextID string    `json:"contextId,omitempty"`
	TaskID    string    `json:"taskId,omitempty"`
	Role      string    `json:"role"`
	Parts     []v10Part `json:"parts"`
}

type v10Part struct {
	Text string `json:"text"`
}

type v10Artifact struct {
	ArtifactID string    `json:"artifactId"`
	Name       string    `json:"name,omitempty"`
	Parts      []v10Part `json:"parts"`
}

type v10StatusUpdate struct {
	TaskID    string    `json:"taskId"`
	ContextID string    `json:"contextId"`
	Status    v10Status `json:"status"`
}

type v10ArtifactUpdate struct {
	TaskID    string      `json:"taskId"`
	ContextID string      `json:"contextId"`
	Artifact  v10Artifact `json:"artifact"`
	Append    bool        `json:"append,omitempty"`
	LastChunk bool        `json:"lastChunk,omitempty"`
}

// v10Error has details, each with a type; A2A's own errors have an ErrorInfo
// (A2A 1.0 §9.5).
type v10Error struct {
	Code    int            `json:"code"`
	Message string         `json:"message"`
	Data    []v10ErrorInfo `json:"data,omitempty"`
}

type v10ErrorInfo struct {
	Type   string `json:"@type"`
	Reason string `json:"reason"`
	Domain string `json:"domain"`
}

var v10States = map[state]string{
	submitted:     "TASK_STATE_SUBMITTED",
	working:       "TASK_STATE_WORKING",
	inputRequired: "TASK_STATE_INPUT_REQUIRED",
	completed:     "TASK_STATE_COMPLETED",
	failed:        "TASK_STATE_FAILED",
	canceled:      "TASK_STATE_CANCELED",
}

var v10Reasons = map[int]string{
	taskNotFound:         "TASK_NOT_FOUND",
	taskNotCancelable:    "TASK_NOT_CANCELABLE",
	unsupportedOperation: "UNSUPPORTED_OPERATION",
}

func (v v10) payload(e event) any {
	switch e := e.(type) {
	case task:
		return v10Payload{Task: v.task(e)}
	case message:
		return v10Payload{Message: v.message(e)}
	case statusUpdate:
		return v10Payload{StatusUpdate: &v10StatusUpdate{
			TaskID: e.taskID, ContextID: e.contextID, Status: v.status(e.status),
		}}
	case artifactUpdate:
		return v10Payload{ArtifactUpdate: &v10ArtifactUpdate{
			TaskID: e.taskID, ContextID: e.contextID, Artifact: v.artifact(e.artifact),
			Append: e.append, LastChunk: e.lastChunk,
		}}
	}
	return nil
}

func (v v10) bareTask(t task) any { return v.task(t) }

func (v10) error(e *rpcError) any {
	out := v10Error{Code: e.code, Message: e.text}
	if reason, ok := v10Reasons[e.code]; ok {
		out.Data = []v10ErrorInfo{{
			Type: "type.googleapis.com/google.rpc.ErrorInfo", Reason: reason, Domain: "a2a-protocol.org",
		}}
	}
	return out
}

func (v v10) task(t task) *v10Task {
	out := &v10Task{ID: t.id, ContextID: t.contextID, Status: v.status(t.status)}
	for _, a := range t.artifacts {
		out.Artifacts = append(out.Artifacts, v.artifact(a))
	}
	return out
}

func (v v10) status(s status) v10Status {
	out := v10Status{State: v10States[s.state], Timestamp: timestamp(s.since)}
	if s.message != nil {
		out.Message = v.message(*s.message)
	}
	return out
}

func (v v10) message(m message) *v10Message {
	return &v10Message{
		MessageID: m.id, ContextID: m.contextID, TaskID: m.taskID,
		Role: "ROLE_AGENT", Parts: v.parts([]string{m.text}),
	}
}

func (v v10) artifact(a artifact) v10Artifact {
	return v10Artifact{ArtifactID: a.id, Name: a.name, Parts: v.parts(a.parts)}
}

func (v10) parts(texts []string) []v10Part {
	out := make([]v10Part, len(texts))
	for i, text := range texts {
		out[i] = v10Part{Text: text}
	}
	return out
}
