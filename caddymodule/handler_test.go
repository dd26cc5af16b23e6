// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	_ "github.com/caddyserver/caddy/v2/modules/caddyevents"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/goleak"

	"github.com/a2aguard/caddy-a2a-guard/guard"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// guarded is a handler with the options of a Caddyfile block.
func guarded(t testing.TB, options string) *Handler {
	t.Helper()
	h := new(Handler)
	if err := h.UnmarshalCaddyfile(caddyfile.NewTestDispenser("a2a_guard {\n" + options + "\n}")); err != nil {
		t.Fatal(err)
	}
	ctx, err := caddy.ProvisionContext(&caddy.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Provision(ctx); err != nil {
		t.Fatal(err)
	}
	if err := h.Validate(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Cleanup(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// client is what a client sees of one answer, with the moments of its writes.
type client struct {
	mu     sync.Mutex
	begun  time.Time
	header http.Header
	status int
	lines  []string
	gone   bool // writes fail
}

func (c *client) Header() http.Header { return c.header }

func (c *client) WriteHeader(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status = status
	c.lines = append(c.lines, fmt.Sprintf("%v head %d %s", time.Since(c.begun), status, c.header.Get("Content-Type")))
}

func (c *client) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return 0, http.ErrHandlerTimeout
	}
	c.lines = append(c.lines, fmt.Sprintf("%v %s", time.Since(c.begun), strings.TrimRight(string(p), "\n")))
	return len(p), nil
}

func (c *client) Flush() {}

// saw renders the client's view, the ids of own errors left out.
func (c *client) saw() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.lines, "\n")
}

const (
	streamCall = `{"jsonrpc":"2.0","id":"q1","method":"SendStreamingMessage","params":{"message":{"parts":[{"text":"x"}]}}}`
	unaryCall  = `{"jsonrpc":"2.0","id":"q1","method":"GetTask","params":{"id":"t1"}}`
	taskFrame  = `data: {"jsonrpc":"2.0","id":"q1","result":{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}}}`
	doneFrame  = `data: {"jsonrpc":"2.0","id":"q1","result":{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}}}`
)

// serve sends a call through the handler to an agent and returns what the client
// saw. It must run in a bubble: time is the bubble's.
func serve(t *testing.T, h *Handler, ctx context.Context, call string, agent caddyhttp.HandlerFunc) *client {
	t.Helper()
	c := &client{begun: time.Now(), header: make(http.Header)}
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(call)).WithContext(ctx)
	r = caddyhttp.PrepareRequest(r, caddy.NewReplacer(), c, new(caddyhttp.Server))
	if err := h.ServeHTTP(c, r, agent); err != nil {
		t.Errorf("the handler returns %v", err)
	}
	c.lines = append(c.lines, fmt.Sprintf("%v end", time.Since(c.begun)))
	return c
}

// say writes to a stream and flushes, as an agent does.
func say(w http.ResponseWriter, frames ...string) error {
	for _, frame := range frames {
		if _, err := w.Write([]byte(frame + "\n\n")); err != nil {
			return err
		}
	}
	return http.NewResponseController(w).Flush()
}

// asked reports whether a request is a question of the guard's own.
func asked(r *http.Request) bool { return r.Header.Get("Accept") == "application/json" }

// wait passes time unless the agent's request is cut.
func wait(r *http.Request, d time.Duration) {
	select {
	case <-time.After(d):
	case <-r.Context().Done():
		panic(http.ErrAbortHandler) // what reverse_proxy does
	}
}

