// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"io"
	"net/http"
)

// answers are the faults of what stands around an agent: the message reaches no
// work and starts no task.
var answers = map[Fault]func(http.ResponseWriter, *call){
	EmptyStream: func(w http.ResponseWriter, c *call) {
		kind := "application/json"
		if c.streams {
			kind = "text/event-stream"
		}
		w.Header().Set("Content-Type", kind)
		_ = http.NewResponseController(w).Flush() // or the server would announce Content-Length: 0
	},
	HTML: func(w http.ResponseWriter, _ *call) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<!doctype html><title>Sign in</title><h1>Sign in to continue</h1>\n")
	},
	Error500Text: func(w http.ResponseWriter, _ *call) {
		http.Error(w, "upstream connect error: 10.0.3.7:5432 refused", http.StatusInternalServerError)
	},
	JSONError: func(w http.ResponseWriter, c *call) {
		c.answer(w, "error", c.dialect.error(&rpcError{internalError, "the order system is down"}))
	},
}
