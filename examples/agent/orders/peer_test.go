// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// version is how the tests speak to the agent: the same five operations in
// either version's words.
type version struct {
	name                                 string
	send, stream, get, cancel, subscribe string
}

var versions = []version{
	{"1.0", "SendMessage", "SendStreamingMessage", "GetTask", "CancelTask", "SubscribeToTask"},
	{"0.3", "message/send", "message/stream", "tasks/get", "tasks/cancel", "tasks/resubscribe"},
}

// inBothVersions runs a test once for each version of the protocol.
func inBothVersions(t *testing.T, test func(*testing.T, version)) {
	for _, v := range versions {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			test(t, v)
		})
	}
}

// peer is an agent behind a real server, and a client of it.
type peer struct {
	t     *testing.T
	agent *Agent
	url   string
	http  *http.Client
}

func serve(t *testing.T, c Config) *peer { return serveThrough(t, c, nil) }

// serveThrough puts a handler of the test's own around the agent.
func serveThrough(t *testing.T, c Config, around func(http.Handler) http.Handler) *peer {
	t.Helper()
	agent := New(c)
	var handler http.Handler = agent
	if around != nil {
		handler = around(agent)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		agent.Close()
		server.Close()
	})
	return &peer{t, agent, server.URL, server.Client()}
}

// request makes the body of a call with id 1; params is a JSON text.
func request(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
}

// messageParams makes the params of a message with a text, for a task unless
// taskID is empty. Both versions' readers take it.
func messageParams(text, taskID string) string {
	return fmt.Sprintf(`{"message":{"messageId":"m1","taskId":%q,"role":"ROLE_USER","parts":[{"text":%q}]}}`, taskID, text)
}

func idParams(taskID string) string { return fmt.Sprintf(`{"id":%q}`, taskID) }

// post sends a body and returns the response, open.
func (p *peer) post(ctx context.Context, body string) *http.Response {
	p.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+"/", strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	response, err := p.http.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { response.Body.Close() })
	return response
}

// call sends a unary call and tells its answer in the notation of the package
// documentation.
func (p *peer) call(method, params string) (answer string, got rpcReply) {
	p.t.Helper()
	response := p.post(p.t.Context(), request(method, params))
	body, err := io.ReadAll(response.Body)
	switch kind := statusAndType(response); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "half abort", got
	case err != nil:
		p.t.Fatal(err)
	case kind != "200 application/json":
		return kind, got
	case len(body) == 0:
		return kind + " close", got
	}
	got = parseReply(p.t, body)
	return got.notation(), got
}

func statusAndType(r *http.Response) string {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return fmt.Sprint(r.StatusCode, " ", kind)
}

// events reads an event stream and tells it in the notation of the package
// documentation, one word a time.
type events struct {
	t        *testing.T
	response *http.Response
	lines    *bufio.Reader
	words    []string // read already
	raw      string   // the last frame's data
	taskID   string   // of the frames so far
}

// open starts a streaming call.
func (p *peer) open(method, params string) *events {
	p.t.Helper()
	return p.openAs(p.t.Context(), method, params)
}

func (p *peer) openAs(ctx context.Context, method, params string) *events {
	p.t.Helper()
	response := p.post(ctx, request(method, params))
	e := &events{t: p.t, response: response, lines: bufio.NewReader(response.Body)}
	switch kind := statusAndType(response); kind {
	case "200 text/event-stream":
		if _, err := e.lines.Peek(1); err == io.EOF {
			e.words = append(strings.Fields(kind), "close")
		}
	case "200 application/json":
		body, err := io.ReadAll(response.Body)
		if err != nil {
			p.t.Fatal(err)
		}
		e.words = append(strings.Fields(kind), parseReply(p.t, body).notation())
	default:
		e.words = strings.Fields(kind)
	}
	return e
}

// next returns the next word; comments in a row are one.
func (e *events) next() string {
	e.t.Helper()
	if len(e.words) > 0 {
		word := e.words[0]
		e.words = e.words[1:]
		return word
	}
	frame, err := e.frame()
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) && frame != "":
		e.words = []string{"abort"}
		return "half"
	case errors.Is(err, io.EOF) && frame == "":
		return "close"
	case err != nil:
		e.t.Fatalf("after %q: %v", frame, err)
	}
	if strings.HasPrefix(frame, ":") {
		if peeked, _ := e.lines.Peek(1); string(peeked) == ":" {
			return e.next()
		}
		return "comments"
	}
	data, ok := strings.CutPrefix(strings.TrimSuffix(frame, "\n\n"), "data: ")
	if !ok {
		e.t.Fatalf("frame without data: %q", frame)
	}
	e.raw = data
	if !json.Valid([]byte(data)) {
		return "junk"
	}
	got := parseReply(e.t, []byte(data))
	if got.taskID() != "" {
		e.taskID = got.taskID()
	}
	return got.notation()
}

// frame reads up to and with the next empty line.
func (e *events) frame() (string, error) {
	var frame strings.Builder
	for {
		line, err := e.lines.ReadString('\n')
		frame.WriteString(line)
		if err != nil || line == "\n" {
			return frame.String(), err
		}
	}
}

// expect reads the words of a text.
func (e *events) expect(words string) {
	e.t.Helper()
	for want := range strings.FieldsSeq(words) {
		if got := e.next(); got != want {
			e.t.Fatalf("got %s, want %s of %q", got, want, words)
		}
	}
}

// eventually waits for what no event announces to the test.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 5000 {
		if holds() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("never: " + what)
}
