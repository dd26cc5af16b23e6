// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

func init() { caddy.RegisterModule(caseOutput{}) }

// caseLogs makes Caddy write what caseLines needs.
var caseLogs = globals("log cases {", "\toutput cases", "\tformat json", "\tinclude http.log.access http.handlers.a2a_guard", "}")

// caseLines is what was logged of the calls of field cases.
var caseLines = caseBook{calls: make(map[string]string), reports: make(map[string][]string)}

// caseBook joins the lines of one call: the guard's own name its reference, the
// access log's that and the call.
type caseBook struct {
	mu      sync.Mutex
	calls   map[string]string   // reference, by call
	reports map[string][]string // by reference
	more    chan struct{}       // closed with the next call
}

// The headers by which a call is known to the agent and in the log.
const (
	caseHeader = "X-Case"
	callHeader = "X-Call"
)

func callName(run, call string) string { return run + " " + call }

// Write takes one line.
func (b *caseBook) Write(line []byte) (int, error) {
	var entry struct {
		Message string `json:"msg"`
		Rule    string `json:"rule"`
		Action  string `json:"action"`
		Ref     string `json:"ref"`
		UUID    string `json:"uuid"`
		Request struct {
			Headers map[string][]string `json:"headers"`
		} `json:"request"`
	}
	if err := json.Unmarshal(line, &entry); err != nil {
		return 0, fmt.Errorf("reading a log line: %w", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch headers := entry.Request.Headers; {
	case entry.Message == "protocol violation":
		b.reports[entry.Ref] = append(b.reports[entry.Ref], entry.Rule+" "+entry.Action)
	case len(headers[caseHeader]) == 1 && len(headers[callHeader]) == 1:
		b.calls[callName(headers[caseHeader][0], headers[callHeader][0])] = entry.UUID
		if b.more != nil {
			close(b.more)
			b.more = nil
		}
	}
	return len(line), nil
}

// wait returns what the guard reported of a call, once that is over.
func (b *caseBook) wait(call string) ([]string, error) {
	limit := time.After(patience)
	for {
		b.mu.Lock()
		ref, over := b.calls[call]
		if over {
			defer b.mu.Unlock()
			return slices.Clone(b.reports[ref]), nil
		}
		if b.more == nil {
			b.more = make(chan struct{})
		}
		more := b.more
		b.mu.Unlock()
		select {
		case <-more:
		case <-limit:
			return nil, fmt.Errorf("call %s does not end", call)
		}
	}
}

// forget empties the book when the test ends.
func (b *caseBook) forget(t testing.TB) {
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		clear(b.calls)
		clear(b.reports)
	})
}

// caseOutput is the log output "cases" of Caddyfiles: it fills caseLines.
type caseOutput struct{}

func (caseOutput) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "caddy.logging.writers.cases", New: func() caddy.Module { return new(caseOutput) }}
}
func (caseOutput) UnmarshalCaddyfile(*caddyfile.Dispenser) error { return nil }
func (caseOutput) String() string                                { return "cases" }
func (caseOutput) WriterKey() string                             { return "cases" }
func (caseOutput) OpenWriter() (io.WriteCloser, error)           { return logWriter{&caseLines}, nil }
