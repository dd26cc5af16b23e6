// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// hearing runs an agent that answers every body alike and hands it to the test.
func hearing(t testing.TB) (*agent, <-chan string) {
	heard := make(chan string, 1)
	return answering(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			body = []byte(err.Error())
		}
		heard <- string(body)
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "heard")
	}), heard
}

func TestObserveHandsOnMalformedRequests(t *testing.T) {
	a, heard := hearing(t)
	s := serve(t, reaching(a.address, "profile observe", "max_request_body 100KiB"))
	for _, tt := range malformed {
		t.Run(tt.name, func(t *testing.T) {
			set := tt.set
			if set == nil {
				set = func(*http.Request) {}
			}
			s.client(t, h1).post(tt.body, set).check(http.StatusOK, "text/plain", "heard")
			if got := <-heard; got != tt.body {
				t.Errorf("the agent gets %.200q", got)
			}
		})
	}
}

func TestObserveWaitsForABodyAsLongAsItTakes(t *testing.T) {
	a, heard := hearing(t)
	s := serve(t, reaching(a.address, "profile observe", "request_body_timeout 30ms"), allProtocols)
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			reader, writer := io.Pipe()
			c := s.client(t, p)
			r, leave := c.request(http.MethodPost, "/", "")
			r.Body, r.ContentLength, r.GetBody = reader, -1, nil
			answers := c.send(r, leave)
			if _, err := io.WriteString(writer, getCall[:20]); err != nil {
				t.Fatal(err)
			}
			<-time.After(100 * time.Millisecond)
			if _, err := io.WriteString(writer, getCall[20:]); err != nil {
				t.Fatal(err)
			}
			writer.Close()
			head(t, answers).check(http.StatusOK, "text/plain", "heard")
			if got := <-heard; got != getCall {
				t.Errorf("the agent gets %q", got)
			}
		})
	}
}

func TestObserveLeavesAnswersAsTheyAre(t *testing.T) {
	for _, tt := range []struct {
		name, call  string
		status      int
		contentType string
		body        string
	}{
		{"an error page", getCall, 500, "text/html", "<p>Traceback</p>"},
		{"no JSON", getCall, 200, typeJSON, "{"},
		{"a page to a stream", streamCall, 200, "text/html", "<p>log in</p>"},
		{"nothing to a stream", streamCall, 200, typeSSE, ""},
		{"a stream with faults", streamCall, 200, typeSSE, ": hi\n\n" + workingFrame + "data: {\n\n" + doneFrame + artifact("a", "late") + workingFrame + "data: [DONE]\n\ndata: half"},
		{"too much", getCall, 200, typeJSON, result(`"` + strings.Repeat("x", 4<<10) + `"`)},
		{"too much in a stream", streamCall, 200, typeSSE, taskFrame + artifact("a", strings.Repeat("x", 4<<10)) + doneFrame},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := answering(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.contentType)
				w.Header().Set("Content-Length", fmt.Sprint(len(tt.body)))
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			})
			s := serve(t, reaching(a.address, "profile observe", "max_event 1KiB", "linger 1ms", "hold 1ms"))
			answer := s.client(t, h1).post(tt.call)
			if answer.ContentLength != int64(len(tt.body)) || answer.Header.Get("Cache-Control") != "" {
				t.Errorf("the head is %v", answer.Header)
			}
			answer.check(tt.status, tt.contentType, tt.body)
		})
	}
}

func TestObservePassesAnAbortOn(t *testing.T) {
	a := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", typeSSE)
		_, _ = io.WriteString(w, taskFrame+"data: {\"half")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	s := serve(t, reaching(a.address, "profile observe"), allProtocols)
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			asked := <-s.client(t, p).asks(streamCall)
			if asked.err != nil && p.name == h3.name {
				return // what is lost of an HTTP/3 stream that is reset may be all of it
			}
			if asked.err != nil {
				t.Fatal(asked.err)
			}
			defer asked.response.Body.Close()
			got, err := io.ReadAll(asked.response.Body)
			if err == nil || !strings.HasPrefix(taskFrame+"data: {\"half", string(got)) {
				t.Errorf("the client gets %q, %v", got, err)
			}
		})
	}
}