func TestStreamsInTime(t *testing.T) {
	head := func(w http.ResponseWriter) { w.Header().Set("Content-Type", "text/event-stream") }
	tests := []struct {
		name    string
		options string
		agent   caddyhttp.HandlerFunc
		want    string
	}{
		{
			"the head waits for the first event, the end for the agent", "",
			func(w http.ResponseWriter, r *http.Request) error {
				head(w)
				w.WriteHeader(200)
				wait(r, 300*time.Millisecond)
				if err := say(w, taskFrame); err != nil {
					return err
				}
				wait(r, time.Second)
				return say(w, doneFrame)
			},
			"300ms head 200 text/event-stream\n300ms " + taskFrame + "\n1.3s " + doneFrame + "\n1.3s end",
		},
		{
			"the head waits no longer than hold", "hold 500ms",
			func(w http.ResponseWriter, r *http.Request) error {
				head(w)
				w.WriteHeader(200)
				wait(r, time.Second)
				return say(w, taskFrame, doneFrame)
			},
			"500ms head 200 text/event-stream\n1s " + taskFrame + "\n1s " + doneFrame + "\n1s end",
		},
		{
			"linger ends what the agent keeps open", "linger 2s",
			func(w http.ResponseWriter, r *http.Request) error {
				head(w)
				if err := say(w, taskFrame, doneFrame); err != nil {
					return err
				}
				wait(r, time.Hour)
				return nil
			},
			"0s head 200 text/event-stream\n0s " + taskFrame + "\n0s " + doneFrame + "\n2s end",
		},
		{
			"heartbeats while the agent thinks", "heartbeat 10s",
			func(w http.ResponseWriter, r *http.Request) error {
				head(w)
				if err := say(w, taskFrame); err != nil {
					return err
				}
				wait(r, 25*time.Second)
				return say(w, doneFrame)
			},
			"0s head 200 text/event-stream\n0s " + taskFrame + "\n10s : a2a-guard\n20s : a2a-guard\n25s " + doneFrame + "\n25s end",
		},
		{
			"an idle stream is settled while it is open", "idle_timeout 1m\nheartbeat off",
			func(w http.ResponseWriter, r *http.Request) error {
				if asked(r) {
					wait(r, time.Second)
					w.Header().Set("Content-Type", "application/json")
					_, err := w.Write([]byte(`{"jsonrpc":"2.0","id":"q1","result":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}}`))
					return err
				}
				head(w)
				if err := say(w, taskFrame); err != nil {
					return err
				}
				wait(r, time.Hour)
				return nil
			},
			"0s head 200 text/event-stream\n0s " + taskFrame + "\n1m1s " + doneFrame + "\n1m1s end",
		},
		{
			"a question that gets no answer in time is given up", "idle_timeout 1m\nheartbeat off\nlookup_timeout 3s\nunfinished observe",
			func(w http.ResponseWriter, r *http.Request) error {
				if asked(r) {
					wait(r, time.Hour)
					return nil
				}
				head(w)
				if err := say(w, taskFrame); err != nil {
					return err
				}
				wait(r, time.Hour)
				return nil
			},
			"0s head 200 text/event-stream\n0s " + taskFrame + "\n1m3s end",
		},
		{
			"an event that comes meanwhile withdraws the question", "idle_timeout 1m\nheartbeat off\nlookup_timeout 30s",
			func(w http.ResponseWriter, r *http.Request) error {
				if asked(r) {
					wait(r, time.Hour)
					return nil
				}
				head(w)
				if err := say(w, taskFrame); err != nil {
					return err
				}
				wait(r, 62*time.Second)
				return say(w, doneFrame)
			},
			"0s head 200 text/event-stream\n0s " + taskFrame + "\n1m2s " + doneFrame + "\n1m2s end",
		},
		{
			"after the agent's end the question comes once it has returned", "unfinished observe",
			func(w http.ResponseWriter, r *http.Request) error {
				if asked(r) {
					_, err := w.Write([]byte(`{"jsonrpc":"2.0","id":"q1","result":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}}`))
					return err
				}
				head(w)
				return say(w, taskFrame)
			},
			"0s head 200 text/event-stream\n0s " + taskFrame + "\n0s " + doneFrame + "\n0s end",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := guarded(t, tt.options)
			synctest.Test(t, func(t *testing.T) {
				if got := serve(t, h, t.Context(), streamCall, tt.agent).saw(); got != tt.want {
					t.Errorf("\n got %s\nwant %s", got, tt.want)
				}
			})
		})
	}
}

func TestCallsInTime(t *testing.T) {
	silent := func(w http.ResponseWriter, r *http.Request) error {
		wait(r, time.Hour)
		return nil
	}
	tests := []struct {
		name, options, call string
		agent               caddyhttp.HandlerFunc
		want                string
	}{
		{"a call that is not answered", "call_timeout 5s", unaryCall, silent, `5s head 504 application/json
5s {"jsonrpc":"2.0","id":"q1","error":{"code":-32603,"message":"the agent did not answer in time; the task may still run, call GetTask (task t1, rule call-timeout, ref `},
		{"a stream without a head", "first_event_timeout 5s", streamCall, silent, `5s head 200 text/event-stream
5s data: {"jsonrpc":"2.0","id":"q1","error":{"code":-32603,"message":"the agent sent no event in time; a task that was begun may still run (rule never-ending-stream, ref `},
		{"a stream with a head alone", "first_event_timeout 5s\nhold 10s", streamCall, func(w http.ResponseWriter, r *http.Request) error {
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(200)
			wait(r, time.Hour)
			return nil
		}, `5s head 200 text/event-stream
5s data: {"jsonrpc":"2.0","id":"q1","error":{"code":-32603,"message":"the agent sent no event in time; a task that was begun may still run (rule never-ending-stream, ref `},
		{"an answer that never ends", "call_timeout 5s", unaryCall, func(w http.ResponseWriter, r *http.Request) error {
			if _, err := w.Write([]byte("{")); err != nil {
				return err
			}
			wait(r, time.Hour)
			return nil
		}, `5s head 504 application/json
5s {"jsonrpc":"2.0","id":"q1","error":{"code":-32603,"message":"the agent did not answer in time`},
		{"a slow call within its time", "call_timeout 5s", unaryCall, func(w http.ResponseWriter, r *http.Request) error {
			wait(r, 4*time.Second)
			w.Header().Set("Content-Type", "application/json")
			_, err := w.Write([]byte(`{"jsonrpc":"2.0","id":"q1","result":{}}`))
			return err
		}, "4s head 200 application/json\n4s {\"jsonrpc\":\"2.0\",\"id\":\"q1\",\"result\":{}}\n4s end"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := guarded(t, tt.options)
			synctest.Test(t, func(t *testing.T) {
				if got := serve(t, h, t.Context(), tt.call, tt.agent).saw(); !strings.HasPrefix(got, tt.want) {
					t.Errorf("\n got %s\nwant %s…", got, tt.want)
				}
			})
		})
	}
}

