// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// reaching is the usual chain: the guard and the way to an agent.
func reaching(address string, options ...string) string {
	return guarded(options...) + "\nreverse_proxy " + address
}

// guarded is the guard's directive with its options.
func guarded(options ...string) string {
	if len(options) == 0 {
		return "a2a_guard"
	}
	return "a2a_guard {\n" + strings.Join(options, "\n") + "\n}"
}

// chains are what users put around the guard; AGENT and AUTH stand for
// addresses.
var chains = []struct{ name, directives string }{
	{"nothing", "a2a_guard\nreverse_proxy AGENT"},
	{"log", "log\na2a_guard\nreverse_proxy AGENT"},
	{"encode", "encode zstd gzip\na2a_guard\nreverse_proxy AGENT"},
	{"header", "header >Server guarded\na2a_guard\nreverse_proxy AGENT"},
	{"forward_auth", "forward_auth AUTH {\nuri /auth\ncopy_headers X-User\n}\na2a_guard\nreverse_proxy AGENT"},
	{"intercept", "intercept {\n@failed status 5xx\nreplace_status @failed 503\n}\na2a_guard\nreverse_proxy AGENT"},
	{"handle_response", "a2a_guard\nreverse_proxy AGENT {\n@streams header Content-Type text/event-stream\nhandle_response @streams {\ncopy_response\n}\n}"},
	{"handle_errors", "a2a_guard\nreverse_proxy AGENT\nhandle_errors {\nrespond \"an error page\"\n}"},
	{"route", "route /* {\na2a_guard\nhandle {\nreverse_proxy AGENT\n}\n}"},
	{"everything", "log\nencode zstd gzip\nheader >Server guarded\nforward_auth AUTH {\nuri /auth\ncopy_headers X-User\n}\n" +
		"intercept {\n@failed status 5xx\nreplace_status @failed 503\n}\na2a_guard\nreverse_proxy AGENT\nhandle_errors {\nrespond \"an error page\"\n}"},
}

// allowing is an authorisation service that knows everybody.
func allowing(t *testing.T) *agent {
	return answering(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-User", "alice")
	})
}

func TestFramesArriveOneByOne(t *testing.T) {
	const comment = ": still here\n\n"
	for _, chain := range chains {
		t.Run(chain.name, func(t *testing.T) {
			a := startAgent(t)
			s := serve(t, strings.NewReplacer("AGENT", a.address, "AUTH", allowing(t).address).Replace(chain.directives), allProtocols)
			for _, p := range protocols {
				t.Run(p.name, func(t *testing.T) {
					answers := s.client(t, p).asks(streamCall, header("Accept-Encoding", "gzip, zstd"))
					agent := a.next(t)
					agent.w.Header().Set("Content-Length", strconv.Itoa(len(taskFrame+workingFrame+comment)))
					agent.stream().say(taskFrame)
					client := head(t, answers)
					client.expect(taskFrame)
					agent.say(workingFrame)
					client.expect(workingFrame)
					agent.say(comment)
					client.expect(comment)
					agent.end()
					question := a.next(t)
					if !question.asked() {
						t.Errorf("the agent gets %s", question.body)
					}
					question.json(`{"jsonrpc":"2.0","id":"q1","error":{"code":-32001,"message":"unknown"}}`)
					fault := client.next()
					if !strings.HasPrefix(fault, "event: error\ndata: ") || !strings.Contains(fault, `"rule":"missing-final-status"`) {
						t.Errorf("the stream without an end ends in %q", fault)
					}
					if rest := client.rest(); rest != "" {
						t.Errorf("after the end comes %q", rest)
					}
					if got := client.Header; got.Get("Content-Encoding") != "" || got.Get("Cache-Control") != "no-cache, no-transform" || client.ContentLength != -1 {
						t.Errorf("the stream's head is %v, its length %d", got, client.ContentLength)
					}
				})
			}
		})
	}
}