func TestObserveLeavesAQuietStreamAlone(t *testing.T) {
	a := startAgent(t)
	s := serve(t, reaching(a.address, "profile observe", "heartbeat 10ms", "idle_timeout 10ms", "first_event_timeout 10ms", "max_duration 20ms", "call_timeout 10ms", "linger 10ms", "hold 1m"))
	answers := s.client(t, h1).asks(streamCall)
	call := a.next(t)
	<-time.After(50 * time.Millisecond)
	call.stream()
	client := head(t, answers) // at once
	<-time.After(50 * time.Millisecond)
	call.say(taskFrame)
	client.expect(taskFrame)
	<-time.After(50 * time.Millisecond)
	call.say(doneFrame)
	client.expect(doneFrame)
	<-time.After(50 * time.Millisecond)
	call.say(workingFrame).end()
	client.expect(workingFrame)
	if rest := client.rest(); rest != "" {
		t.Errorf("after the end comes %q", rest)
	}
	if n := len(a.calls); n > 0 {
		t.Errorf("the agent is asked")
	}
}

func TestOddRequestsReachTheAgentAsTheyAre(t *testing.T) {
	call := func(params string) string {
		return `{"jsonrpc":"2.0","id":"q1","method":"SendMessage","params":` + params + `}`
	}
	deep := strings.Repeat("[", 9_990) + strings.Repeat("]", 9_990)
	bodies := map[string]string{
		"blanks around":            " \r\n\t" + getCall + "\n\n",
		"bytes that are no UTF-8":  call("{\"message\":{\"parts\":[{\"text\":\"\xff\xfe\"}]}}"),
		"half a surrogate":         call(`{"message":{"parts":[{"text":"\ud83d"}]}}`),
		"9,990 arrays deep":        call(`{"metadata":` + deep + `}`),
		"keys twice in user data":  call(`{"metadata":{"a":1,"a":2,"taskId":1,"task_id":2},"message":{"parts":[{"data":{"id":1,"ID":2,"id":3}}]}}`),
		"another jsonrpc":          strings.Replace(getCall, `"2.0"`, `2`, 1),
		"no jsonrpc":               strings.Replace(getCall, `"jsonrpc":"2.0",`, ``, 1),
		"params of another kind":   call(`[1,2]`),
		"no params":                `{"jsonrpc":"2.0","id":"q1","method":"GetTask"}`,
		"a notification":           `{"jsonrpc":"2.0","method":"SendMessage","params":{}}`,
		"escaped names":            `{"\u006asonrpc":"2.0","id":"q1","\u006dethod":"Get\u0054ask","params":{"\u0069d":"t1"}}`,
		"unknown members":          strings.Replace(getCall, `"params"`, `"x":{"y":[null,true,-1.5e-9]},"params"`, 1),
		"a number with a tail":     `{"jsonrpc":"2.0","id":1.00000000000000000000000000000000000000000000001,"method":"GetTask","params":{}}`,
		"a task id of 1 MB":        call(`{"message":{"taskId":"` + strings.Repeat("x", 1<<20) + `"}}`),
		"as much as there may be":  call(`"` + strings.Repeat("x", 2<<20-len(call(`""`))) + `"`),
		"a million empty messages": call(`[` + strings.Repeat("{},", 500_000) + `{}]`),
	}
	a := startAgent(t)
	s := serve(t, reaching(a.address, "max_request_body 2MiB"))
	for name, body := range bodies {
		for _, contentType := range []string{typeJSON, "text/plain", ""} {
			t.Run(name+" "+contentType, func(t *testing.T) {
				answers := s.client(t, h1).asks(body, header("Content-Type", contentType), header("Content-Encoding", "identity"))
				call := a.next(t)
				if call.body != body || call.Header.Get("Content-Type") != contentType || call.ContentLength != int64(len(body)) {
					t.Errorf("the agent gets %.200q with %v", call.body, call.Header)
				}
				call.json(result(task))
				if got := head(t, answers).StatusCode; got != http.StatusOK {
					t.Errorf("the client gets %d", got)
				}
			})
		}
	}
}

func TestCallsThatAreSentBeforeTheirTurnAreAnsweredInOrder(t *testing.T) {
	a := startAgent(t)
	s := serve(t, reaching(a.address))
	for _, p := range []protocol{h1, h1TLS} {
		c := s.dial(t, p)
		for _, call := range []string{streamCall, getCall, streamCall} {
			c.send(head11("1.1", fmt.Sprintf("Content-Length: %d", len(call)), ""), call)
		}
		for _, want := range []string{taskFrame + doneFrame, result(task), doneFrame} {
			call := a.next(t)
			if want == result(task) {
				call.json(want)
			} else {
				call.stream().say(want).end()
			}
			if response, body := c.response(); response.StatusCode != http.StatusOK || body != want {
				t.Errorf("the client gets %d %q", response.StatusCode, body)
			}
		}
	}
}
