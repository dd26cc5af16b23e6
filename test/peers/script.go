// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers

import "encoding/json"

// A Script is what an agent does in one turn, in order.
type Script []Step

// A Step of a script. js/script.js plays the same steps.
type Step struct {
	// Do is what to do: publish a "task", a "status", an "artifact" or a "message";
	// "wait" for Millis; "hang" until the task is canceled; "throw" an error with
	// Text; or obey, "throw" at or "ignore" a later cancellation, as Text says
	// ("on-cancel").
	Do string `json:"do"`
	// State is a task state in the spelling of protocol 0.3.
	State string `json:"state,omitempty"`
	// Final marks a status as the turn's last one. Only protocol 0.3 has the mark.
	Final bool `json:"final,omitempty"`
	// Artifact is an artifact's id.
	Artifact string `json:"artifact,omitempty"`
	// Text of the artifact, message, status or error.
	Text string `json:"text,omitempty"`
	// Append and Last mark an artifact's chunk.
	Append bool `json:"append,omitempty"`
	Last   bool `json:"last,omitempty"`
	// Millis is how long to wait.
	Millis int `json:"millis,omitempty"`
}

// Text is the script as the text of a user's message.
func (s Script) Text() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a Step holds nothing that cannot be written
	}
	return string(text)
}
