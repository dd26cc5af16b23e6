// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"sync"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

// A unary call reads two texts, with readers that others have used before:
// growing their buffers costs as much as reading.
var (
	requestReaders = sync.Pool{New: func() any { return new(requestReader) }}
	answerReaders  = sync.Pool{New: func() any { return new(answerReader) }}
)

// keptTasks is the longest list of tasks whose memory waits for a next one.
const keptTasks = 128

type requestReader struct {
	a2a.RequestReader
	request a2a.Request
}

type answerReader struct {
	a2a.ResponseReader
	response a2a.Response
	unary    unary
}

// release gives the reader back. Nothing that it has read may be used any more.
func (r *requestReader) release() {
	r.request = a2a.Request{}
	r.Release()
	requestReaders.Put(r)
}

func (r *answerReader) release() {
	tasks, artifacts := r.response.Tasks, r.response.Event.Artifacts
	if cap(tasks) > keptTasks {
		tasks = nil
	}
	clear(tasks) // they point into the answer
	clear(artifacts)
	r.response = a2a.Response{Tasks: tasks[:0], Event: a2a.Event{Artifacts: artifacts[:0]}}
	r.unary = unary{}
	r.Release()
	answerReaders.Put(r)
}
