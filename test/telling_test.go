// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

func TestTheAccessLogTellsOfTheProtocol(t *testing.T) {
	a := startAgent(t)
	site := "log\nlog_append method {http.vars.a2a.method}\nlog_append end {http.vars.a2a.end}\n" + reaching(a.address, "name desk")
	s := serve(t, site)
	c := s.client(t, h1)
	tell := func(call, answer string) entry {
		asked := c.asks(call)
		if at := a.next(t); strings.HasPrefix(answer, "data:") {
			at.stream().say(answer).end()
		} else {
			at.json(answer)
		}
		head(t, asked).rest()
		return logged.wait(t, "handled request")
	}
	for _, tt := range []struct {
		name, call, answer string
		want               map[string]any
	}{
		{
			"a stream", streamCall, taskFrame + doneFrame,
			map[string]any{
				"a2a.agent": "desk", "a2a.binding": "JSONRPC", "a2a.version": "1.0", "a2a.method": "send_streaming_message", "a2a.outcome": "ok",
				"a2a.task": "t1", "a2a.context": "c1", "a2a.state": "completed", "a2a.end": "terminal", "a2a.events": 2.0,
				"method": "send_streaming_message", "end": "terminal",
			},
		},
		{
			"a call", getCall, `{"jsonrpc":"2.0","id":"q1","error":{"code":-32001,"message":"no such task"}}`,
			map[string]any{"a2a.method": "get_task", "a2a.outcome": "error", "a2a.task": "t1", "a2a.state": nil, "a2a.end": nil, "method": "get_task", "end": ""},
		},
		{
			"a message", sendCall, `{"jsonrpc":"2.0","id":"q1","result":{"task":` + doneTask + `}}`,
			map[string]any{"a2a.method": "send_message", "a2a.outcome": "ok", "a2a.state": "completed"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			line := tell(tt.call, tt.answer)
			for field, want := range tt.want {
				if line[field] != want {
					t.Errorf("%s is %v, want %v", field, line[field], want)
				}
			}
		})
	}
	c.post("{bad").rest()
	if line := logged.wait(t, "handled request"); line["a2a.outcome"] != "refused" || line["a2a.method"] != "other" {
		t.Errorf("a call that is refused is logged as %v", line)
	}
	card := make(chan *answer)
	go func() { card <- c.get(http.MethodGet, "/about") }()
	a.next(t).json("{}")
	(<-card).rest()
	if line := logged.wait(t, "handled request"); line["a2a.agent"] != nil {
		t.Errorf("what is no call is logged as %v", line)
	}
}

// alarm is an event handler that hands on what it is told.
type alarm struct{}

var alarms = make(chan map[string]any, 10)

func init() { caddy.RegisterModule(alarm{}) }

func (alarm) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "events.handlers.test_alarm", New: func() caddy.Module { return new(alarm) }}
}

func (*alarm) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	return nil
}

func (alarm) Handle(_ context.Context, e caddy.Event) error {
	alarms <- e.Data
	return nil
}

func TestAViolationIsAnEventOfCaddys(t *testing.T) {
	a := startAgent(t)
	s := serve(t, reaching(a.address, "name desk"), globals("events {", "on a2a_violation test_alarm", "}"))
	asked := s.client(t, h1).asks(streamCall)
	a.next(t).stream().say(taskFrame, doneFrame, workingFrame).end()
	head(t, asked).rest()
	select {
	case got := <-alarms:
		delete(got, "ref")
		want := map[string]any{
			"agent": "desk", "rule": "illegal-transition", "action": "drop", "method": "send_streaming_message", "version": "1.0", "task": "t1", "context": "c1",
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the handler is told %v, want %v", got, want)
		}
	case <-time.After(patience):
		t.Error("nobody is told")
	}
}

