// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"
)

// binding is how a call or an answer is put, false for JSON-RPC and true for
// HTTP+JSON.
type binding bool

// answer puts a result.
func (b binding) answer(result string) string {
	if b {
		return result
	}
	return `{"jsonrpc":"2.0","id":"q%[1]d","result":` + result + `}`
}

// call is one that clients make. Every client has a task and a context of its own.
type call struct {
	verb, path string // below the scenario's
	body       string
	answer     string
}

// asks returns a call in a binding.
func (b binding) asks(method, params, verb, path, body, result string) call {
	if b {
		return call{verb, path, body, b.answer(result)}
	}
	return call{"POST", "?" + method, `{"jsonrpc":"2.0","id":"q%[1]d","method":"` + method + `","params":` + params + `}`, b.answer(result)}
}

func (b binding) streams() call {
	return b.asks("SendStreamingMessage", messageText, "POST", "/message:stream", messageText, "")
}

func (b binding) sends() call {
	return b.asks("SendMessage", messageText, "POST", "/message:send", messageText, `{"task":`+taskText+`}`)
}

func (b binding) gets() call {
	return b.asks("GetTask", `{"id":"task-%08[1]d"}`, "GET", "/tasks/task-%08[1]d", "", taskText)
}

func (b binding) lists() call {
	return b.asks("ListTasks", `{"pageSize":1,"includeArtifacts":true}`, "GET", "/tasks?pageSize=1&includeArtifacts=true", "", `{"tasks":[`+taskText+`],"nextPageToken":"","pageSize":1,"totalSize":1}`)
}

func (b binding) cancels() call {
	return b.asks("CancelTask", `{"id":"task-%08[1]d"}`, "POST", "/tasks/task-%08[1]d:cancel", "", taskText)
}

// calls are the unary calls of a scenario, in their order.
func (s scenario) calls() []call {
	if !s.mixed {
		return []call{s.binding().sends(), s.binding().gets()}
	}
	return []call{
		binding(false).sends(), binding(true).gets(), binding(false).lists(), binding(true).cancels(),
		binding(true).sends(), binding(false).gets(), binding(true).lists(), binding(false).cancels(),
	}
}

// The words of client and agent. The padding goes where the tilde stands.
const (
	messageText = `{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"Where is order BS-1042?"}]}}`
	firstText   = `{"task":{"id":"task-%08[1]d","contextId":"ctx-%08[1]d","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-02T10:00:00Z"}}}`
	chunkText   = `{"artifactUpdate":{"taskId":"task-%08[1]d","contextId":"ctx-%08[1]d","artifact":{"artifactId":"text","parts":[{"text":"` + emptyStamp + ` ~"}]}}}`
	statusText  = `{"statusUpdate":{"taskId":"task-%08[1]d","contextId":"ctx-%08[1]d","status":{"state":"TASK_STATE_WORKING","message":{"messageId":"m2","role":"ROLE_AGENT","parts":[{"text":"` + emptyStamp + ` ~"}]}}}}`
	taskText    = `{"id":"task-%08[1]d","contextId":"ctx-%08[1]d","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-11-02T10:00:00Z"},"artifacts":[{"artifactId":"text","parts":[{"text":"~"}]}]}`

	emptyStamp = "0000000000000000" // nanoseconds since epoch
)

// inEvent puts a payload into an event.
func (b binding) inEvent(payload string) string { return "data: " + b.answer(payload) + "\n\n" }

func firstEvent(b binding, client int) []byte { return []byte(fill(b.inEvent(firstText), client)) }

// forClient is the call as a client makes it.
func (c call) forClient(client int) call {
	c.path, c.body = fill(c.path, client), fill(c.body, client)
	return c
}

// answerTo is what a client gets for a call.
func (c call) answerTo(client int) []byte { return render(c.answer, client, answerSize) }

// event is one of the events that a stream repeats.
type event struct {
	bytes []byte
	stamp int // where its stamp stands
}

// statusEvery is how many events of a stream bring one status update. The others
// are chunks of an artifact.
const statusEvery = 32

// newEvents makes the events of a client's stream, in their order.
func newEvents(b binding, client int) (events [statusEvery]event) {
	for i := range events {
		text := chunkText
		if i == 0 {
			text = statusText
		}
		events[i].bytes = render(b.inEvent(text), client, eventSize)
		events[i].stamp = bytes.Index(events[i].bytes, []byte(emptyStamp))
	}
	return events
}

// fill puts a client's number into a text.
func fill(text string, client int) string {
	if !strings.Contains(text, "%") {
		return text
	}
	return fmt.Sprintf(text, client)
}

// render fills a text and pads it to a size.
func render(text string, client, size int) []byte {
	text = fill(text, client)
	return []byte(strings.Replace(text, "~", strings.Repeat("~", max(size-len(text)+1, 0)), 1))
}

// stamped writes the present moment into an event.
func (e event) stamped() []byte {
	now := time.Since(epoch)
	for i := e.stamp + len(emptyStamp) - 1; i >= e.stamp; i-- {
		e.bytes[i] = byte('0' + now%10)
		now /= 10
	}
	return e.bytes
}

var errChanged = errors.New("an event came out other than it went in")

// readStamp takes the stamp of an event as it came and checks that all else is as
// it was sent.
func (e event) readStamp(came []byte) (stamp time.Duration, err error) {
	end := e.stamp + len(emptyStamp)
	if !bytes.Equal(came[:e.stamp], e.bytes[:e.stamp]) || !bytes.Equal(came[end:], e.bytes[end:]) {
		return 0, fmt.Errorf("%w: %.300q", errChanged, came)
	}
	for _, digit := range came[e.stamp:end] {
		stamp = stamp*10 + time.Duration(digit-'0')
	}
	return stamp, nil
}
