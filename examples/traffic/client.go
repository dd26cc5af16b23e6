// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
)

// client makes JSON-RPC calls of protocol 1.0 and 0.3; the method's name tells
// which.
type client struct {
	http *http.Client
	url  string
	sent atomic.Int64 // messages
}

// maxAnswer bounds what is read of an answer.
const maxAnswer = 1 << 20

// message sends a user's message and returns what came back.
func (c *client) message(ctx context.Context, method, text string) []byte {
	answer := c.send(ctx, method, text)
	if answer == nil {
		return nil
	}
	defer answer.Close()
	body, _ := io.ReadAll(io.LimitReader(answer, maxAnswer)) // half an answer tells the task, too
	return body
}

// leave sends a user's message and leaves after the first bytes of the answer.
func (c *client) leave(ctx context.Context, method, text string) []byte {
	answer := c.send(ctx, method, text)
	if answer == nil {
		return nil
	}
	defer answer.Close()
	first := make([]byte, 1024)
	n, _ := answer.Read(first)
	return first[:n]
}

func (c *client) send(ctx context.Context, method, text string) io.ReadCloser {
	message := map[string]any{"messageId": fmt.Sprintf("m-%d", c.sent.Add(1))}
	if strings.Contains(method, "/") { // 0.3
		message["kind"], message["role"] = "message", "user"
		message["parts"] = []any{map[string]string{"kind": "text", "text": text}}
	} else {
		message["role"] = "ROLE_USER"
		message["parts"] = []any{map[string]string{"text": text}}
	}
	return c.open(ctx, method, map[string]any{"message": message})
}

// task makes a call about a task, unless it is unknown.
func (c *client) task(ctx context.Context, method, id string) {
	if id != "" {
		c.call(ctx, method, map[string]any{"id": id})
	}
}

// call makes a call and reads its answer.
func (c *client) call(ctx context.Context, method string, params any) {
	if answer := c.open(ctx, method, params); answer != nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(answer, maxAnswer))
		_ = answer.Close()
	}
}

// open makes a call and returns its answer's body; nil if nobody answers.
func (c *client) open(ctx context.Context, method string, params any) io.ReadCloser {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return nil
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil
	}
	request.Header.Set("Content-Type", "application/json")
	if !strings.Contains(method, "/") {
		request.Header.Set("A2A-Version", "1.0")
	}
	request.Header.Set("Authorization", "Bearer example") // the guard remembers tasks for those who are somebody
	response, err := c.http.Do(request)
	if err != nil {
		return nil
	}
	return response.Body
}

var taskMember = regexp.MustCompile(`"taskId":\s*"([^"]+)"|"id":\s*"([^"]+)"`)

// taskID finds the first task in an answer; JSON-RPC ids of this client are
// numbers.
func taskID(answer []byte) string {
	found := taskMember.FindSubmatch(answer)
	if found == nil {
		return ""
	}
	return string(found[1]) + string(found[2])
}
