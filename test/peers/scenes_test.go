// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers_test

import (
	"context"
	"sync"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/test/peers"
)

// A scene is what an agent plays and what a client does to it.
type scene struct {
	name string
	play func(*caller)
}

// A caller makes the calls of a scene with one client at one address.
type caller struct {
	client peers.Client
	url    string
	// limit is how long a call may last.
	limit time.Duration
	calls []madeCall
}

// A madeCall is what came of a call.
type madeCall struct {
	verb string
	peers.Transcript
}

// do makes a call and keeps its transcript. watch, if any, is told of each event.
func (c *caller) do(call peers.Call, watch func(peers.Event)) madeCall {
	call.URL, call.Limit = c.url, c.limit
	made := madeCall{call.Verb, peers.Record(context.Background(), c.client, call, watch)}
	c.calls = append(c.calls, made)
	return made
}

func (c *caller) stream(script ...peers.Step) madeCall {
	return c.do(peers.Call{Verb: "stream", Text: peers.Script(script).Text()}, nil)
}

func (c *caller) send(script ...peers.Step) madeCall {
	return c.do(peers.Call{Verb: "send", Text: peers.Script(script).Text()}, nil)
}

// again sends a further message to the task of an earlier call.
func (c *caller) again(verb string, earlier madeCall, script ...peers.Step) madeCall {
	task, context := earlier.Task()
	return c.do(peers.Call{Verb: verb, Text: peers.Script(script).Text(), Task: task, Context: context}, nil)
}

// about makes a call about the task of an earlier one, if that brought a task.
func (c *caller) about(verb string, earlier madeCall) {
	if task, _ := earlier.Task(); task != "" {
		c.do(peers.Call{Verb: verb, Task: task}, nil)
	}
}

// during makes a second call about the streaming task as soon as it works, and
// returns when both have ended.
func (c *caller) during(verb string, script ...peers.Step) madeCall {
	second := &caller{client: c.client, url: c.url, limit: c.limit}
	var both sync.WaitGroup
	var once sync.Once
	first := c.do(peers.Call{Verb: "stream", Text: peers.Script(script).Text()}, func(e peers.Event) {
		if e.State == "working" {
			once.Do(func() { both.Go(func() { second.do(peers.Call{Verb: verb, Task: e.Task}, nil) }) })
		}
	})
	both.Wait()
	c.calls = append(c.calls, second.calls...)
	return first
}
