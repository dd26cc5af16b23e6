// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/examples/agent/orders"
)

// client calls an agent as any A2A client would, and tells what it sees.
type client struct {
	http     *http.Client
	url      string
	patience time.Duration // how long it waits for the next event
}

// errImpatient is the client's own end of a call.
var errImpatient = errors.New("the client's patience ran out")

// dialect is how a version of the protocol spells what the demo says.
type dialect struct {
	version, stream, cancel, role string
}

var (
	v10 = dialect{version: "1.0", stream: "SendStreamingMessage", cancel: "CancelTask", role: "ROLE_USER"}
	v03 = dialect{version: "0.3", stream: "message/stream", cancel: "tasks/cancel", role: "user"}
)

// ask is the request that asks for an order and for a fault. It is also shown as
// something to type; contextID may be empty.
func (d dialect) ask(contextID string, fault orders.Fault) string {
	var members string
	if contextID != "" {
		members = fmt.Sprintf(`,"contextId":"%s"`, contextID)
	}
	part := fmt.Sprintf(`"text":"BS-1042 fault=%s"`, fault)
	if d == v03 {
		members += `,"kind":"message"`
		part = `"kind":"text",` + part
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"%s","params":{"message":{"messageId":"m1","role":"%s"%s,"parts":[{%s}]}}}`,
		d.stream, d.role, members, part)
}

// play makes the scenario's call and shows the account of it as it grows, the
// last time when the call has ended. The error is the demo's, not the agent's.
func (c *client) play(ctx context.Context, s *scenario, show func(account)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	renew := after(ctx, c.patience, func() { cancel(errImpatient) })

	a := &account{legacy: s.legacy}
	cancels := s.cancels
	resp, err := c.post(ctx, s.dialect().ask(s.contextID(), s.fault))
	if err == nil {
		defer resp.Body.Close()
		err = c.read(resp, a, func(p *payload) error {
			renew()
			show(*a)
			if !cancels || p == nil || p.Artifact == nil {
				return nil
			}
			cancels = false
			return c.cancelTask(ctx, s.dialect(), p.taskID(), a)
		})
	}
	switch {
	case errors.Is(context.Cause(ctx), errImpatient):
		a.close("hangs")
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, io.ErrUnexpectedEOF):
		a.close("breaks off")
	case err != nil:
		return err
	case !a.isA2A && resp.StatusCode != http.StatusOK:
		a.close(fmt.Sprintf("HTTP %d", resp.StatusCode))
	case !a.isA2A:
		a.close("not A2A")
	default:
		a.close("")
	}
	show(*a)
	return nil
}

// after calls f once d has passed since the last renewal, unless ctx ends before.
// It counts small steps, so that a machine which stands still for a while, with
// the agent on it, does not use up the time.
func after(ctx context.Context, d time.Duration, f func()) (renew func()) {
	const steps = 20
	var left atomic.Int32
	left.Store(steps)
	go func() {
		ticker := time.NewTicker(d / steps)
		defer ticker.Stop()
		for left.Add(-1) >= 0 {
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
		}
		f()
	}()
	return func() { left.Store(steps) }
}

func (c *client) post(ctx context.Context, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream, application/json")
	return c.http.Do(r)
}

// read reads an answer to its end and calls next after each event.
func (c *client) read(resp *http.Response, a *account, next func(*payload) error) error {
	switch kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind {
	case "text/event-stream":
		a.isA2A = true
		return readEvents(resp.Body, a, next)
	case "application/json":
		a.isA2A = true
		body, err := io.ReadAll(resp.Body)
		a.Body = body
		if err != nil {
			return err
		}
		return next(a.addFrame(body))
	}
	body, err := io.ReadAll(resp.Body)
	a.Body = body
	return err
}

// readEvents reads an event stream. Half an event at its end counts as one mark.
func readEvents(stream io.Reader, a *account, next func(*payload) error) error {
	lines := bufio.NewReader(stream)
	var data []byte
	for {
		line, err := lines.ReadBytes('\n')
		a.Body = append(a.Body, line...)
		text, isData := bytes.CutPrefix(bytes.TrimRight(line, "\r\n"), []byte("data:"))
		switch {
		case err != nil:
			if len(line)+len(data) > 0 {
				a.add("/", true)
			}
			if err == io.EOF {
				return nil
			}
			return err
		case isData:
			data = append(data, text...)
		case len(text) == 0 && len(data) > 0:
			if err := next(a.addFrame(data)); err != nil {
				return err
			}
			data = data[:0]
		}
	}
}

// cancelTask asks the agent to cancel the task and notes what comes of it.
func (c *client) cancelTask(ctx context.Context, d dialect, taskID string, a *account) error {
	resp, err := c.post(ctx, fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"%s","params":{"id":"%s"}}`, d.cancel, taskID))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var r response
	if err := json.NewDecoder(resp.Body).Decode(&r); err != nil {
		return fmt.Errorf("reading the answer to %s: %w", d.cancel, err)
	}
	if r.Error != nil {
		a.add("k!", true)
	} else {
		a.add("k", false)
	}
	return nil
}
