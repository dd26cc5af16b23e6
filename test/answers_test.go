// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// The guard's words on answers, and the reasons of their codes.
const (
	agentGone    = "the agent cannot be reached; try again later"
	agentFailed  = "the agent failed; try again later"
	agentAbsent  = "the agent has nothing at this URL; check it against the agent's card"
	agentBroke   = "the agent's connection broke before its answer was whole; the task may still run, call GetTask"
	agentLate    = "the agent did not answer in time; the task may still run, call GetTask"
	agentSilent  = "the agent sent no event in time; a task that was begun may still run"
	answerPacked = "the agent's answer is compressed although nobody asked for it"
	answerNoJSON = "the agent's answer is not a JSON object"
	notAStream   = "the agent answered a streaming call with neither an event stream nor JSON"

	internal = "INTERNAL_ERROR"
	invalid  = "INVALID_AGENT_RESPONSE"
)

// failed is the guard's answer to call q1 in 1.0 where the agent failed.
func failed(code int, text, reason, rule, task string) string {
	return fault10(`"q1"`, code, text, reason, rule, task)
}

// check compares an answer with a status, type and body.
func (a *answer) check(status int, contentType, body string) {
	a.t.Helper()
	if a.StatusCode != status || a.Header.Get("Content-Type") != contentType {
		a.t.Errorf("the head is %d %v", a.StatusCode, a.Header)
	}
	if got := anonymous(a.t, a.rest()); got != body {
		a.t.Errorf("the client gets\n%s\nnot\n%s", got, body)
	}
}

const (
	typeJSON = "application/json"
	typeSSE  = "text/event-stream"
)

func TestUnusableAnswersAreReplaced(t *testing.T) {
	html := func(status int) string {
		return fmt.Sprintf("HTTP/1.1 %d Whatever\r\nContent-Type: text/html\r\nContent-Length: 9\r\nRetry-After: 7\r\n\r\n<p>no</p>", status)
	}
	ok := func(contentType, body string) string {
		return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", contentType, len(body), body)
	}
	broken := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n" + result(task)
	const status = "http-status-jsonrpc"
	tests := []struct {
		name, call, answer string
		status             int
		typ, want          string
	}{
		{"404", getCall, html(404), 404, typeJSON, failed(-32603, agentAbsent, internal, status, "t1")},
		{"404 to a stream", streamCall, html(404), 404, typeJSON, failed(-32603, agentAbsent, internal, status, "")},
		{"429", sendCall, html(429), 429, typeJSON, failed(-32603, agentFailed, internal, status, "")},
		{"500", getCall, html(500), 500, typeJSON, failed(-32603, agentFailed, internal, status, "t1")},
		{"502", getCall, html(502), 502, typeJSON, failed(-32603, agentGone, internal, status, "t1")},
		{"503 to a stream", streamCall, html(503), 503, typeJSON, failed(-32603, agentFailed, internal, status, "")},
		{"500 with a stream", streamCall, strings.Replace(html(500), "text/html", typeSSE, 1), 500, typeJSON, failed(-32603, agentFailed, internal, status, "")},
		{"500 with JSON that is no error", getCall, strings.Replace(strings.Replace(html(500), "text/html", typeJSON, 1), "<p>no</p>", `{"a":"b"}`, 1), 500, typeJSON, failed(-32603, agentFailed, internal, status, "t1")},

		{"text", getCall, ok("text/plain", "done"), 200, typeJSON, failed(-32006, answerNoJSON, invalid, "jsonrpc-envelope", "t1")},
		{"a page", sendCall, ok("text/html", "<p>log in</p>"), 200, typeJSON, failed(-32006, answerNoJSON, invalid, "jsonrpc-envelope", "")},
		{"a page to a stream", streamCall, ok("text/html", "<p>log in</p>"), 200, typeSSE, "data: " + failed(-32006, notAStream, invalid, "stream-content-type", "") + "\n\n"},
		{"lines of JSON to a stream", streamCall, ok("application/x-ndjson", "{}\n"), 200, typeSSE, "data: " + failed(-32006, notAStream, invalid, "stream-content-type", "") + "\n\n"},
		{"nothing", getCall, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, typeJSON, failed(-32006, answerNoJSON, invalid, "jsonrpc-envelope", "t1")},
		{"nothing, 204", getCall, "HTTP/1.1 204 No Content\r\n\r\n", 200, typeJSON, failed(-32006, answerNoJSON, invalid, "jsonrpc-envelope", "t1")},
		{"JSON and more", getCall, ok(typeJSON, result(task)+"x"), 200, typeJSON, failed(-32006, answerNoJSON, invalid, "jsonrpc-envelope", "t1")},
		{"no envelope", getCall, ok(typeJSON, task), 200, typeJSON, failed(-32006, "the agent's answer has neither result nor error", invalid, "jsonrpc-envelope", "t1")},
		{"a key twice", getCall, ok(typeJSON, result(task[:1]+`"id":"t2",`+task[1:])), 200, typeJSON, failed(-32006, "the agent's answer holds one key twice", invalid, "duplicate-json-keys", "t1")},
		{"two spellings", getCall, ok(typeJSON, result(task[:1]+`"context_id":"t2",`+task[1:])), 200, typeJSON, failed(-32006, "the agent's answer holds two spellings of one field", invalid, "case-variant-keys", "t1")},

		{"no HTTP", getCall, "hello\r\n\r\n", 502, typeJSON, failed(-32603, agentGone, internal, status, "t1")},
		{"no HTTP to a stream", streamCall, "hello\r\n\r\n", 502, typeJSON, failed(-32603, agentGone, internal, status, "")},
		{"no answer", getCall, "", 502, typeJSON, failed(-32603, agentGone, internal, status, "t1")},
		{"half a head", getCall, "HTTP/1.1 200 OK\r\nContent-", 502, typeJSON, failed(-32603, agentGone, internal, status, "t1")},
		{"an endless head", getCall, "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 11<<20) + "\r\n\r\n", 502, typeJSON, failed(-32603, agentGone, internal, status, "t1")},
		{"half a body", getCall, broken, 502, typeJSON, failed(-32603, agentBroke, internal, status, "t1")},
		{"half a body in chunks", getCall, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + fmt.Sprintf("%x\r\n%s\r\n", len(result(task)), result(task)), 502, typeJSON, failed(-32603, agentBroke, internal, status, "t1")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var requests atomic.Int32
			address := rawAgent(t, func(c net.Conn) {
				if request := readRequest(c); request != "" {
					requests.Add(1)
					_, _ = io.WriteString(c, tt.answer) // the guard may close before the end
				}
			})
			s := serve(t, reaching(address))
			answer := s.client(t, h1).post(tt.call)
			if strings.Contains(tt.answer, "Retry-After") && answer.Header.Get("Retry-After") != "7" {
				t.Errorf("Retry-After is lost: %v", answer.Header)
			}
			answer.check(tt.status, tt.typ, tt.want)
			if n := requests.Load(); n != 1 {
				t.Errorf("the agent gets %d requests", n)
			}
		})
	}
}

