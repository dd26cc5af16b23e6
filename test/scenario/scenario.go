// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package scenario reads field cases: small files that tell what a client asks,
// what an agent sends and when, and what the client must get. It also plays them
// through the core with a clock of its own, and holds what any player saw to what
// the file expects. The format is described in test/testdata/cases/README.md.
package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Case is one file.
type Case struct {
	Name   string // of the file, without its extension
	Scenes []*Scene
}

// Scene is one run against a guard of its own.
type Scene struct {
	Name string
	// Options are the lines of the guard's Caddyfile block, Proxy those of
	// reverse_proxy's, and Front directives that stand in front of the guard.
	Options, Proxy, Front []string
	// Spares are the rules that the scene comes close to and does not break.
	Spares []string
	// Scale is what the file's times are multiplied with where a real clock runs.
	Scale     float64
	Exchanges []*Exchange

	options *options
}

// Exchange is one call of a client's.
type Exchange struct {
	Line      int // where it stands in the file
	Request   Request
	Agent     Answer
	Questions []Question
	Expect    Expectation
}

// Request is what the client sends.
type Request struct {
	Method string // JSON-RPC method, empty for a body of another kind
	ID     string // the JSON-RPC id's raw token
	Verb   string // of HTTP
	Path   string // with its query
	Plain  bool   // the call is one of HTTP+JSON
	Header []Field
	Body   []byte
	// Leaves is the number of events after which the client goes, 0 for never.
	Leaves int
}

// Streams reports whether the method is answered by an event stream.
func (r *Request) Streams() bool {
	if path, _, _ := strings.Cut(r.Path, "?"); r.Plain {
		return strings.HasSuffix(path, ":stream") || strings.HasSuffix(path, ":subscribe")
	}
	switch r.Method {
	case "SendStreamingMessage", "SubscribeToTask", "message/stream", "tasks/resubscribe":
		return true
	}
	return false
}

// Old reports whether the call is of protocol 0.3: so its method says, or it bears
// no version; in HTTP+JSON its path, unless it bears one.
func (r *Request) Old() bool {
	if r.Plain {
		i := slices.IndexFunc(r.Header, func(f Field) bool { return f.Name == "A2A-Version" })
		return i >= 0 && r.Header[i].Value == "0.3" || i < 0 && strings.Contains(r.Path, "/v1/")
	}
	if r.Method != "" {
		return strings.Contains(r.Method, "/")
	}
	return !slices.ContainsFunc(r.Header, func(f Field) bool { return f.Name == "A2A-Version" })
}

// Field is one header field.
type Field struct{ Name, Value string }

// Answer is what the agent does about one request.
type Answer struct {
	Header []Field
	Steps  []Step
}

// Body returns all that the answer carries.
func (a *Answer) Body() []byte {
	var body []byte
	for _, s := range a.Steps {
		body = append(body, s.Data...)
	}
	return body
}

// Head returns the answer's head; ok is false if it never comes.
func (a *Answer) Head() (head Step, ok bool) {
	for _, s := range a.Steps {
		if s.Kind == Head {
			return s, true
		}
	}
	return Step{}, false
}

// StepKind tells what a step is.
type StepKind uint8

// The kinds of steps.
const (
	Head  StepKind = iota // status line and headers
	Chunk                 // bytes that are written and flushed together
	Pause                 // silence
	EOF                   // the body ends
	RST                   // the connection breaks
	Close                 // the connection closes before any answer
	Open                  // nothing more, the connection stays open
	Next                  // the file's next call is made and answered
)

// Step is one thing that the agent does.
type Step struct {
	Kind        StepKind
	Status      int           // of a Head
	ContentType string        // of a Head, empty for none
	Data        []byte        // of a Chunk
	For         time.Duration // of a Pause
}

// Question is one that the guard is expected to put to the agent.
type Question struct {
	Method string // in HTTP+JSON verb and path
	Answer Answer
}

// Load reads every case of a folder.
func Load(folder string) ([]*Case, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.case"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no .case file in %s", folder)
	}
	cases := make([]*Case, 0, len(files))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		c, err := Parse(strings.TrimSuffix(filepath.Base(file), ".case"), string(text))
		if err != nil {
			return nil, err
		}
		cases = append(cases, c)
	}
	return cases, nil
}
