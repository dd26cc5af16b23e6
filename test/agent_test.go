// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// agent is an HTTP server, with HTTP/1.1 and HTTP/2 in clear text, that hands
// every request to the test.
type agent struct {
	address string
	calls   chan *call

	mu    sync.Mutex
	conns map[net.Conn]bool
	fewer chan struct{} // closed when a connection goes
}

// call is one request at an agent. Its methods answer it from the test's own
// goroutine.
type call struct {
	*http.Request
	body string
	w    http.ResponseWriter
	left <-chan struct{} // closed when the caller leaves
	over chan struct{}
	once sync.Once
}

// startAgent runs an agent until the test ends.
func startAgent(t testing.TB) *agent {
	t.Helper()
	a := &agent{calls: make(chan *call), conns: make(map[net.Conn]bool)}
	stopped := make(chan struct{})
	a.address = a.listen(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, cardPath) {
			w.WriteHeader(http.StatusNotFound) // a strict guard asks for the card first
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		c := &call{Request: r, body: string(body), w: w, left: r.Context().Done(), over: make(chan struct{})}
		select {
		case a.calls <- c:
		case <-stopped:
			return
		}
		select {
		case <-c.over:
		case <-stopped:
			panic(http.ErrAbortHandler)
		}
	}))
	t.Cleanup(func() { close(stopped) })
	return a
}

// answering runs an agent that answers by itself.
func answering(t testing.TB, answer http.HandlerFunc) *agent {
	t.Helper()
	a := &agent{conns: make(map[net.Conn]bool)}
	a.address = a.listen(t, answer)
	return a
}

func (a *agent) listen(t testing.TB, handler http.Handler) (address string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: handler, ConnState: a.connState, ReadHeaderTimeout: patience}
	server.Protocols = new(http.Protocols)
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // ends with Close
	}()
	t.Cleanup(func() {
		server.Close()
		<-done
	})
	return listener.Addr().String()
}

func (a *agent) connState(c net.Conn, state http.ConnState) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch state {
	case http.StateNew:
		a.conns[c] = true
	case http.StateClosed, http.StateHijacked:
		delete(a.conns, c)
		if a.fewer != nil {
			close(a.fewer)
			a.fewer = nil
		}
	default:
	}
}

// deserted waits until nobody is connected any more.
func (a *agent) deserted(t testing.TB) {
	t.Helper()
	limit := time.After(patience)
	for {
		a.mu.Lock()
		open := len(a.conns)
		if a.fewer == nil {
			a.fewer = make(chan struct{})
		}
		fewer := a.fewer
		a.mu.Unlock()
		if open == 0 {
			return
		}
		select {
		case <-fewer:
		case <-limit:
			t.Fatalf("%d connections to the agent stay open", open)
		}
	}
}

// connections is how many are open.
func (a *agent) connections() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.conns)
}

// next is the next request.
func (a *agent) next(t testing.TB) *call {
	t.Helper()
	select {
	case c := <-a.calls:
		return c
	case <-time.After(patience):
		t.Fatal("no call reaches the agent")
		return nil
	}
}

// asked reports whether a request comes from the guard itself.
func (c *call) asked() bool { return strings.Contains(c.body, `"method":"GetTask"`) }

// stream answers with the head of an event stream.
func (c *call) stream() *call {
	c.w.Header().Set("Content-Type", "text/event-stream")
	c.w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(c.w).Flush() // a caller who left is noticed through left
	return c
}

// say sends frames and flushes.
func (c *call) say(frames ...string) *call {
	for _, frame := range frames {
		_, _ = io.WriteString(c.w, frame) // a caller who left is noticed through left
	}
	_ = http.NewResponseController(c.w).Flush()
	return c
}

// json answers with a whole JSON body.
func (c *call) json(body string) {
	c.w.Header().Set("Content-Type", "application/json")
	c.say(body)
	c.end()
}

// end ends the answer.
func (c *call) end() { c.once.Do(func() { close(c.over) }) }

// hangsUp waits until the caller has left, and ends the answer.
func (c *call) hangsUp(t testing.TB) {
	t.Helper()
	select {
	case <-c.left:
	case <-time.After(patience):
		t.Fatal("the agent's request is not cut")
	}
	c.end()
}

// rawAgent runs an agent that answers connections in whatever way, until the
// test ends. Requests are left for the function to read.
func rawAgent(t testing.TB, answer func(net.Conn)) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer c.Close()
				answer(c)
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		running.Wait()
	})
	return listener.Addr().String()
}

// A2A frames and calls that the tests speak in.
const (
	streamCall = `{"jsonrpc":"2.0","id":"q1","method":"SendStreamingMessage","params":{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"x"}]}}}`
	sendCall   = `{"jsonrpc":"2.0","id":"q1","method":"SendMessage","params":{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"x"}]}}}`
	getCall    = `{"jsonrpc":"2.0","id":"q1","method":"GetTask","params":{"id":"t1"}}`

	task     = `{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}`
	doneTask = `{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}`
)

// frame is an event of a stream, with the answer to request q1.
func frame(payload string) string {
	return `data: {"jsonrpc":"2.0","id":"q1","result":{` + payload + "}}\n\n"
}

var (
	taskFrame    = frame(`"task":` + task)
	workingFrame = status("WORKING")
	doneFrame    = status("COMPLETED")
)

func status(state string) string {
	return frame(`"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_` + state + `"}}`)
}

// artifact is a frame with one piece of an artifact.
func artifact(id, text string) string {
	return frame(fmt.Sprintf(`"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":%q,"parts":[{"text":%q}]}}`, id, text))
}

// result is a whole JSON answer to request q1.
func result(payload string) string { return `{"jsonrpc":"2.0","id":"q1","result":` + payload + `}` }
