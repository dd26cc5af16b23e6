// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// mute is the card of an agent that does not stream, which is mounted anywhere.
const mute = `{"name":"x","supportedInterfaces":[{"url":"http://agent:9000/desk/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{}}`

// cardBearer is an agent that has a card and answers calls; it keeps the requests.
type cardBearer struct {
	*agent
	mu       sync.Mutex
	requests []*http.Request
}

func startCardBearer(t testing.TB, path, card string) *cardBearer {
	a := new(cardBearer)
	a.agent = answering(t, func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		a.requests = append(a.requests, r)
		a.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method == http.MethodPost:
			_, _ = io.WriteString(w, result(`{"task":`+doneTask+`}`))
		case r.URL.Path == path:
			_, _ = io.WriteString(w, card)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	})
	return a
}

// took are the requests since the last time.
func (a *cardBearer) took() []*http.Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	requests := a.requests
	a.requests = nil
	return requests
}

func TestTheCardIsFetchedTheWayOfTheCall(t *testing.T) {
	const tells = `{
	header_up X-Pool {vars.pool}
	header_up X-Caller {http.request.header.Authorization}
	header_up X-User {http.auth.user.id}
}`
	for _, tt := range []struct{ name, directives, path, card string }{
		{"at the root", "vars pool blue\na2a_guard {\nprofile strict\n}\nreverse_proxy AGENT " + tells, "/", cardPath},
		{"at the root, called below", "vars pool blue\na2a_guard {\nprofile strict\n}\nreverse_proxy AGENT " + tells, "/desk/rpc?key=secret", cardPath},
		{"route with groups", "route {\nvars pool blue\na2a_guard {\nprofile strict\n}\nhandle {\nreverse_proxy AGENT " + tells + "\n}\n}", "/rpc", cardPath},
		{"path stripped before", "vars pool blue\nhandle_path /agents/* {\na2a_guard {\nprofile strict\n}\nreverse_proxy AGENT " + tells + "\n}", "/agents/desk/rpc", cardPath},
		{"path changed behind", "route {\nvars pool blue\na2a_guard {\nprofile strict\n}\nrewrite * /inner{uri}\nreverse_proxy AGENT " + tells + "\n}", "/rpc", "/inner" + cardPath},
		{"at the agent's own path", "vars pool blue\na2a_guard {\nprofile strict\nrpc_path /desk/rpc\n}\nreverse_proxy AGENT " + tells, "/desk/rpc", "/desk/rpc" + cardPath},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := startCardBearer(t, tt.card, mute)
			s := serve(t, "log\n"+strings.ReplaceAll(tt.directives, "AGENT", a.address))
			c := s.client(t, h1)
			for range 2 {
				r, leave := c.request(http.MethodPost, tt.path, streamCall, header("A2A-Version", "1.0"),
					header("Authorization", "Bearer alice"), header("Cookie", "session=1"), header("X-API-Key", "k1"))
				answer := c.do(r, leave)
				if got := answer.rest(); answer.StatusCode != 200 || !strings.HasPrefix(got, `data: {"jsonrpc":"2.0","id":"q1","error":{"code":-32004,`) {
					t.Errorf("the client gets %d %s", answer.StatusCode, got)
				}
			}
			requests := a.took()
			if len(requests) != 1 {
				t.Fatalf("the agent gets %d requests", len(requests))
			}
			got := requests[0]
			if got.Method != http.MethodGet || got.RequestURI != tt.card || got.Header.Get("X-Pool") != "blue" {
				t.Errorf("the agent gets %s %s, %v", got.Method, got.RequestURI, got.Header)
			}
			for _, name := range []string{"Authorization", "Cookie", "X-API-Key", "X-Caller", "X-User"} {
				if value := got.Header.Get(name); value != "" {
					t.Errorf("the agent gets %s: %s", name, value)
				}
			}
			r, leave := c.request(http.MethodPost, tt.path, sendCall, header("A2A-Version", "1.0"))
			if got := c.do(r, leave).rest(); got != result(`{"task":`+doneTask+`}`) {
				t.Errorf("a call that needs no stream gets %s", got)
			}
		})
	}
}

func TestStrangersLearnNothingOfTheAgent(t *testing.T) {
	a := startCardBearer(t, cardPath, mute)
	s := serve(t, reaching(a.address, "profile strict", "require_authorization", "versions 1.0"), allProtocols)
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			c := s.client(t, p)
			for _, call := range []string{
				streamCall, sendCall, strings.Replace(sendCall, "SendMessage", "message/send", 1), strings.Replace(getCall, "GetTask", "GetExtendedAgentCard", 1),
				strings.Replace(getCall, "GetTask", "nonsense", 1), "{bad", "[" + getCall + "]",
			} {
				answer := c.post(call, header("Content-Type", "text/plain"))
				if got := answer.rest(); answer.StatusCode != 401 || !strings.Contains(got, `"code":-31401,"message":"the call bears no credentials; authenticate as the agent's card says (`) ||
					answer.Header.Get("WWW-Authenticate") != `Bearer realm="a2a"` || answer.Header.Get("Content-Type") != "application/json" {
					t.Errorf("%s gets %d %v %s", call, answer.StatusCode, answer.Header, got)
				}
			}
			if requests := a.took(); requests != nil {
				t.Errorf("the agent gets %s %s", requests[0].Method, requests[0].URL)
			}
			if answer := c.get(http.MethodGet, cardPath); answer.StatusCode != 200 || answer.rest() != mute {
				t.Errorf("the public card gets %d", answer.StatusCode)
			}
			a.took()
		})
	}
}

func TestALimitOutlivesAReload(t *testing.T) {
	a := startAgent(t)
	site := reaching(a.address, "max_streams 1", "principal {header.X-Caller}")
	s := serve(t, site)
	c := s.client(t, h1)
	first := c.asks(streamCall, header("X-Caller", "alice"))
	stream := a.next(t).stream().say(taskFrame)
	client := head(t, first)
	client.expect(taskFrame)
	s.load(t, site+"\n")
	again := c.post(streamCall, header("X-Caller", "alice"))
	if got := again.rest(); again.StatusCode != 429 || again.Header.Get("Retry-After") != "10" || !strings.Contains(got, "max-streams") {
		t.Errorf("a second stream gets %d %v %s", again.StatusCode, again.Header, got)
	}
	other := c.asks(streamCall, header("X-Caller", "bob"))
	a.next(t).stream().say(taskFrame, doneFrame).end()
	head(t, other).expect(taskFrame, doneFrame)
	stream.say(doneFrame).end()
	client.expect(doneFrame)
	if rest := client.rest(); rest != "" {
		t.Errorf("the first stream ends with %q", rest)
	}
	// The old server closes the first stream's connection once that is idle.
	next := s.client(t, h1).asks(streamCall, header("X-Caller", "alice"))
	a.next(t).stream().say(taskFrame, doneFrame).end()
	head(t, next).expect(taskFrame, doneFrame)
}