// readRequest reads one raw request, up to the end of its body.
func readRequest(c net.Conn) string {
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return ""
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return ""
	}
	return r.Method + " " + r.URL.Path + " " + string(body)
}

func TestAnswersThatSpeakForThemselvesAreUntouched(t *testing.T) {
	fault := `{"jsonrpc": "2.0", "id": "q1", "error": {"code": -32001, "message": "no such task"}}`
	for _, tt := range []struct {
		name, call  string
		status      int
		contentType string
		body        string
	}{
		{"401", getCall, 401, "text/plain", "who are you?"},
		{"401 to a stream", streamCall, 401, "text/html", "<p>who are you?</p>"},
		{"403", getCall, 403, "text/plain", "you may not"},
		{"redirection", getCall, 307, "text/plain", "elsewhere"},
		{"error with 200", getCall, 200, typeJSON, fault},
		{"error with 400", getCall, 400, typeJSON, fault},
		{"error with 500 to a stream", streamCall, 500, typeJSON, fault},
		{"error with a type of its own", getCall, 404, "application/a2a+json", fault},
		{"result", getCall, 200, typeJSON, " " + result(task) + "\r\n"},
		{"result with another status", getCall, 202, typeJSON, result(task)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := answering(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.contentType)
				w.Header().Set("WWW-Authenticate", `Bearer realm="agent"`)
				w.Header().Set("Location", "https://agent.example.com/")
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			})
			s := serve(t, reaching(a.address))
			answer := s.client(t, h1).post(tt.call)
			if answer.Header.Get("WWW-Authenticate") != `Bearer realm="agent"` || answer.Header.Get("Location") == "" || answer.ContentLength != int64(len(tt.body)) {
				t.Errorf("the head is %v", answer.Header)
			}
			answer.check(tt.status, tt.contentType, tt.body)
		})
	}
}

