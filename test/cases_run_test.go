// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/test/scenario"
)

// caseRun is one scene over one protocol.
type caseRun struct {
	name     string // of the run, and of its guard
	scene    *scenario.Scene
	protocol protocol
	calls    []*caseCall
	client   *client
	url      string
	next     int // the next call; they are made one by one

	mu     sync.Mutex
	errors []error
}

func newCaseRun(t testing.TB, name string, s *scenario.Scene, p protocol) *caseRun {
	t.Helper()
	run := &caseRun{name: name, scene: s, protocol: p}
	core, err := s.Play(scenario.AsWritten)
	if err != nil {
		t.Fatalf("%s: %v", run.name, err)
	}
	for i, e := range s.Exchanges {
		run.calls = append(run.calls, &caseCall{
			run: run, number: i, e: e, marks: core[i].Core.Before,
			result: &scenario.Result{}, more: make(chan struct{}), answered: make(chan struct{}),
		})
	}
	return run
}

// play makes the scene's calls and holds what came of them to the case.
func (run *caseRun) play(t testing.TB, s *server) {
	run.client, run.url = s.client(t, run.protocol), s.url(run.protocol)
	defer run.client.transport.(*http.Transport).CloseIdleConnections()
	for run.next < len(run.calls) {
		run.makeCall()
	}
	for _, c := range run.calls {
		for _, err := range run.scene.Check(c.e, c.result) {
			run.failed(err)
		}
	}
}

func (run *caseRun) failed(err error) {
	run.mu.Lock()
	defer run.mu.Unlock()
	run.errors = append(run.errors, err)
}

// makeCall makes the next call and sees it through.
func (run *caseRun) makeCall() {
	c := run.calls[run.next]
	run.next++
	if err := c.make(); err != nil {
		run.failed(fmt.Errorf("call of line %d: %w", c.e.Line, err))
	}
}

// answer is the agent's answer to a request: the call's own, or a question of the
// guard's.
func (run *caseRun) answer(r *http.Request, body []byte) *caseAnswer {
	n, err := strconv.Atoi(r.Header.Get(callHeader))
	if err != nil || n >= len(run.calls) {
		return nil
	}
	return run.calls[n].answer(r, body)
}

// caseCall is one call of a run.
type caseCall struct {
	run    *caseRun
	number int
	e      *scenario.Exchange
	marks  []scenario.Mark // what the core had given before each of the agent's steps
	begun  time.Time

	mu       sync.Mutex
	result   *scenario.Result
	over     bool          // the client has all it will get
	more     chan struct{} // closed with the next news
	reached  bool          // the agent has the call
	answered chan struct{} // closed once the agent is done with it
}

// update changes the result and tells who waits for it.
func (c *caseCall) update(change func(*scenario.Result)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(c.result)
	close(c.more)
	c.more = make(chan struct{})
}

// make sends the call and reads its answer.
func (c *caseCall) make() error {
	ctx, leave := context.WithTimeout(context.Background(), patience)
	defer leave()
	r, err := c.request(ctx)
	if err != nil {
		return err
	}
	c.begun = time.Now()
	response, err := c.run.client.transport.RoundTrip(r)
	if err != nil {
		c.update(func(*scenario.Result) { c.over = true })
		return err
	}
	c.read(response, leave)
	response.Body.Close()
	if len(c.marks) > 0 { // the core let it reach the agent
		select {
		case <-c.answered:
		case <-time.After(patience):
			return errors.New("the agent is not done with it")
		}
	}
	reports, err := caseLines.wait(callName(c.run.name, strconv.Itoa(c.number)))
	c.update(func(r *scenario.Result) { r.Reports = reports })
	return err
}

func (c *caseCall) request(ctx context.Context) (*http.Request, error) {
	call := &c.e.Request
	r, err := http.NewRequestWithContext(ctx, call.Verb, c.run.url+call.Path, bytes.NewReader(call.Body))
	if err != nil {
		return nil, err
	}
	for _, f := range call.Header {
		r.Header.Set(f.Name, f.Value)
	}
	r.Header.Set(caseHeader, c.run.name)
	r.Header.Set(callHeader, strconv.Itoa(c.number))
	return r, nil
}

// read reads the answer to its end, or until the client leaves.
func (c *caseCall) read(response *http.Response, leave context.CancelFunc) {
	c.update(func(r *scenario.Result) {
		r.Committed, r.CommittedAt = true, time.Since(c.begun)
		r.Status, r.ContentType, r.Header = response.StatusCode, response.Header.Get("Content-Type"), response.Header.Get
	})
	buf := make([]byte, 64<<10)
	for over := false; !over; {
		n, err := response.Body.Read(buf)
		c.update(func(r *scenario.Result) {
			if n > 0 {
				r.Writes = append(r.Writes, scenario.Write{At: time.Since(c.begun), Data: bytes.Clone(buf[:n])})
			}
			if leaves := c.e.Request.Leaves; leaves > 0 && r.Events() >= leaves {
				r.Left, over = true, true
				leave()
			} else if err != nil {
				r.Broken, over = !errors.Is(err, io.EOF), true
			}
			r.EndedAt, c.over = time.Since(c.begun), over
		})
	}
}

// answer takes a request that has reached the agent.
func (c *caseCall) answer(r *http.Request, body []byte) *caseAnswer {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := &caseAnswer{pause: c.run.scene.Real, ready: func(int) {}, next: func() {}, done: func(bool) {}}
	if !c.reached {
		c.reached = true
		c.result.Reached = r.Header.Get
		a.script, a.ready, a.next, a.done = &c.e.Agent, c.ready, c.run.makeCall, c.finish
		return a
	}
	var question struct{ Method string }
	if c.e.Request.Plain {
		question.Method = r.Method + " " + r.RequestURI
	} else if err := json.Unmarshal(body, &question); err != nil {
		question.Method = err.Error()
	}
	c.result.Asked = append(c.result.Asked, question.Method)
	n := len(c.result.Asked)
	if n > len(c.e.Questions) {
		return nil
	}
	a.script = &c.e.Questions[n-1].Answer
	return a
}

// finish notes that the agent is done with the call.
func (c *caseCall) finish(finished bool) {
	c.update(func(r *scenario.Result) { r.Cut = !finished })
	close(c.answered)
}

// ready waits until the client has what the core had given it before a step of the
// agent's, so that nothing is taken for timely that only comes with the next event.
func (c *caseCall) ready(step int) {
	if step >= len(c.marks) {
		return
	}
	want := c.marks[step]
	for limit := time.After(patience); ; {
		c.mu.Lock()
		got, over, more := c.result.Mark(), c.over, c.more
		c.mu.Unlock()
		if over || got.Bytes >= want.Bytes && got.Committed == want.Committed {
			return
		}
		select {
		case <-more:
		case <-limit:
			c.run.failed(fmt.Errorf("call of line %d: before step %d of the agent's the client has got %+v, not %+v", c.e.Line, step+1, got, want))
			return
		}
	}
}
