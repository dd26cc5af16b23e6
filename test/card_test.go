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

const (
	cardPath = "/.well-known/agent-card.json"
	// The card of case 71, and what clients must get of it.
	innerCard = `{"name":"x","url":"http://0.0.0.0:9000/","supportedInterfaces":[{"url":"http://0.0.0.0:9000/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"},{"url":"http://0.0.0.0:9000/v1","protocolBinding":"HTTP+JSON"}]}`
	outerCard = `{"name":"x","url":"https://agents.example.com/","supportedInterfaces":[{"url":"https://agents.example.com/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"},{"url":"https://agents.example.com/v1","protocolBinding":"HTTP+JSON"}]}`

	roundTheGuard = "the agent's card leads clients round the guard; set card { public_url }, or the agent's own URL"
)

// publicURL is the option that leads cards to the guard.
var publicURL = []string{"card {", "public_url https://agents.example.com", "}"}

// cardAgent answers every request with a card, and with validators as a file
// server has them. It fails the test where the guard asks for less than all.
func cardAgent(t testing.TB, card string) *agent {
	return answering(t, func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"If-None-Match", "If-Modified-Since", "Range"} {
			if r.Header.Get(name) != "" {
				t.Errorf("the agent gets %s", name)
			}
		}
		if r.Method != http.MethodGet || r.Header.Get("Accept-Encoding") != "identity" {
			t.Errorf("the agent gets %s, %v", r.Method, r.Header)
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Cache-Control", "public, max-age=300")
		w.Header().Set("ETag", `"inner"`)
		w.Header().Set("Last-Modified", "Mon, 02 Nov 2026 12:00:00 GMT")
		w.Header().Set("Content-Digest", "sha-256=:x:")
		_, _ = io.WriteString(w, card)
	})
}

// get asks for a card.
func (c *client) get(method, path string, set ...func(*http.Request)) *answer {
	c.t.Helper()
	r, leave := c.request(method, path, "", set...)
	return c.do(r, leave)
}

func TestCardsLeadToThePublicURL(t *testing.T) {
	s := serve(t, "encode gzip\n"+reaching(cardAgent(t, innerCard).address, publicURL...), allProtocols)
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			c := s.client(t, p)
			var tag string
			for _, path := range []string{cardPath, "/.well-known/agent.json", "/orders/acme" + cardPath} {
				answer := c.get(http.MethodGet, path)
				if body := answer.rest(); answer.StatusCode != http.StatusOK || body != outerCard {
					t.Errorf("%s is answered with %d %s", path, answer.StatusCode, body)
				}
				tag = answer.Header.Get("ETag")
				if tag == "" || tag == `"inner"` || answer.ContentLength != int64(len(outerCard)) || answer.Header.Get("Last-Modified") != "" ||
					answer.Header.Get("Content-Digest") != "" || answer.Header.Get("Cache-Control") != "public, max-age=300" ||
					answer.Header.Get("Content-Type") != "application/json; charset=utf-8" {
					t.Errorf("the head is %v", answer.Header)
				}
			}
			answer := c.get(http.MethodHead, cardPath)
			if body := answer.rest(); answer.StatusCode != http.StatusOK || body != "" || answer.ContentLength != int64(len(outerCard)) || answer.Header.Get("ETag") != tag {
				t.Errorf("HEAD is answered with %d %v %q", answer.StatusCode, answer.Header, body)
			}
			for _, known := range []string{tag, `"other", W/` + tag, "*"} {
				answer := c.get(http.MethodGet, cardPath, header("If-None-Match", known))
				if body := answer.rest(); answer.StatusCode != http.StatusNotModified || body != "" || answer.Header.Get("ETag") != tag {
					t.Errorf("If-None-Match %s is answered with %d %q", known, answer.StatusCode, body)
				}
			}
			for _, stale := range []func(*http.Request){
				header("If-None-Match", `"inner"`), header("If-Modified-Since", "Tue, 01 Dec 2026 12:00:00 GMT"),
			} {
				if answer := c.get(http.MethodGet, cardPath, stale); answer.StatusCode != http.StatusOK || answer.rest() != outerCard {
					t.Errorf("an old validator is answered with %d", answer.StatusCode)
				}
			}
			answer = c.get(http.MethodGet, cardPath, header("Range", "bytes=0-8"))
			if body := answer.rest(); answer.StatusCode != http.StatusPartialContent || body != outerCard[:9] {
				t.Errorf("a range is answered with %d %q", answer.StatusCode, body)
			}
		})
	}
	if got := logged.all(roundTheGuard); len(got) > 0 {
		t.Errorf("the log has %v", got)
	}
}