func TestAClientThatLeaves(t *testing.T) {
	for _, tt := range []struct {
		option string
		cutAt  time.Duration // when the agent's stream ends
	}{{"client_gone close", time.Second}, {"client_gone drain", 10 * time.Second}} {
		t.Run(tt.option, func(t *testing.T) {
			h := guarded(t, tt.option)
			synctest.Test(t, func(t *testing.T) {
				ctx, leave := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, leave)
				begun, ended := time.Now(), time.Duration(0)
				c := serve(t, h, ctx, streamCall, func(w http.ResponseWriter, r *http.Request) error {
					defer func() { ended = time.Since(begun) }()
					w.Header().Set("Content-Type", "text/event-stream")
					if err := say(w, taskFrame); err != nil {
						return err
					}
					wait(r, 10*time.Second)
					return say(w, doneFrame)
				})
				if ended != tt.cutAt || strings.Contains(c.saw(), doneFrame) {
					t.Errorf("the agent's stream ended after %v, the client saw %s", ended, c.saw())
				}
			})
		})
	}
}

// brokenTasks stands for a fault of the guard's own.
type brokenTasks struct{}

func (brokenTasks) Note(time.Time, guard.TaskKey, guard.Sight) guard.TaskRecord {
	panic("broken")
}

func (brokenTasks) Find(time.Time, guard.TaskKey) (guard.TaskRecord, bool) { panic("broken") }

func (brokenTasks) NoteLate(time.Time, guard.TaskKey, uint64) { panic("broken") }

func (brokenTasks) Late(time.Time, guard.TaskKey) []uint64 { panic("broken") }

func TestAFaultOfTheGuardsOwn(t *testing.T) {
	const (
		failed    = `{"jsonrpc":"2.0","id":"q1","error":{"code":-32603,"message":"the guard in front of the agent failed; `
		unknown   = failed + "a task that was begun may still run ("
		withATask = failed + "the task may still run, call GetTask ("
	)
	const follow = `{"jsonrpc":"2.0","id":"q1","method":"SendMessage","params":{"message":{"taskId":"t1"}}}`
	result := `{"jsonrpc":"2.0","id":"q1","result":{"id":"t1","status":{"state":"TASK_STATE_WORKING"}}}`
	stream := func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "text/event-stream")
		return say(w, taskFrame, doneFrame)
	}
	unary := func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "application/json")
		_, err := w.Write([]byte(result))
		return err
	}
	tests := []struct {
		name, profile, call string
		agent               caddyhttp.HandlerFunc
		want                string
	}{
		{"takes no stream down under observe", "observe", streamCall, stream, "0s head 200 text/event-stream\n0s " + taskFrame + "\n0s " + doneFrame + "\n0s end"},
		{"becomes the answer of a stream that has not begun", "standard", streamCall, stream, "0s head 200 text/event-stream\n0s data: " + unknown},
		{"becomes an error of a stream", "standard\nhold 0", streamCall, stream, "0s head 200 text/event-stream\n0s event: error\ndata: " + unknown},
		{"takes no answer down under observe", "observe", unaryCall, unary, "0s head 200 application/json\n0s " + result + "\n0s end"},
		{"becomes an error in place of an answer", "standard", unaryCall, unary, "0s head 200 application/json\n0s " + withATask},
		{"takes no request down under observe", "observe", follow, unary, "0s " + result + "\n0s end"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := guarded(t, "profile "+tt.profile)
			h.Principal = "somebody"
			h.guard.Tasks = brokenTasks{}
			synctest.Test(t, func(t *testing.T) {
				if got := serve(t, h, t.Context(), tt.call, tt.agent).saw(); !strings.HasPrefix(got, tt.want) {
					t.Errorf("\n got %s\nwant %s…", got, tt.want)
				}
			})
		})
	}
}