// TestNothingThatIsSaidIsTold plants a secret wherever a client or an agent may put
// one, and looks for it in all that the guard logs, counts, emits and traces.
func TestNothingThatIsSaidIsTold(t *testing.T) {
	const secret = "s3cr3t"
	part := `"parts":[{"text":"` + secret + `"}],"metadata":{"` + secret + `":"` + secret + `"}`
	message := `{"messageId":"m1","role":"ROLE_USER",` + part + `}`
	push := `{"url":"https://127.0.0.1/` + secret + `?k=` + secret + `","token":"` + secret + `","authentication":{"scheme":"Bearer","credentials":"` + secret + `"}}`
	failure := `"error":{"code":-32603,"message":"Traceback ` + secret + `","data":[{"` + secret + `":"` + secret + `"}]}`
	a := answering(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Agent", secret)
		switch r.Header.Get("X-Answer") {
		case "stream":
			w.Header().Set("Content-Type", "text/event-stream")
			for _, payload := range []string{
				`"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING","message":` + message + `},"history":[` + message + `],"metadata":{"` + secret + `":1}}`,
				`"message":` + message,
				`"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"a","name":"` + secret + `",` + part + `},"append":true}`,
				`"` + secret + `":"` + secret + `"`,
				`"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_FAILED","message":` + message + `}}`,
				`"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"` + secret + `","message":` + message + `}}`,
			} {
				fmt.Fprint(w, frame(payload))
			}
			fmt.Fprint(w, "data: {"+secret+"\n\n", "data: "+`{"jsonrpc":"2.0","id":"`+secret+`",`+failure+"}\n\n")
		case "failure":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":"q1",`+failure+`}`)
		case "page":
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, "<h1>"+secret+"</h1>")
		case "broken":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":"q1","result":{"`+secret)
		}
	})
	for _, profile := range []string{"observe", "standard", "strict"} {
		t.Run(profile, func(t *testing.T) {
			r := startReceiver(t, "grpc")
			s := serve(t, "tracing\n"+counted(a.address, "quiet-"+profile, "profile "+profile, "redact_errors"), globals("events {", "on a2a_violation test_alarm", "}"))
			c := s.client(t, h1)
			for _, call := range []string{
				`{"jsonrpc":"2.0","id":"q1","method":"SendStreamingMessage","params":{"message":` + message + `,"metadata":{"x":"` + secret + `"},"configuration":{"taskPushNotificationConfig":` + push + `}}}`,
				`{"jsonrpc":"2.0","id":"q1","method":"SendMessage","params":{"message":` + message + `,"message":` + message + `}}`,
				`{"jsonrpc":"2.0","id":"q1","method":"CreateTaskPushNotificationConfig","params":{"taskId":"t1","url":"http://` + secret + `@10.0.0.1/","token":"` + secret + `"}}`,
				`{"jsonrpc":"2.0","id":"q1","method":"` + secret + `","params":"` + secret + `"}`,
				`{"` + secret, `[{"` + secret + `":1}]`,
			} {
				for _, answer := range []string{"stream", "failure", "page", "broken"} {
					c.post(call, header("X-Answer", answer), header("Authorization", "Bearer "+secret), header("Cookie", "k="+secret),
						header("X-Api-Key", secret), header("A2A-Version", secret), header("A2A-Extensions", secret), header("Content-Type", secret)).rest()
				}
			}
			lines := 0
			logged.mu.Lock()
			for _, line := range logged.entries {
				if line["logger"] != "http.handlers.a2a_guard" {
					continue // Caddy's own lines hold headers
				}
				text, err := json.Marshal(line)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(text), secret) {
					t.Errorf("the log tells: %s", text)
				}
				lines++
			}
			logged.mu.Unlock()
			if lines == 0 {
				t.Error("nothing is logged")
			}
			for series := range c.scrape("quiet-" + profile) {
				if strings.Contains(series, secret) {
					t.Errorf("the metrics tell: %s", series)
				}
			}
			if err := caddy.Stop(); err != nil { // all that was emitted has been
				t.Fatal(err)
			}
			if len(r.spans) == 0 {
				t.Error("nothing is traced")
			}
			for _, span := range r.spans {
				if strings.Contains(span.String(), secret) {
					t.Errorf("a span tells: %s", span)
				}
			}
			for told := 0; ; told++ {
				select {
				case data := <-alarms:
					if strings.Contains(fmt.Sprint(data), secret) {
						t.Errorf("an event tells: %v", data)
					}
					continue
				default:
				}
				if told == 0 {
					t.Error("nothing is emitted")
				}
				break
			}
		})
	}
}
