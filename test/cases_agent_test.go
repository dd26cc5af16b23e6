// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/test/scenario"
)

// caseAgent is the agent of all field cases. It speaks HTTP/1.1 by hand, so that it
// can do what no server would.
type caseAgent struct {
	address string
	// answers gives the answer to a request, and learns what became of it.
	answers func(r *http.Request, body []byte) *caseAnswer

	mu    sync.Mutex
	conns map[net.Conn]bool // nil once it has stopped
	work  sync.WaitGroup
}

// caseAnswer is one answer and how it is given.
type caseAnswer struct {
	script *scenario.Answer
	pause  func(time.Duration) time.Duration // how long a pause really lasts
	// ready waits until the client has got what it should have before a step; next
	// makes the case's next call.
	ready func(step int)
	next  func()
	// done is told whether the answer was given to its end.
	done func(finished bool)
}

func startCaseAgent(t testing.TB, answers func(*http.Request, []byte) *caseAnswer) *caseAgent {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := &caseAgent{address: listener.Addr().String(), answers: answers, conns: make(map[net.Conn]bool)}
	a.work.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			a.work.Go(func() { a.serve(conn) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		a.mu.Lock()
		for conn := range a.conns {
			conn.Close()
		}
		a.conns = nil
		a.mu.Unlock()
		a.work.Wait()
	})
	return a
}

// serve answers the requests of one connection.
func (a *caseAgent) serve(conn net.Conn) {
	defer conn.Close()
	a.mu.Lock()
	stopped := a.conns == nil
	if !stopped {
		a.conns[conn] = true
	}
	a.mu.Unlock()
	if stopped {
		return
	}
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.conns, conn)
	}()
	for lines := bufio.NewReader(conn); ; {
		r, err := http.ReadRequest(lines)
		if err != nil {
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		answer := a.answers(r, body)
		if answer == nil {
			return
		}
		c := &caseConn{Conn: conn, answer: answer, cut: make(chan struct{})}
		go c.watch(lines)
		finished, keep := c.play()
		answer.done(finished)
		if !keep {
			conn.Close()
		}
		<-c.cut // the next request, or the end
		if !keep {
			return
		}
	}
}

// caseConn is a connection while an answer is given.
type caseConn struct {
	net.Conn
	answer  *caseAnswer
	chunked bool
	cut     chan struct{} // closed when the guard goes, or sends another request
}

// watch waits for the guard to close the connection.
func (c *caseConn) watch(lines *bufio.Reader) {
	defer close(c.cut)
	_, _ = lines.Peek(1)
}

var errCut = errors.New("the guard has closed the connection")

// play gives the answer: finished if to its end, keep if the connection may be used
// again.
func (c *caseConn) play() (finished, keep bool) {
	for i, step := range c.answer.script.Steps {
		switch step.Kind {
		case scenario.EOF:
			if c.chunked {
				_, err := io.WriteString(c, "0\r\n\r\n")
				return err == nil, err == nil
			}
			return true, true
		case scenario.RST:
			c.answer.ready(i)
			if tcp, ok := c.Conn.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0) // or it ends politely, which is no less broken
			}
			return true, false
		case scenario.Close:
			return true, false
		case scenario.Open:
			<-c.cut // whoever waits for the answer loses patience first
			return true, false
		default:
			if c.step(i, step) != nil {
				return false, false
			}
		}
	}
	return true, true
}

// step does what is no end.
func (c *caseConn) step(i int, step scenario.Step) (err error) {
	switch step.Kind {
	case scenario.Head:
		_, err = io.WriteString(c, c.head(step))
	case scenario.Chunk:
		var b bytes.Buffer
		if c.chunked {
			fmt.Fprintf(&b, "%x\r\n", len(step.Data))
		}
		b.Write(step.Data)
		if c.chunked {
			b.WriteString("\r\n")
		}
		_, err = c.Write(b.Bytes())
	case scenario.Pause:
		select {
		case <-time.After(c.answer.pause(step.For)):
			c.answer.ready(i + 1)
		case <-c.cut:
			err = errCut
		}
	case scenario.Next:
		c.answer.ready(i)
		c.answer.next()
	default: // no step, but an end
	}
	return err
}

// head renders the answer's head. A Content-Length of "exact" is the body's.
func (c *caseConn) head(step scenario.Step) string {
	c.chunked = true
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", step.Status, http.StatusText(step.Status))
	if step.ContentType != "" {
		fmt.Fprintf(&b, "Content-Type: %s\r\n", step.ContentType)
	}
	for _, f := range c.answer.script.Header {
		if strings.EqualFold(f.Name, "Content-Length") {
			c.chunked = false
			if f.Value == "exact" {
				f.Value = strconv.Itoa(len(c.answer.script.Body()))
			}
		}
		fmt.Fprintf(&b, "%s: %s\r\n", f.Name, f.Value)
	}
	if c.chunked {
		b.WriteString("Transfer-Encoding: chunked\r\n")
	}
	b.WriteString("\r\n")
	return b.String()
}
