// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/a2aguard/caddy-a2a-guard/test/peers"
)

// Clients are the clients of all protocol versions that the SDK has, in one process.
type Clients struct {
	process *process
	done    chan struct{} // closed when the process writes no more

	mu    sync.Mutex // over what follows, and over writes to the process
	calls map[int]*pending
	last  int
}

// pending is a call that has not ended.
type pending struct {
	event func([]byte)
	end   chan peers.End
}

// StartClients starts a program of clients.
func StartClients(program Program) (*Clients, error) {
	p, err := start(program)
	if err != nil {
		return nil, err
	}
	c := &Clients{process: p, done: make(chan struct{}), calls: make(map[int]*pending)}
	go c.read()
	return c, nil
}

// Close ends the process. No call may be open.
func (c *Clients) Close() error {
	err := c.process.stdin.Close()
	<-c.done
	return errors.Join(err, c.process.wait())
}

// Version is the client of one protocol version, "1.0" or "0.3".
func (c *Clients) Version(version string) peers.Client { return client{c, version} }

type client struct {
	*Clients
	version string
}

// Do implements peers.Client.
func (c client) Do(ctx context.Context, call peers.Call, event func([]byte)) peers.End {
	p := &pending{event: event, end: make(chan peers.End, 1)}
	if err := c.write(c.version, call, p); err != nil {
		return peers.End{How: "error", Type: "driver", Message: err.Error()}
	}
	select {
	case end := <-p.end:
		return end
	case <-c.done:
		return peers.End{How: "error", Type: "driver", Message: "the clients' process is gone"}
	case <-ctx.Done():
		return peers.End{How: "timeout"}
	}
}

// write hands a call to the process.
func (c *Clients) write(version string, call peers.Call, p *pending) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	c.calls[c.last] = p
	line, err := json.Marshal(map[string]any{
		"id": c.last, "version": version, "verb": call.Verb, "url": call.URL, "text": call.Text,
		"task": call.Task, "context": call.Context, "millis": call.Limit.Milliseconds(), "rest": call.REST,
	})
	if err != nil {
		return err
	}
	if _, err := c.process.stdin.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("handing a call to the clients: %w", err)
	}
	return nil
}

// read hands on what the process writes, until it ends.
func (c *Clients) read() {
	defer close(c.done)
	for lines := bufio.NewReader(c.process.stdout); ; {
		text, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var line struct {
			ID    int
			Event json.RawMessage
			End   *peers.End
		}
		if err := json.Unmarshal(text, &line); err != nil {
			continue // a library's own print
		}
		c.mu.Lock()
		p := c.calls[line.ID]
		if line.End != nil {
			delete(c.calls, line.ID)
		}
		c.mu.Unlock()
		switch {
		case p == nil:
		case line.End != nil:
			p.end <- *line.End
		default:
			p.event(line.Event)
		}
	}
}