// The agent is asked for no compression, so that it holds no event back. One that
// compresses all the same cannot be judged.
func TestCompressedAnswersAreRefused(t *testing.T) {
	for _, tt := range []struct {
		name, call  string
		status      int
		contentType string
		want        string
		typ         string
	}{
		{"stream", streamCall, 200, typeSSE, "data: " + failed(-32006, answerPacked, invalid, "compressed-body", "") + "\n\n", typeSSE},
		{"unary", getCall, 200, typeJSON, failed(-32006, answerPacked, invalid, "compressed-body", "t1"), typeJSON},
		{"error", getCall, 500, typeJSON, failed(-32006, answerPacked, invalid, "compressed-body", "t1"), typeJSON},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := answering(t, func(w http.ResponseWriter, r *http.Request) {
				if got := r.Header.Get("Accept-Encoding"); got != "identity" {
					t.Errorf("the agent is asked for the encoding %q", got)
				}
				zip := gzip.NewWriter(w)
				w.Header().Set("Content-Encoding", "gzip")
				w.Header().Set("Content-Type", tt.contentType)
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(zip, taskFrame)
				_ = zip.Close()
			})
			s := serve(t, reaching(a.address))
			answer := s.client(t, h1).post(tt.call, header("Accept-Encoding", "gzip"))
			if got := answer.Header.Get("Content-Encoding"); got != "" {
				t.Errorf("the answer's Content-Encoding is %q", got)
			}
			answer.check(tt.status, tt.typ, tt.want)
			a.deserted(t)
		})
	}
}

func TestInformationalResponsesPass(t *testing.T) {
	a := startAgent(t)
	s := serve(t, reaching(a.address))
	for _, call := range []string{streamCall, getCall} {
		c := s.dial(t, h1)
		c.send(head11("1.1", fmt.Sprintf("Content-Length: %d", len(call)), ""), call)
		agent := a.next(t)
		agent.w.Header().Set("Link", "</style.css>; rel=preload")
		agent.w.WriteHeader(http.StatusEarlyHints)
		hints, err := http.ReadResponse(c.lines, nil)
		if err != nil || hints.StatusCode != http.StatusEarlyHints || hints.Header.Get("Link") == "" {
			t.Fatalf("the client gets %v, %v", hints, err)
		}
		agent.w.Header().Del("Link")
		agent.w.WriteHeader(http.StatusProcessing)
		if processing, err := http.ReadResponse(c.lines, nil); err != nil || processing.StatusCode != http.StatusProcessing {
			t.Fatalf("the client gets %v, %v", processing, err)
		}
		want := result(task)
		if call == getCall {
			agent.json(want)
		} else {
			want = taskFrame + doneFrame
			agent.stream().say(taskFrame, doneFrame).end()
		}
		if response, body := c.response(); response.StatusCode != http.StatusOK || body != want || response.Header.Get("Link") != "" {
			t.Errorf("the client gets %d %v %q", response.StatusCode, response.Header, body)
		}
	}
}

func TestTrailersPassWithAnswersAndEndWithStreams(t *testing.T) {
	a := startAgent(t)
	s := serve(t, reaching(a.address), allProtocols)
	for _, p := range []protocol{h1, h2, h2c} {
		t.Run(p.name, func(t *testing.T) {
			c := s.client(t, p)
			answers := c.asks(getCall)
			call := a.next(t)
			call.w.Header().Set("Trailer", "X-Cost")
			call.w.Header().Set("Content-Type", typeJSON)
			call.say(result(task))
			call.w.Header().Set("X-Cost", "42")
			call.w.Header().Set(http.TrailerPrefix+"X-Late", "yes")
			call.end()
			answer := head(t, answers)
			answer.check(http.StatusOK, typeJSON, result(task))
			if answer.Trailer.Get("X-Cost") != "42" || answer.Trailer.Get("X-Late") != "yes" {
				t.Errorf("the answer's trailers are %v", answer.Trailer)
			}

			answers = c.asks(streamCall)
			call = a.next(t)
			call.w.Header().Set("Trailer", "X-Cost")
			call.stream().say(taskFrame, doneFrame)
			call.w.Header().Set("X-Cost", "42")
			call.end()
			answer = head(t, answers)
			answer.check(http.StatusOK, typeSSE, taskFrame+doneFrame)
			if len(answer.Trailer) > 0 {
				t.Errorf("the stream's trailers are %v", answer.Trailer)
			}
		})
	}
}

