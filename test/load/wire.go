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

// The calls. Every client has a task and a context of its own.
const (
	streamCall = `{"jsonrpc":"2.0","id":"q%[1]d","method":"SendStreamingMessage","params":{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"Where is order BS-1042?"}]}}}`
	sendCall   = `{"jsonrpc":"2.0","id":"q%[1]d","method":"SendMessage","params":{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"Where is order BS-1042?"}]}}}`
	getCall    = `{"jsonrpc":"2.0","id":"q%[1]d","method":"GetTask","params":{"id":"task-%08[1]d"}}`
)

// The agent's words. The padding goes where the tilde stands.
const (
	firstText  = `data: {"jsonrpc":"2.0","id":"q%[1]d","result":{"task":{"id":"task-%08[1]d","contextId":"ctx-%08[1]d","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-11-02T10:00:00Z"}}}}` + "\n\n"
	chunkText  = `data: {"jsonrpc":"2.0","id":"q%[1]d","result":{"artifactUpdate":{"taskId":"task-%08[1]d","contextId":"ctx-%08[1]d","artifact":{"artifactId":"text","parts":[{"text":"` + emptyStamp + ` ~"}]}}}}` + "\n\n"
	statusText = `data: {"jsonrpc":"2.0","id":"q%[1]d","result":{"statusUpdate":{"taskId":"task-%08[1]d","contextId":"ctx-%08[1]d","status":{"state":"TASK_STATE_WORKING","message":{"messageId":"m2","role":"ROLE_AGENT","parts":[{"text":"` + emptyStamp + ` ~"}]}}}}}` + "\n\n"
	taskText   = `{"id":"task-%08[1]d","contextId":"ctx-%08[1]d","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-11-02T10:00:00Z"},"artifacts":[{"artifactId":"text","parts":[{"text":"~"}]}]}`
	getText    = `{"jsonrpc":"2.0","id":"q%[1]d","result":` + taskText + `}`
	sentText   = `{"jsonrpc":"2.0","id":"q%[1]d","result":{"task":` + taskText + `}}`

	emptyStamp = "0000000000000000" // nanoseconds since epoch
)

func firstEvent(client int) []byte { return fmt.Appendf(nil, firstText, client) }

func taskAnswer(client int) []byte { return render(getText, client, answerSize) }

func sendAnswer(client int) []byte { return render(sentText, client, answerSize) }

// event is one of the events that a stream repeats.
type event struct {
	bytes []byte
	stamp int // where its stamp stands
}

// statusEvery is how many events of a stream bring one status update. The others
// are chunks of an artifact.
const statusEvery = 32

// newEvents makes the events of a client's stream, in their order.
func newEvents(client int) (events [statusEvery]event) {
	for i := range events {
		text := chunkText
		if i == 0 {
			text = statusText
		}
		events[i].bytes = render(text, client, eventSize)
		events[i].stamp = bytes.Index(events[i].bytes, []byte(emptyStamp))
	}
	return events
}

// render fills a text and pads it to a size.
func render(text string, client, size int) []byte {
	text = fmt.Sprintf(text, client)
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
