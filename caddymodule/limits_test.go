// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// caller makes calls to a handler.
type caller struct {
	h       *Handler
	address string
	token   string
}

// call makes one and returns what came of it in a line: status, type, Retry-After
// and body, or the handler's panic or error.
func (c caller) call(ctx context.Context, call string, agent caddyhttp.HandlerFunc) (line string) {
	defer func() {
		if p := recover(); p != nil {
			line = fmt.Sprint("panic ", p)
		}
	}()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(call)).WithContext(ctx)
	r.Header.Set("A2A-Version", "1.0")
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.address != "" {
		r.RemoteAddr = c.address
	}
	r = caddyhttp.PrepareRequest(r, caddy.NewReplacer(), w, new(caddyhttp.Server))
	if err := c.h.ServeHTTP(w, r, agent); err != nil {
		return "error " + err.Error()
	}
	body, _, _ := strings.Cut(w.Body.String(), " (")
	return strings.TrimSpace(fmt.Sprintf("%d %s %s %s", w.Code, w.Header().Get("Content-Type"), w.Header().Get("Retry-After"), body))
}

const (
	noMoreCalls   = `429 application/json 1 {"jsonrpc":"2.0","id":"q1","error":{"code":-32603,"message":"too many calls of yours are in flight; wait for one to be answered`
	noMoreStreams = `429 application/json 10 {"jsonrpc":"2.0","id":"q1","error":{"code":-32603,"message":"too many streams of yours are open; end one, or call GetTask`
	goodAnswer    = `{"jsonrpc":"2.0","id":"q1","result":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}}`
)

// answering is an agent that takes its time.
func answering(after time.Duration) caddyhttp.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		wait(r, after)
		w.Header().Set("Content-Type", "application/json")
		_, err := w.Write([]byte(goodAnswer))
		return err
	}
}

// streaming is an agent whose stream lasts.
func streaming(until time.Duration) caddyhttp.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Content-Type", "text/event-stream")
		if err := say(w, taskFrame); err != nil {
			return err
		}
		wait(r, until)
		return say(w, doneFrame)
	}
}

func TestACallerHasNoMoreCallsThanItMay(t *testing.T) {
	h := guarded(t, "max_calls 2\nmax_streams 1")
	synctest.Test(t, func(t *testing.T) {
		alice, bob := caller{h: h, token: "alice"}, caller{h: h, token: "bob"}
		for range 2 {
			go alice.call(t.Context(), unaryCall, answering(10*time.Second))
		}
		go alice.call(t.Context(), streamCall, streaming(20*time.Second))
		time.Sleep(time.Second)
		if got := alice.call(t.Context(), unaryCall, answering(0)); got != noMoreCalls {
			t.Errorf("a third call: %s", got)
		}
		if got := alice.call(t.Context(), streamCall, streaming(0)); got != noMoreStreams {
			t.Errorf("a second stream: %s", got)
		}
		if got := bob.call(t.Context(), unaryCall, answering(0)); got != "200 application/json  "+goodAnswer {
			t.Errorf("another caller's call: %s", got)
		}
		time.Sleep(10 * time.Second)
		if got := alice.call(t.Context(), unaryCall, answering(0)); got != "200 application/json  "+goodAnswer {
			t.Errorf("a call after the others: %s", got)
		}
		if got := alice.call(t.Context(), streamCall, streaming(0)); got != noMoreStreams {
			t.Errorf("a second stream, while the first lasts: %s", got)
		}
		time.Sleep(10 * time.Second)
		if got := alice.call(t.Context(), streamCall, streaming(0)); !strings.HasPrefix(got, "200 text/event-stream") {
			t.Errorf("a stream after the other: %s", got)
		}
		if n := len(h.calls.n); n != 0 {
			t.Errorf("%d counts are left", n)
		}
	})
}

func TestEveryEndOfACallMakesRoomOnce(t *testing.T) {
	unary := func(fail func(r *http.Request) error) caddyhttp.HandlerFunc {
		return func(_ http.ResponseWriter, r *http.Request) error { return fail(r) }
	}
	tests := []struct {
		name, options, call string
		agent               caddyhttp.HandlerFunc
		leaves              time.Duration // when the client goes, 0 for never
		room                time.Duration // when there must be room again
	}{
		{"an answer", "", unaryCall, answering(5 * time.Second), 0, 5 * time.Second},
		{"an error of the chain", "", unaryCall, unary(func(r *http.Request) error {
			wait(r, 2*time.Second)
			return errors.New("refused")
		}), 0, 2 * time.Second},
		{"an abort", "", unaryCall, unary(func(r *http.Request) error {
			wait(r, 2*time.Second)
			panic(http.ErrAbortHandler)
		}), 0, 2 * time.Second},
		{"a handler's panic", "", unaryCall, unary(func(r *http.Request) error {
			wait(r, 2*time.Second)
			panic("broken")
		}), 0, 2 * time.Second},
		{"a deadline", "call_timeout 3s", unaryCall, answering(time.Hour), 0, 3 * time.Second},
		{"a stream's end", "", streamCall, streaming(4 * time.Second), 0, 4 * time.Second},
		{"an abort in a stream", "unfinished observe", streamCall, func(w http.ResponseWriter, r *http.Request) error {
			if asked(r) {
				return nil
			}
			w.Header().Set("Content-Type", "text/event-stream")
			if err := say(w, taskFrame); err != nil {
				return err
			}
			wait(r, 2*time.Second)
			panic(http.ErrAbortHandler)
		}, 0, 2 * time.Second},
		{"an idle stream", "idle_timeout 6s\nunfinished observe\nheartbeat off", streamCall, func(w http.ResponseWriter, r *http.Request) error {
			if asked(r) {
				return nil
			}
			return streaming(time.Hour)(w, r)
		}, 0, 6 * time.Second},
		{"a client that leaves", "client_gone close", streamCall, streaming(time.Hour), 3 * time.Second, 3 * time.Second},
		{"a client that leaves, while the agent is read to its end", "client_gone drain", streamCall, streaming(8 * time.Second), 3 * time.Second, 8 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := guarded(t, "max_calls 1\nmax_streams 1\n"+tt.options)
			synctest.Test(t, func(t *testing.T) {
				alice := caller{h: h, token: "alice"}
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				if tt.leaves > 0 {
					time.AfterFunc(tt.leaves, leave)
				}
				go alice.call(ctx, tt.call, tt.agent)
				again := func() string { return alice.call(t.Context(), tt.call, answering(0)) }
				time.Sleep(tt.room - time.Millisecond)
				if got := again(); !strings.HasPrefix(got, "429 ") {
					t.Errorf("before: %s", got)
				}
				time.Sleep(2 * time.Millisecond)
				for range 2 { // a place that came back twice would make room for two
					if got := again(); !strings.HasPrefix(got, "200 ") {
						t.Errorf("after: %s", got)
					}
				}
				if n := len(h.calls.n); n != 0 {
					t.Errorf("%d counts are left", n)
				}
			})
		})
	}
}

