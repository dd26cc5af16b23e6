// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"time"
)

// scenario is one kind of load.
type scenario struct {
	name    string
	kind    kind
	plain   bool          // HTTP+JSON, not JSON-RPC
	mixed   bool          // calls of all sorts, in both bindings by turns
	clients int           // at the same time
	every   time.Duration // between two events of a stream, or what the agent takes for a call; 0 for as fast as it goes
	limit   float64       // of the ratio that counts
}

type kind uint8

const (
	streaming kind = iota // events flow; CPU time per event counts
	unary                 // calls follow each other; CPU time per call counts
	idle                  // streams stay open; memory per stream counts
)

var scenarios = []scenario{
	{name: "paced", kind: streaming, clients: 64, every: 5 * time.Millisecond, limit: 1.10},
	{name: "unpaced", kind: streaming, clients: 64, limit: 1.50},
	{name: "unary", kind: unary, clients: 16, every: 5 * time.Millisecond, limit: 1.15},
	{name: "unary-unpaced", kind: unary, clients: 16, limit: 1.30},
	{name: "rest-paced", kind: streaming, plain: true, clients: 64, every: 5 * time.Millisecond, limit: 1.10},
	{name: "rest-unary", kind: unary, plain: true, clients: 16, every: 5 * time.Millisecond, limit: 1.15},
	{name: "mix", kind: unary, mixed: true, clients: 16, every: 5 * time.Millisecond, limit: 1.15},
	{name: "idle", kind: idle, clients: 2000, limit: 1.15},
}

// String describes the load.
func (s scenario) String() string {
	over, calls := "", "SendMessage and GetTask"
	if s.plain {
		over = " over HTTP+JSON"
	}
	switch {
	case s.mixed:
		return fmt.Sprintf("%d clients, calls of four sorts in both bindings, answers of %d bytes after %v", s.clients, answerSize, s.every)
	case s.kind == idle:
		return fmt.Sprintf("%d open streams that wait", s.clients)
	case s.kind == unary && s.every == 0:
		return fmt.Sprintf("%d clients, %s%s, answers of %d bytes at once", s.clients, calls, over, answerSize)
	case s.kind == unary:
		return fmt.Sprintf("%d clients, %s%s, answers of %d bytes after %v", s.clients, calls, over, answerSize, s.every)
	case s.every == 0:
		return fmt.Sprintf("%d streams, events of %d bytes as fast as they go", s.clients, eventSize)
	}
	return fmt.Sprintf("%d streams%s, an event of %d bytes every %v", s.clients, over, eventSize, s.every)
}

// unit is what the scenario's figure is divided by.
func (k kind) unit() string { return [...]string{streaming: "event", unary: "call", idle: "stream"}[k] }

// path is where the agent takes the scenario's calls: in HTTP+JSON a tenant's.
func (s scenario) path() string { return "/" + s.name }

// binding is that of a stream.
func (s scenario) binding() binding { return binding(s.plain) }
