// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// rpcReply is a JSON-RPC response in either version's shape, read by its keys: a
// second opinion on wire10.go and wire03.go.
type rpcReply struct {
	ID     json.RawMessage `json:"id"`
	Result *struct {
		anyPayload
		Task           *anyPayload `json:"task"` // 1.0 wraps
		StatusUpdate   *anyPayload `json:"statusUpdate"`
		ArtifactUpdate *anyPayload `json:"artifactUpdate"`
		Wrapped        *anyPayload `json:"message"`
	} `json:"result"`
	Error *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    []any  `json:"data"`
	} `json:"error"`
}

type anyPayload struct {
	Kind      string        `json:"kind"` // 0.3
	ID        string        `json:"id"`
	TaskID    string        `json:"taskId"`
	ContextID string        `json:"contextId"`
	MessageID string        `json:"messageId"`
	Final     *bool         `json:"final"` // 0.3
	Append    bool          `json:"append"`
	LastChunk bool          `json:"lastChunk"`
	Artifact  *anyArtifact  `json:"artifact"`
	Artifacts []anyArtifact `json:"artifacts"`
	Status    *struct {
		State string `json:"state"`
	} `json:"status"`
}

type anyArtifact struct {
	ArtifactID string           `json:"artifactId"`
	Parts      []map[string]any `json:"parts"`
}

func parseReply(t *testing.T, body []byte) (r rpcReply) {
	t.Helper()
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatalf("%v in %q", err, body)
	}
	if (r.Result == nil) == (r.Error == nil) {
		t.Fatalf("neither or both of result and error: %s", body)
	}
	return r
}

// payload unwraps the result.
func (r rpcReply) payload() anyPayload {
	switch {
	case r.Result == nil:
		return anyPayload{}
	case r.Result.Task != nil:
		return *r.Result.Task
	case r.Result.StatusUpdate != nil:
		return *r.Result.StatusUpdate
	case r.Result.ArtifactUpdate != nil:
		return *r.Result.ArtifactUpdate
	case r.Result.Wrapped != nil:
		return *r.Result.Wrapped
	}
	return r.Result.anyPayload
}

func (r rpcReply) taskID() string {
	p := r.payload()
	return p.ID + p.TaskID
}

// notation tells the response as the package documentation does.
func (r rpcReply) notation() string {
	if r.Error != nil {
		return fmt.Sprintf("E(%d)", r.Error.Code)
	}
	p := r.payload()
	switch {
	case p.Artifact != nil:
		return p.artifactNotation()
	case p.MessageID != "":
		return "M"
	case p.ID != "":
		return "T(" + stateNotation(p.Status.State) + ")"
	}
	word := "S(" + stateNotation(p.Status.State) + ")"
	settled := strings.Contains("COMPLETED FAILED CANCELED INPUT_REQUIRED", stateNotation(p.Status.State))
	if p.Final != nil && *p.Final != settled {
		word += "!"
	}
	return word
}

// artifactNotation tells chunks of the report by their text and checks their
// flags.
func (p anyPayload) artifactNotation() string {
	if p.Artifact.ArtifactID == "receipt" && !p.Append && p.LastChunk {
		return "R"
	}
	for i, text := range book["BS-1042"].report {
		if p.Artifact.Parts[0]["text"] == text && p.Append == (i > 0) && p.LastChunk == (i == 2) {
			return fmt.Sprint("A", i+1)
		}
	}
	return fmt.Sprintf("A?%v", p)
}

func stateNotation(state string) string {
	return strings.ReplaceAll(strings.ToUpper(strings.TrimPrefix(state, "TASK_STATE_")), "-", "_")
}
