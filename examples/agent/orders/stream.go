// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"context"
	"net/http"
)

// What a stream can carry besides the protocol's events.
type (
	comment struct{} // a keep-alive comment
	junk    struct{} // a frame that is not JSON
	crash   struct{} // half a frame, and the connection breaks
)

func (comment) isEvent() {}
func (junk) isEvent()    {}
func (crash) isEvent()   {}

// eventStream is the answer to a streaming call: server-sent events, each with a
// JSON-RPC response for data (A2A 1.0 §9.4.2).
type eventStream struct {
	call *call
	w    http.ResponseWriter
	out  *http.ResponseController
}

func (c *call) openStream(w http.ResponseWriter) *eventStream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	return &eventStream{c, w, http.NewResponseController(w)}
}

// follow writes the turn's log from entry i on to its end. It returns early if
// the client leaves.
func (s *eventStream) follow(client context.Context, t *turn, i int) {
	for {
		entries, over, changed := t.since(i)
		for _, events := range entries {
			if s.write(events...) != nil {
				return
			}
		}
		if over {
			return
		}
		i += len(entries)
		select {
		case <-changed:
		case <-client.Done():
			return
		}
	}
}

// write sends events in one piece.
func (s *eventStream) write(events ...event) error {
	var frames []byte
	for _, e := range events {
		switch e := e.(type) {
		case comment:
			frames = append(frames, ": still here\n\n"...)
		case junk:
			frames = append(frames, "data: {\"jsonrpc\":\"2.0\",\"result\":{\"artif\n\n"...)
		case crash:
			abort(s.w, []byte(`data: {"jsonrpc":"2.0","id":`))
		default:
			frames = append(frames, "data: "...)
			frames = s.call.appendResponse(frames, e)
			frames = append(frames, "\n\n"...)
		}
	}
	if _, err := s.w.Write(frames); err != nil {
		return err
	}
	return s.out.Flush()
}

// abort sends half an answer and breaks the connection.
func abort(w http.ResponseWriter, half []byte) {
	_, _ = w.Write(half)
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}
