// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
)

// answered runs an agent that answers every call alike.
func answered(t testing.TB, status int, contentType, body string) *agent {
	return answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

func TestEncodeCompressesAnswersThatAreNoStreams(t *testing.T) {
	body := result(`{"id":"t1","status":{"state":"TASK_STATE_COMPLETED"},"metadata":{"long":"` + strings.Repeat("word ", 500) + `"}}`)
	s := serve(t, "encode gzip\n"+reaching(answered(t, http.StatusOK, "application/json", body).address))
	answer := s.client(t, h1).post(getCall, header("Accept-Encoding", "gzip"))
	if got := answer.Header.Get("Content-Encoding"); got != "gzip" {
		t.Fatalf("the answer's Content-Encoding is %q", got)
	}
	unpacked, err := gzip.NewReader(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(unpacked)
	if err != nil || string(got) != body {
		t.Errorf("the client gets %q, %v", got, err)
	}
}

func TestForwardAuthRefusesBeforeTheGuard(t *testing.T) {
	auth := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "who are you?", http.StatusUnauthorized)
	})
	a := startAgent(t)
	s := serve(t, "forward_auth "+auth.address+" {\nuri /auth\n}\n"+reaching(a.address))
	answer := s.client(t, h1).post(streamCall)
	if answer.StatusCode != http.StatusUnauthorized || answer.Header.Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("the client gets %d %v", answer.StatusCode, answer.Header)
	}
	if got := answer.rest(); got != "who are you?\n" {
		t.Errorf("the body is %q", got)
	}
	if n := a.connections(); n != 0 {
		t.Errorf("%d connections reach the agent", n)
	}
}

func TestWhatForwardAuthAddsReachesTheAgentAlsoInQuestions(t *testing.T) {
	a := startAgent(t)
	s := serve(t, "forward_auth "+allowing(t).address+" {\nuri /auth\ncopy_headers X-User\n}\n"+reaching(a.address))
	answers := s.client(t, h1).asks(streamCall)
	asked := a.next(t)
	asked.stream().say(taskFrame).end()
	question := a.next(t)
	question.json(result(doneTask))
	for _, c := range []*call{asked, question} {
		if got := c.Header.Get("X-User"); got != "alice" {
			t.Errorf("%s comes as %q", c.body, got)
		}
	}
	client := head(t, answers)
	client.expect(taskFrame)
	if got := client.next(); !strings.Contains(got, "TASK_STATE_COMPLETED") {
		t.Errorf("the stream ends with %s", got)
	}
}

func TestErrorPagesReplaceNoAnswerOfTheGuard(t *testing.T) {
	s := serve(t, reaching(freeAddress(t))+"\nhandle_errors {\nrespond \"an error page for {err.status_code}\"\n}")
	client := s.client(t, h1)

	answer := client.post(getCall)
	if body := answer.rest(); answer.StatusCode != http.StatusBadGateway || !strings.HasPrefix(body, `{"jsonrpc":"2.0","id":"q1","error":{"code":-32603,`) {
		t.Errorf("a call to an agent that is not there is answered %d %s", answer.StatusCode, body)
	}
	r, cancel := client.request(http.MethodGet, "/health", "")
	answer = client.do(r, cancel)
	if body := answer.rest(); answer.StatusCode != http.StatusBadGateway || body != "an error page for 502" {
		t.Errorf("what is no call is answered %d %s", answer.StatusCode, body)
	}
}

func TestInterceptSeesTheGuardsAnswer(t *testing.T) {
	a := answered(t, http.StatusInternalServerError, "text/plain", "Traceback: secret")
	s := serve(t, "intercept {\n@failed status 500\nreplace_status @failed 503\n}\n"+reaching(a.address))
	answer := s.client(t, h1).post(getCall)
	if body := answer.rest(); answer.StatusCode != http.StatusServiceUnavailable || !strings.HasPrefix(body, `{"jsonrpc":"2.0","id":"q1","error":{"code":-32603,`) {
		t.Errorf("the client gets %d %s", answer.StatusCode, body)
	}
}

func TestWhatHandleResponseMakesIsTheAgentsAnswer(t *testing.T) {
	a := answered(t, http.StatusTeapot, "text/plain", "no coffee")
	s := serve(t, guarded()+"\nreverse_proxy "+a.address+" {\n@teapot status 418\nhandle_response @teapot {\nheader Retry-After 7\nrespond \"come back\" 503\n}\n}")
	answer := s.client(t, h1).post(streamCall)
	body := answer.rest()
	if answer.StatusCode != http.StatusServiceUnavailable || answer.Header.Get("Retry-After") != "7" || answer.Header.Get("Content-Type") != "application/json" {
		t.Errorf("the client gets %d %v", answer.StatusCode, answer.Header)
	}
	if !strings.HasPrefix(body, `{"jsonrpc":"2.0","id":"q1","error":{"code":-32603,`) || strings.Contains(body, "come back") {
		t.Errorf("the body is %s", body)
	}
}

func TestTheAccessLogTellsOfEveryCallOnce(t *testing.T) {
	a := startAgent(t)
	s := serve(t, "log\n"+reaching(a.address, "linger 10ms"))
	answers := s.client(t, h1).asks(streamCall)
	call := a.next(t).stream().say(taskFrame, doneFrame) // and it stays open
	client := head(t, answers)
	client.expect(taskFrame, doneFrame)
	if rest := client.rest(); rest != "" {
		t.Errorf("after the end comes %q", rest)
	}
	call.hangsUp(t)
	line := logged.wait(t, "handled request")
	if line["status"] != 200.0 || line["size"] != float64(len(taskFrame+doneFrame)) {
		t.Errorf("the access log says %v", line)
	}
	if lines := logged.all("handled request"); len(lines) != 1 {
		t.Errorf("the access log has %d lines", len(lines))
	}
}
