// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// page is an agent that answers everything with a page which names the request's
// target as it came: where the guard judges a call, that does not pass.
func page(t testing.TB) *agent {
	return answering(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<p>%s", r.RequestURI)
	})
}

func TestTheGuardReadsThePathThatTheAgentGets(t *testing.T) {
	const passes, judged, refused = "HTTP/1.1 200", "HTTP/1.1 502", "HTTP/1.1 404"
	tests := []struct{ verb, target, want string }{
		{"POST", "/message:send", judged},
		{"POST", "/acme/message:stream", judged},
		{"GET", "/tasks/t1", judged},
		{"GET", "/tasks/a%2Fb?historyLength=1", judged},
		{"GET", "//tasks//t1/", judged},
		{"GET", "/tasks/%74%31", judged},
		{"GET", "/t%61sks/t1", judged},
		{"POST", "/tasks/t1%3acancel", judged},
		{"GET", "/v1/card", judged},
		{"GET", "/agents/orders/tasks/t1", judged},
		{"GET", "http://127.0.0.1/tasks/t1", judged},

		{"GET", "/TASKS/t1", refused},
		{"POST", "/x/../message:send", refused},
		{"POST", "/x/%2e%2e/message:send", refused},
		{"GET", "/./tasks/t1", refused},
		{"GET", "/tasks%2ft1", refused},
		{"GET", `/tasks\t1`, refused},
		{"GET", "/tasks;v=1/t1", refused},
		{"POST", "/tasks/t1:cancel;v=1", refused},
		{"GET", "/Agents/Orders/tasks/t1", refused},

		{"HEAD", "/tasks/t1", passes},
		{"OPTIONS", "/message:send", passes},
		{"PUT", "/tasks/t1", passes},
		{"GET", "/app/api/tasks/t1", passes},
		{"GET", "/message:send", passes},
		{"GET", "/files/a|b%7Cc;d%2F..%2Fe?x=%zz", passes},
	}
	s := serve(t, reaching(page(t).address, "base_path /agents/orders"))
	for _, tt := range tests {
		t.Run(tt.verb+" "+tt.target, func(t *testing.T) {
			body := ""
			if tt.verb == http.MethodPost {
				body = `{"message":{}}`
			}
			got := s.exchange(t, fmt.Sprintf("%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nA2A-Version: 1.0\r\nContent-Length: %d\r\n\r\n%s",
				tt.verb, tt.target, len(body), body))
			if !strings.HasPrefix(got, tt.want) {
				t.Errorf("not %s but\n%s", tt.want, got)
			}
			if tt.want == refused && !strings.Contains(got, "route-normalisation") {
				t.Errorf("it is refused for another reason:\n%s", got)
			}
		})
	}
}

// What says to be another protocol is a call all the same, if its path is one.
func TestNoHeaderTakesACallPastTheGuard(t *testing.T) {
	s := serve(t, reaching(page(t).address), allProtocols)
	for _, p := range []protocol{h1, h2, h2c} {
		for _, fields := range []map[string]string{
			{"Content-Type": "application/grpc"},
			{"Content-Type": "text/plain"},
			{"Connection": "Upgrade", "Upgrade": "websocket"},
			{"Range": "bytes=0-3"},
			{"Accept": "text/html"},
		} {
			if p.name != h1.name && fields["Upgrade"] != "" {
				continue // HTTP/2 has no such header
			}
			t.Run(fmt.Sprint(p.name, fields), func(t *testing.T) {
				set := func(r *http.Request) {
					r.Header.Set("A2A-Version", "1.0")
					for name, value := range fields {
						r.Header.Set(name, value)
					}
				}
				for _, target := range []string{"POST /message:send", "GET /tasks/t1"} {
					verb, path, _ := strings.Cut(target, " ")
					c := s.client(t, p)
					body := ""
					if verb == http.MethodPost {
						body = `{"message":{}}`
					}
					r, leave := c.request(verb, path, body, set)
					if a := c.do(r, leave); a.StatusCode != http.StatusBadGateway {
						t.Errorf("%s is answered with %d", target, a.StatusCode)
					}
				}
			})
		}
	}
}

func TestBothBindingsShareAPort(t *testing.T) {
	a := answering(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", typeSSE)
		if r.URL.Path == "/" {
			_, _ = io.WriteString(w, taskFrame+doneFrame)
		} else {
			_, _ = io.WriteString(w, plain(taskFrame+doneFrame))
		}
	})
	s := serve(t, reaching(a.address), allProtocols)
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			c := s.client(t, p)
			c.post(streamCall).expect(taskFrame, doneFrame)
			r, leave := c.request(http.MethodPost, "/message:stream", `{"message":{}}`, header("A2A-Version", "1.0"))
			c.do(r, leave).expect(plain(taskFrame), plain(doneFrame))
		})
	}
}

// plain takes the envelopes off frames.
func plain(frames string) string {
	frames = strings.ReplaceAll(frames, `{"jsonrpc":"2.0","id":"q1","result":`, "")
	return strings.ReplaceAll(frames, "}\n\n", "\n\n")
}

func TestACardThatDeclaresNoStreamingHoldsForHTTPJSON(t *testing.T) {
	a := startCardBearer(t, "/desk"+cardPath, strings.NewReplacer("JSONRPC", "HTTP+JSON", "/desk/rpc", "/desk").Replace(mute))
	s := serve(t, reaching(a.address, "profile strict", "base_path /desk"))
	c := s.client(t, h1)
	r, leave := c.request(http.MethodPost, "/desk/message:stream", `{"message":{}}`, header("A2A-Version", "1.0"))
	answer := c.do(r, leave)
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), `"reason":"UNSUPPORTED_OPERATION"`) {
		t.Errorf("the answer is %d %s (%v)", answer.StatusCode, body, err)
	}
}
