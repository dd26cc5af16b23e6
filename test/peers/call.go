// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"
)

// A Call is one operation of a client.
type Call struct {
	// Verb is "stream", "send", "get", "cancel" or "subscribe".
	Verb string
	// URL is where the agent, or what stands before it, takes calls.
	URL string
	// REST has the call made in HTTP+JSON, not in JSON-RPC.
	REST bool
	// Text is the user's message to "stream" and "send".
	Text string
	// Task is the id of the task that is meant; with a message it may be empty, and
	// then so is Context.
	Task, Context string
	// Limit is how long the client waits for the end of the call.
	Limit time.Duration
}

// A Client makes calls with one official client library. It is safe for
// concurrent use.
type Client interface {
	// Do makes a call and hands on each event that the library yields, as wire JSON
	// written by the library itself.
	Do(ctx context.Context, call Call, event func(wire []byte)) End
}

// End is how a call ended for the caller of a library.
type End struct {
	// How is "ok", "error" or "timeout": nothing came within the call's limit.
	How string `json:"how"`
	// Type is what the library calls the error, Code its JSON-RPC code, 0 if the
	// error has none.
	Type    string `json:"type"`
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e End) String() string {
	if e.How != "error" {
		return e.How
	}
	if e.Code == 0 {
		return fmt.Sprintf("error %q", e.Message)
	}
	return fmt.Sprintf("error %d", e.Code)
}

// EndOf tells how a call of a Go library ended. The library's own errors are
// known by their JSON-RPC codes.
func EndOf(ctx context.Context, err error, errorsByCode map[int]error) End {
	switch {
	case err == nil:
		return End{How: "ok"}
	case ctx.Err() != nil:
		return End{How: "timeout"}
	}
	end := End{How: "error", Type: fmt.Sprintf("%T", err), Message: err.Error()}
	for code, known := range errorsByCode {
		if errors.Is(err, known) {
			end.Code, end.Type = code, known.Error()
		}
	}
	return end
}

// Each hands on each event that a Go library yields.
func Each[E any](events iter.Seq2[E, error], event func(E) error) error {
	for e, err := range events {
		if err != nil {
			return err
		}
		if err := event(e); err != nil {
			return err
		}
	}
	return nil
}

// A Transcript is a call as its caller saw it.
type Transcript struct {
	Events []Event
	End    End
}

// String is the transcript without what differs from run to run.
func (t Transcript) String() string {
	var b strings.Builder
	for _, event := range t.Events {
		b.WriteString(event.String())
		b.WriteByte(' ')
	}
	return b.String() + "=> " + t.End.String()
}

// Task is the id of the task that the transcript tells of, with its context.
func (t Transcript) Task() (id, context string) {
	for _, event := range t.Events {
		if event.Task != "" {
			return event.Task, event.Context
		}
	}
	return "", ""
}

// Record makes a call and writes it down. seen, if any, is told of each event.
func Record(ctx context.Context, client Client, call Call, seen func(Event)) Transcript {
	var t Transcript
	t.End = client.Do(ctx, call, func(wire []byte) {
		event := ParseEvent(wire)
		t.Events = append(t.Events, event)
		if seen != nil {
			seen(event)
		}
	})
	return t
}