func TestASignedCardIsNotTouched(t *testing.T) {
	const warning = "the agent's card leads clients round the guard and is signed, so it keeps its URLs; have the agent sign a card with the public URL"
	signed := strings.Replace(innerCard, `{"name"`, `{"signatures":[{"protected":"e30","signature":"x"}],"name"`, 1)
	s := serve(t, reaching(cardAgent(t, signed).address, publicURL...))
	c := s.client(t, h1)
	for range 3 {
		answer := c.get(http.MethodGet, cardPath)
		if body := answer.rest(); body != signed || answer.Header.Get("ETag") != `"inner"` || answer.Header.Get("Content-Digest") == "" {
			t.Errorf("the client gets %v %s", answer.Header, body)
		}
	}
	answer := c.get(http.MethodGet, cardPath, header("If-None-Match", `"inner"`))
	if answer.StatusCode != http.StatusNotModified {
		t.Errorf("what the client has already is answered with %d", answer.StatusCode)
	}
	if got := logged.all(warning); len(got) != 1 {
		t.Errorf("the log has %d warnings", len(got))
	}
}

func TestACardThatLeadsRoundTheGuardIsWarnedOfOnce(t *testing.T) {
	for _, tt := range []struct {
		name, card string
		options    []string
		warnings   int
	}{
		{"elsewhere", innerCard, nil, 1},
		{"observed", innerCard, append([]string{"profile observe"}, publicURL...), 1},
		{"here", "", nil, 0},
		{"no card", "<html>not here</html>", nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			card := tt.card
			a := answering(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("ETag", `"inner"`)
				if r.Header.Get("If-None-Match") == `"inner"` {
					w.WriteHeader(http.StatusNotModified)
					return
				}
				_, _ = io.WriteString(w, card)
			})
			s := serve(t, reaching(a.address, tt.options...))
			if card == "" {
				card = fmt.Sprintf(`{"url":"http://%s/"}`, s.plain)
			}
			c := s.client(t, h1)
			for range 3 {
				if answer := c.get(http.MethodGet, cardPath); answer.rest() != card || answer.Header.Get("ETag") != `"inner"` {
					t.Errorf("the card does not pass as it came: %v", answer.Header)
				}
			}
			if answer := c.get(http.MethodGet, cardPath, header("If-None-Match", `"inner"`)); answer.StatusCode != http.StatusNotModified {
				t.Errorf("what the client has already is answered with %d", answer.StatusCode)
			}
			if got := len(logged.all(roundTheGuard)); got != tt.warnings {
				t.Errorf("%d warnings", got)
			}
		})
	}
}

func TestCardsThatCannotBeChangedPass(t *testing.T) {
	large := `{"url":"http://10.0.0.1/","description":"` + strings.Repeat("x", 1<<20) + `"}`
	for _, tt := range []struct {
		name, body, encoding string
		status               int
		warning              string
	}{
		{"compressed", "\x1f\x8bwhatever", "gzip", http.StatusOK, "the agent's card is compressed although nobody asked for it, so it keeps its URLs"},
		{"too large", large, "", http.StatusOK, "the agent's card is larger than the guard reads, so it keeps its URLs"},
		{"ambiguous", `{"url":"http://10.0.0.1/","url":"http://10.0.0.2/"}`, "", http.StatusOK, "the agent's card cannot be read without doubt, so it keeps its URLs"},
		{"missing", innerCard, "", http.StatusNotFound, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := answering(t, func(w http.ResponseWriter, _ *http.Request) {
				if tt.encoding != "" {
					w.Header().Set("Content-Encoding", tt.encoding)
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			})
			s := serve(t, reaching(a.address, publicURL...))
			c := s.client(t, h1)
			for range 2 {
				answer := c.get(http.MethodGet, cardPath)
				if body := answer.rest(); answer.StatusCode != tt.status || body != tt.body {
					t.Errorf("the client gets %d %.100q", answer.StatusCode, body)
				}
			}
			if answer := c.get(http.MethodHead, cardPath); answer.StatusCode != tt.status || answer.rest() != "" {
				t.Errorf("HEAD is answered with %d", answer.StatusCode)
			}
			if got := logged.all(tt.warning); tt.warning != "" && len(got) != 1 {
				t.Errorf("the log has %d warnings", len(got))
			}
		})
	}
}

func TestACardThatBreaksOffReachesNobodyWhole(t *testing.T) {
	a := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, innerCard)
		panic(http.ErrAbortHandler)
	})
	s := serve(t, reaching(a.address, publicURL...))
	c := s.dial(t, h1)
	c.send("GET " + cardPath + " HTTP/1.1\r\nHost: x\r\n\r\n")
	if got, _ := io.ReadAll(c.lines); strings.Contains(string(got), "200 OK") {
		t.Errorf("the client gets %q", got)
	}
}

func TestTheExtendedCardLeadsToThePublicURL(t *testing.T) {
	a := startAgent(t)
	s := serve(t, reaching(a.address, publicURL...))
	for _, method := range []string{"GetExtendedAgentCard", "agent/getAuthenticatedExtendedCard"} {
		answers := s.client(t, h1).asks(`{"jsonrpc":"2.0","id":"q1","method":"` + method + `"}`)
		call := a.next(t)
		call.w.Header().Set("ETag", `"inner"`)
		call.json(result(innerCard))
		answer := head(t, answers)
		if body := answer.rest(); body != result(outerCard) || answer.Header.Get("ETag") != "" || answer.ContentLength != int64(len(result(outerCard))) {
			t.Errorf("%s is answered with %v %s", method, answer.Header, body)
		}
	}
}