func TestACallThatAReusedConnectionLosesIsNotRepeated(t *testing.T) {
	var sends atomic.Int32
	address := rawAgent(t, func(c net.Conn) {
		for {
			request := readRequest(c)
			switch {
			case strings.Contains(request, "SendMessage"):
				sends.Add(1) // and the connection is closed without a word
				return
			case request == "":
				return
			}
			_, _ = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(result(task)), result(task))
		}
	})
	s := serve(t, reaching(address))
	c := s.client(t, h1)
	c.post(getCall).check(http.StatusOK, typeJSON, result(task))
	c.post(sendCall).check(http.StatusBadGateway, typeJSON, failed(-32603, agentGone, internal, "http-status-jsonrpc", ""))
	if n := sends.Load(); n != 1 {
		t.Errorf("the agent gets the message %d times", n)
	}
}

func TestAnAgentThatIsNotThere(t *testing.T) {
	s := serve(t, reaching(freeAddress(t)), allProtocols)
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			c := s.client(t, p)
			c.post(getCall).check(http.StatusBadGateway, typeJSON, failed(-32603, agentGone, internal, "http-status-jsonrpc", "t1"))
			c.post(streamCall).check(http.StatusBadGateway, typeJSON, failed(-32603, agentGone, internal, "http-status-jsonrpc", ""))
		})
	}
	if line := logged.wait(t, "the agent did not answer"); line["ref"] == "" || !strings.Contains(fmt.Sprint(line["error"]), "refused") {
		t.Errorf("the log says %v", line)
	}
}

func TestAnAgentThatThinksTooLong(t *testing.T) {
	a := startAgent(t)
	s := serve(t, reaching(a.address, "call_timeout 30ms", "first_event_timeout 30ms"), allProtocols)
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			c := s.client(t, p)
			for _, tt := range []struct {
				call   string
				status int
				typ    string
				want   string
			}{
				{getCall, http.StatusGatewayTimeout, typeJSON, failed(-32603, agentLate, internal, "call-timeout", "t1")},
				{streamCall, http.StatusOK, typeSSE, "data: " + failed(-32603, agentSilent, internal, "never-ending-stream", "") + "\n\n"},
			} {
				answers := c.asks(tt.call)
				call := a.next(t)
				head(t, answers).check(tt.status, tt.typ, tt.want)
				call.hangsUp(t)
			}
			answers := c.asks(getCall)
			call := a.next(t)
			call.w.Header().Set("Content-Type", typeJSON)
			call.say(result(task)[:20]) // and never the rest
			head(t, answers).check(http.StatusGatewayTimeout, typeJSON, failed(-32603, agentLate, internal, "call-timeout", "t1"))
			call.hangsUp(t)
		})
	}
}

func TestEndlessEventsEndInBoundedMemory(t *testing.T) {
	for _, tt := range []struct{ name, line string }{
		{"one line", strings.Repeat("x", 64<<10)},
		{"many lines of data", strings.Repeat("data: 0123456789\n", 4<<10)},
		{"many comments", strings.Repeat(": 0123456789\n", 4<<10)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sent := make(chan int64, 1)
			a := answering(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", typeSSE)
				_, _ = io.WriteString(w, taskFrame+"data: ")
				n, _ := io.Copy(w, io.LimitReader(&repeat{line: []byte(tt.line)}, 256<<20))
				sent <- n
			})
			s := serve(t, reaching(a.address, "max_event 1MiB"))
			client := s.client(t, h1).post(streamCall)
			client.expect(taskFrame)
			got := client.rest()
			if !strings.Contains(got, `"code":-32006`) || !strings.Contains(got, `"rule":"oversize-frame"`) || len(got) > 4<<10 {
				t.Errorf("the stream ends in %.1000q", got)
			}
			if n := <-sent; n > 64<<20 {
				t.Errorf("the agent could send %d bytes", n)
			}
		})
	}
}

// repeat reads as one line for ever.
type repeat struct {
	line []byte
	rest bytes.Reader
}

func (r *repeat) Read(p []byte) (int, error) {
	if r.rest.Len() == 0 {
		r.rest.Reset(r.line)
	}
	return r.rest.Read(p)
}
