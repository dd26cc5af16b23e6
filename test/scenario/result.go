// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"bytes"
	"slices"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard"
)

// Result is what came of an exchange.
type Result struct {
	Status      int
	ContentType string
	Header      func(name string) string // of the response, nil where there is none
	Committed   bool                     // the head reached the client
	CommittedAt time.Duration            // since the request
	Writes      []Write
	EndedAt     time.Duration
	Broken      bool // the body broke off
	Left        bool // the client went first
	Cut         bool // the agent was cut off before its end

	// Reached gives the header fields that reached the agent, nil where there are
	// none.
	Reached func(name string) string
	// Reports are the violations with their actions.
	Reports []string
	Asked   []string // the methods of the guard's own questions

	// Exact is true where the clock is the file's own.
	Exact bool
	// Core is what only the core tells, nil for another player.
	Core *CoreResult
}

// CoreResult is what only the core tells.
type CoreResult struct {
	Broken       []guard.Violation // reported or noticed
	Notices      []string
	End, Settled string
	// Before holds, for each of the agent's steps, what the client had got by
	// then.
	Before []Mark
}

// Mark is a point in a client's answer.
type Mark struct {
	Committed bool
	Bytes     int // without heartbeats
}

// Write is a piece of an answer's body.
type Write struct {
	At   time.Duration // since the request
	Data []byte
}

// Body returns the whole body.
func (r *Result) Body() []byte {
	parts := make([][]byte, len(r.Writes))
	for i, w := range r.Writes {
		parts[i] = w.Data
	}
	return bytes.Join(parts, nil)
}

// heartbeat is the guard's comment line.
var heartbeat = []byte(": a2a-guard\n")

// Mark tells how far the answer has come.
func (r *Result) Mark() Mark {
	m := Mark{Committed: r.Committed}
	for _, w := range r.Writes {
		m.Bytes += len(w.Data) - len(heartbeat)*bytes.Count(w.Data, heartbeat)
	}
	return m
}

// Events counts the events that the client has got whole.
func (r *Result) Events() (n int) {
	for block := range bytes.SplitSeq(bytes.ReplaceAll(r.Body(), []byte("\r"), nil), []byte("\n\n")) {
		if bytes.HasPrefix(block, []byte("data:")) || bytes.Contains(block, []byte("\ndata:")) {
			n++
		}
	}
	if body := r.Body(); len(body) > 0 && !bytes.HasSuffix(bytes.ReplaceAll(body, []byte("\r"), nil), []byte("\n\n")) {
		n = max(n-1, 0)
	}
	return n
}

// moment tells when the byte at an offset of the body came.
func (r *Result) moment(offset int) time.Duration {
	for _, w := range r.Writes {
		if offset < len(w.Data) {
			return w.At
		}
		offset -= len(w.Data)
	}
	return 0
}

// sorted returns a sorted copy.
func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }
