// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/examples/agent/orders"
)

// A conversation is what a client does in one go. Errors are the agent's, and
// part of the show.
type conversation func(ctx context.Context, c *client)

// patience is how long a client waits for a stream's end.
const patience = 30 * time.Second

// wellBehaved are the conversations of clients and agent at their best, in the
// proportions of an ordinary day.
var wellBehaved = []conversation{
	stream("SendStreamingMessage", orders.None),
	stream("message/stream", orders.None),
	stream("SendStreamingMessage", orders.None),
	func(ctx context.Context, c *client) {
		task := taskID(c.message(ctx, "SendMessage", "BS-1042"))
		c.task(ctx, "GetTask", task)
	},
	stream("SendStreamingMessage", orders.None),
	func(ctx context.Context, c *client) { // is asked back, and changes its mind
		task := taskID(c.message(ctx, "SendStreamingMessage", "Where is it?"))
		c.task(ctx, "CancelTask", task)
	},
	stream("message/stream", orders.None),
	func(ctx context.Context, c *client) {
		task := taskID(c.message(ctx, "message/send", "BS-1042"))
		c.task(ctx, "tasks/get", task)
	},
	func(ctx context.Context, c *client) { // leaves, and comes back
		task := taskID(c.leave(ctx, "SendStreamingMessage", "BS-1042"))
		c.task(ctx, "SubscribeToTask", task)
	},
	stream("SendStreamingMessage", orders.None),
}

// faulty are all faults of the example agent.
var faulty = func() []conversation {
	var all []conversation
	for _, fault := range orders.Faults() {
		method := "SendStreamingMessage"
		if fault == orders.WrongFinal {
			method = "message/stream" // the flag is one of 0.3
		}
		all = append(all, stream(method, fault))
	}
	return append(all, func(ctx context.Context, c *client) { c.call(ctx, "NoSuchMethod", map[string]any{}) })
}()

func stream(method string, fault orders.Fault) conversation {
	return func(ctx context.Context, c *client) {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		c.message(ctx, method, "BS-1042 fault="+string(fault))
	}
}

// plan deals conversations out in turn, so that every run is alike.
type plan struct {
	share float64 // of faulty ones
	owed  float64 // faulty conversations that are due

	well, ill int
}

func (p *plan) conversation() conversation {
	p.owed += p.share
	if p.owed >= 1 {
		p.owed--
		p.ill++
		return faulty[(p.ill-1)%len(faulty)]
	}
	p.well++
	return wellBehaved[(p.well-1)%len(wellBehaved)]
}