func TestCallersWithoutANameAreToldApartByAddress(t *testing.T) {
	tests := []struct {
		name          string
		first, second caller
		shared        bool
	}{
		{"one address", caller{address: "192.0.2.7:1111"}, caller{address: "192.0.2.7:2222"}, true},
		{"two addresses", caller{address: "192.0.2.7:1111"}, caller{address: "192.0.2.8:1111"}, false},
		{"one address in two spellings", caller{address: "192.0.2.7:1111"}, caller{address: "[::ffff:192.0.2.7]:1111"}, true},
		{"one network of IPv6", caller{address: "[2001:db8:1:2::1]:1111"}, caller{address: "[2001:db8:1:2:ffff::9]:1111"}, true},
		{"two networks of IPv6", caller{address: "[2001:db8:1:2::1]:1111"}, caller{address: "[2001:db8:1:3::1]:1111"}, false},
		{"one address, two names", caller{address: "192.0.2.7:1111", token: "alice"}, caller{address: "192.0.2.7:1111", token: "bob"}, false},
		{"one name, two addresses", caller{address: "192.0.2.7:1111", token: "alice"}, caller{address: "192.0.2.8:1111", token: "alice"}, true},
		{"one address, with and without a name", caller{address: "192.0.2.7:1111", token: "alice"}, caller{address: "192.0.2.7:1111"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := guarded(t, "max_calls 1")
			tt.first.h, tt.second.h = h, h
			synctest.Test(t, func(t *testing.T) {
				go tt.first.call(t.Context(), unaryCall, answering(2*time.Second))
				time.Sleep(time.Second)
				got := tt.second.call(t.Context(), unaryCall, answering(0))
				if shared := got == noMoreCalls; shared != tt.shared {
					t.Errorf("got %s", got)
				}
			})
		})
	}
}

func TestObservingOnlyCounts(t *testing.T) {
	h := guarded(t, "profile observe\nmax_calls 1")
	synctest.Test(t, func(t *testing.T) {
		alice := caller{h: h, token: "alice"}
		for range 3 {
			go alice.call(t.Context(), unaryCall, answering(2*time.Second))
		}
		time.Sleep(time.Second)
		if got := alice.call(t.Context(), unaryCall, answering(0)); got != "200 application/json  "+goodAnswer {
			t.Errorf("got %s", got)
		}
		if h.limiter.rules["max-calls"] == nil {
			t.Error("nobody is told that a limit was passed")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if n := len(h.calls.n); n != 0 {
			t.Errorf("%d counts are left", n)
		}
	})
}

func TestAReloadForgetsNoCall(t *testing.T) {
	before := guarded(t, "name desk\nmax_calls 1")
	after, other := guarded(t, "name desk\nmax_calls 1"), guarded(t, "name cellar\nmax_calls 1")
	synctest.Test(t, func(t *testing.T) {
		go caller{h: before, token: "alice"}.call(t.Context(), unaryCall, answering(5*time.Second))
		time.Sleep(time.Second)
		if got := (caller{h: after, token: "alice"}).call(t.Context(), unaryCall, answering(0)); got != noMoreCalls {
			t.Errorf("the next configuration: %s", got)
		}
		if got := (caller{h: other, token: "alice"}).call(t.Context(), unaryCall, answering(0)); !strings.HasPrefix(got, "200 ") {
			t.Errorf("another guard: %s", got)
		}
		time.Sleep(5 * time.Second)
		if got := (caller{h: after, token: "alice"}).call(t.Context(), unaryCall, answering(0)); !strings.HasPrefix(got, "200 ") {
			t.Errorf("once the old one's call is over: %s", got)
		}
	})
}

func TestWithoutLimitsNobodyCounts(t *testing.T) {
	if h := guarded(t, "max_calls off\nmax_streams off"); h.calls != nil {
		t.Error("somebody counts")
	}
}
