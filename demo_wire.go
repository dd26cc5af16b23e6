// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"strings"
)

// response is what the demo's client reads of a JSON-RPC response, in the shapes
// of protocol 1.0 (A2A 1.0 §9.4) and 0.3 (A2A 0.3 §7).
type response struct {
	Result *result `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// result is a stream's payload: 1.0 wraps it in a member that names its type, in
// 0.3 its fields stand beside its kind.
type result struct {
	Task           *payload `json:"task"`
	Message        *payload `json:"message"`
	StatusUpdate   *payload `json:"statusUpdate"`
	ArtifactUpdate *payload `json:"artifactUpdate"`

	Kind string `json:"kind"`
	payload
}

// payload has the fields of all types.
type payload struct {
	ID     string `json:"id"`
	TaskID string `json:"taskId"`
	Status *struct {
		State   string          `json:"state"`
		Message json.RawMessage `json:"message"`
	} `json:"status"`
	Artifact  json.RawMessage `json:"artifact"`
	Append    bool            `json:"append"`
	LastChunk bool            `json:"lastChunk"`
	Final     bool            `json:"final"`
}

// open returns the payload itself; isMessage tells a Message from the others,
// which are known by their fields.
func (r *result) open() (p *payload, isMessage bool) {
	for _, p := range []*payload{r.Task, r.StatusUpdate, r.ArtifactUpdate} {
		if p != nil {
			return p, false
		}
	}
	if r.Message != nil {
		return r.Message, true
	}
	return &r.payload, r.Kind == "message"
}

func (p *payload) taskID() string {
	if p.TaskID != "" {
		return p.TaskID
	}
	return p.ID
}

// state is a task's state in the spelling of both versions, without prefix
// ("COMPLETED", "INPUT_REQUIRED").
func (p *payload) state() string {
	if p.Status == nil {
		return ""
	}
	name := strings.TrimPrefix(p.Status.State, "TASK_STATE_")
	return strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// stateMarks are the states in the table's notation.
var stateMarks = map[string]string{
	"SUBMITTED": "S", "WORKING": "W", "INPUT_REQUIRED": "I", "AUTH_REQUIRED": "U",
	"COMPLETED": "C", "FAILED": "F", "CANCELED": "X", "REJECTED": "R",
}

// isTerminal says whether a task can change no more (A2A 1.0 §4.1.3).
func isTerminal(state string) bool {
	switch state {
	case "COMPLETED", "FAILED", "CANCELED", "REJECTED":
		return true
	}
	return false
}
