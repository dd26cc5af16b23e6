// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

func init() { caddy.RegisterModule(logOutput{}) }

// logged is what Caddy has logged since the test began.
var logged logBook

// entry is one line of the log.
type entry map[string]any

func (e entry) message() string { return fmt.Sprint(e["msg"]) }

type logBook struct {
	mu      sync.Mutex
	entries []entry
	taken   map[string]int // entries of a message that wait has returned
	more    chan struct{}  // closed with the next line
}

func (l *logBook) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries, l.taken = nil, make(map[string]int)
}

// Write takes one line.
func (l *logBook) Write(line []byte) (int, error) {
	var e entry
	if err := json.Unmarshal(line, &e); err != nil {
		return 0, fmt.Errorf("reading the log line %s: %w", bytes.TrimSpace(line), err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, e)
	if l.more != nil {
		close(l.more)
		l.more = nil
	}
	return len(line), nil
}

// all returns the entries with a message.
func (l *logBook) all(message string) (found []entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.entries {
		if e.message() == message {
			found = append(found, e)
		}
	}
	return found
}

// wait returns the next entry with the message, once it is there.
func (l *logBook) wait(t testing.TB, message string) entry {
	t.Helper()
	limit := time.After(patience)
	for {
		found, more := l.next(message)
		if found != nil {
			return found
		}
		select {
		case <-more:
		case <-limit:
			t.Fatalf("nobody logged %q", message)
		}
	}
}

// next takes the next entry with the message. If there is none, more is closed
// with the next line.
func (l *logBook) next(message string) (found entry, more <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	skip := l.taken[message]
	for _, e := range l.entries {
		if e.message() != message {
			continue
		}
		if skip == 0 {
			l.taken[message]++
			return e, nil
		}
		skip--
	}
	if l.more == nil {
		l.more = make(chan struct{})
	}
	return nil, l.more
}

// violations are the rules whose breach was logged, with the action taken.
func (l *logBook) violations() (found []string) {
	for _, e := range l.all("protocol violation") {
		found = append(found, fmt.Sprintf("%v %v", e["rule"], e["action"]))
	}
	return found
}

// logOutput is the log output "test" of Caddyfiles: it fills logged.
type logOutput struct{}

func (logOutput) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "caddy.logging.writers.test", New: func() caddy.Module { return new(logOutput) }}
}
func (logOutput) UnmarshalCaddyfile(*caddyfile.Dispenser) error { return nil }
func (logOutput) String() string                                { return "test" }
func (logOutput) WriterKey() string                             { return "test" }
func (logOutput) OpenWriter() (io.WriteCloser, error)           { return logWriter{&logged}, nil }

type logWriter struct{ io.Writer }

func (logWriter) Close() error { return nil }
