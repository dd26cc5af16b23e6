// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

const (
	poorCard = `{"supportedInterfaces":[{"url":"http://agent:9000/","protocolBinding":"JSONRPC"}],"capabilities":{}}`
	richCard = `{"supportedInterfaces":[{"url":"http://agent:9000/","protocolBinding":"JSONRPC"}],"capabilities":{"streaming":true}}`
	noStream = `200 text/event-stream  data: {"jsonrpc":"2.0","id":"q1","error":{"code":-32004,"message":"the agent's card declares no streaming; call SendMessage or GetTask`
)

// carded is an agent with cards, by the path that it is asked at.
type carded struct {
	mu    sync.Mutex
	cards map[string]caddyhttp.HandlerFunc
	asked []string // paths of the guard's own requests and of clients'
}

func (a *carded) ServeHTTP(w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodPost {
		return streaming(0)(w, r)
	}
	a.mu.Lock()
	a.asked = append(a.asked, r.URL.Path)
	card := a.cards[r.URL.Path]
	a.mu.Unlock()
	if card == nil {
		w.WriteHeader(http.StatusNotFound)
		return nil
	}
	return card(w, r)
}

func (a *carded) takeAsked() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	asked := a.asked
	a.asked = nil
	return asked
}

func card(text string) caddyhttp.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "application/json")
		_, err := w.Write([]byte(text))
		return err
	}
}

// get is a client's own request.
func get(t *testing.T, h *Handler, path string, agent caddyhttp.HandlerFunc) {
	t.Helper()
	w := httptest.NewRecorder()
	r := caddyhttp.PrepareRequest(httptest.NewRequest(http.MethodGet, path, nil), caddy.NewReplacer(), w, new(caddyhttp.Server))
	if err := h.ServeHTTP(w, r, agent); err != nil {
		t.Error(err)
	}
}

func TestTheAgentIsAskedForItsCardOnlyWhereARuleActs(t *testing.T) {
	streamed := func(got string) bool {
		return strings.HasPrefix(got, "200 text/event-stream  data: {\"jsonrpc\":\"2.0\",\"id\":\"q1\",\"result\"")
	}
	tests := []struct {
		name, options string
		card          caddyhttp.HandlerFunc
		refused       bool
		asked         []string
	}{
		{"strict", "profile strict", card(poorCard), true, []string{cardPath}},
		{"one rule that is enforced", "rule capability-streaming enforce", card(poorCard), true, []string{cardPath}},
		{"one that acts where all else observes", "profile observe\nrule capability-streaming enforce", card(poorCard), true, []string{cardPath}},
		{"standard", "", card(poorCard), false, nil},
		{"observe", "profile observe", card(poorCard), false, nil},
		{"no card", "profile strict", nil, false, []string{cardPath}},
		{"a card that is none", "profile strict", card("<html>"), false, []string{cardPath}},
		{"a card that two parsers read differently", "profile strict", card(`{"capabilities":{"streaming":true},"capabilities":{}}`), false, []string{cardPath}},
		{"a card that is too large", "profile strict", card(`{"x":"` + strings.Repeat("x", maxCard) + `"}`), false, []string{cardPath}},
		{"a card that does not come", "profile strict\nlookup_timeout 3s", func(_ http.ResponseWriter, r *http.Request) error {
			wait(r, time.Hour)
			return nil
		}, false, []string{cardPath}},
		{"an agent that breaks", "profile strict", func(http.ResponseWriter, *http.Request) error { panic("broken") }, false, []string{cardPath}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := guarded(t, tt.options)
			synctest.Test(t, func(t *testing.T) {
				agent := &carded{cards: map[string]caddyhttp.HandlerFunc{cardPath: tt.card}}
				for range 3 {
					got := (caller{h: h, token: "alice"}).call(t.Context(), streamCall, agent.ServeHTTP)
					if tt.refused != (got == noStream) || tt.refused == streamed(got) {
						t.Errorf("got %s", got)
					}
				}
				if asked := agent.takeAsked(); !slices.Equal(asked, tt.asked) {
					t.Errorf("the agent is asked for %q", asked)
				}
				life := cardLack
				if tt.refused {
					life = cardLife
				}
				time.Sleep(life - 5*time.Second) // one has waited for three
				(caller{h: h, token: "alice"}).call(t.Context(), streamCall, agent.ServeHTTP)
				if asked := agent.takeAsked(); asked != nil {
					t.Errorf("within its time, the agent is asked for %q", asked)
				}
				time.Sleep(5 * time.Second)
				(caller{h: h, token: "alice"}).call(t.Context(), streamCall, agent.ServeHTTP)
				if asked := agent.takeAsked(); !slices.Equal(asked, tt.asked) {
					t.Errorf("after its time, the agent is asked for %q", asked)
				}
			})
		})
	}
}

func TestOneRequestForACardServesAllWhoWait(t *testing.T) {
	h := guarded(t, "profile strict")
	synctest.Test(t, func(t *testing.T) {
		agent := &carded{cards: map[string]caddyhttp.HandlerFunc{cardPath: func(w http.ResponseWriter, r *http.Request) error {
			wait(r, time.Second)
			return card(poorCard)(w, r)
		}}}
		var calls sync.WaitGroup
		got := make([]string, 8)
		for i := range got {
			calls.Go(func() { got[i] = caller{h: h, token: fmt.Sprint(i)}.call(t.Context(), streamCall, agent.ServeHTTP) })
		}
		gone, leave := context.WithCancel(t.Context())
		calls.Go(func() { (caller{h: h, token: "gone"}).call(gone, streamCall, agent.ServeHTTP) })
		time.Sleep(500 * time.Millisecond)
		leave()
		calls.Wait()
		for i := range got {
			if got[i] != noStream {
				t.Errorf("caller %d: %s", i, got[i])
			}
		}
		if asked := agent.takeAsked(); len(asked) != 1 {
			t.Errorf("the agent is asked for %q", asked)
		}
	})
}

func TestTheFirstCallersLeavingDoesNotLoseTheCard(t *testing.T) {
	h := guarded(t, "profile strict")
	synctest.Test(t, func(t *testing.T) {
		agent := &carded{cards: map[string]caddyhttp.HandlerFunc{cardPath: func(w http.ResponseWriter, r *http.Request) error {
			wait(r, time.Second)
			return card(poorCard)(w, r)
		}}}
		gone, leave := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, leave)
		(caller{h: h}).call(gone, streamCall, agent.ServeHTTP)
		if got := (caller{h: h}).call(t.Context(), streamCall, agent.ServeHTTP); got != noStream {
			t.Errorf("got %s", got)
		}
		if asked := agent.takeAsked(); len(asked) != 1 {
			t.Errorf("the agent is asked for %q", asked)
		}
	})
}

func TestACardThatPassesIsLearned(t *testing.T) {
	for _, path := range []string{cardPath, oldCardPath} {
		t.Run(path, func(t *testing.T) {
			h := guarded(t, "profile strict")
			synctest.Test(t, func(t *testing.T) {
				agent := &carded{cards: map[string]caddyhttp.HandlerFunc{path: card(poorCard)}}
				get(t, h, path, agent.ServeHTTP)
				agent.takeAsked()
				if got := (caller{h: h}).call(t.Context(), streamCall, agent.ServeHTTP); got != noStream {
					t.Errorf("got %s", got)
				}
				agent.cards[path] = card(richCard)
				get(t, h, path, agent.ServeHTTP)
				agent.takeAsked()
				if got := (caller{h: h}).call(t.Context(), streamCall, agent.ServeHTTP); got == noStream {
					t.Errorf("after a newer one: %s", got)
				}
				if asked := agent.takeAsked(); asked != nil {
					t.Errorf("the agent is asked for %q", asked)
				}
			})
		})
	}
}

func TestARequestForACardIsNobodysOwn(t *testing.T) {
	h := guarded(t, "profile strict\nrpc_path /desk/rpc")
	synctest.Test(t, func(t *testing.T) {
		var asked []*http.Request
		var saw []string
		agent := caddyhttp.HandlerFunc(func(w http.ResponseWriter, r *http.Request) error {
			if r.Method == http.MethodPost {
				return streaming(0)(w, r)
			}
			asked = append(asked, r)
			repl := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
			saw = append(saw, repl.ReplaceAll("{upstream} {http.vars.pool} {http.auth.user.id} {http.request.header.Authorization} {http.request.tls.client.subject} {http.request.uri}", "-"))
			return card(poorCard)(w, r)
		})
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "https://desk.example/desk/rpc?key=secret", strings.NewReader(streamCall))
		for name, value := range map[string]string{"Authorization": "Bearer alice", "Cookie": "a=b", "X-API-Key": "k", "A2A-Version": "1.0", "X-Own": "x"} {
			r.Header.Set(name, value)
		}
		r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Raw: []byte("alice")}}}
		repl := caddy.NewReplacer()
		r = caddyhttp.PrepareRequest(r, repl, w, new(caddyhttp.Server))
		repl.Set("upstream", "agent:9000")
		repl.Set("http.auth.user.id", "alice")
		caddyhttp.SetVar(r.Context(), "pool", "blue")
		if err := h.ServeHTTP(w, r, agent); err != nil {
			t.Fatal(err)
		}
		if len(asked) != 1 {
			t.Fatalf("%d requests for a card", len(asked))
		}
		got := asked[0]
		if got.Method != http.MethodGet || got.URL.RequestURI() != "/desk/rpc"+cardPath || got.Host != "desk.example" || got.TLS == nil || got.TLS.PeerCertificates != nil {
			t.Errorf("%s %s at %s, TLS %+v", got.Method, got.URL, got.Host, got.TLS)
		}
		want := http.Header{"Accept": {"application/json"}, "Accept-Encoding": {"identity"}}
		if fmt.Sprint(got.Header) != fmt.Sprint(want) {
			t.Errorf("headers %v", got.Header)
		}
		if want := "agent:9000 blue - - - /desk/rpc" + cardPath; saw[0] != want {
			t.Errorf("its placeholders are %q, not %q", saw[0], want)
		}
	})
}

func TestTheNearestCardCounts(t *testing.T) {
	root, desk := &a2a.Card{}, &a2a.Card{Streaming: true}
	now := time.Now()
	var c cardCache
	if found, ask := c.find(now, "/", ""); found != nil || !ask {
		t.Errorf("of nothing: %v, ask %v", found, ask)
	}
	c.learn(now, "", root)
	c.learn(now, "/desk", desk)
	c.learn(now, "/desk/none", nil)
	for path, want := range map[string]*a2a.Card{"/": root, "": root, "/a2a": root, "/desk": desk, "/desk/": desk, "/desk/rpc": desk, "/desk/none": desk, "/desktop": root} {
		if got, ask := c.find(now, path, path); got != want || ask {
			t.Errorf("%s: %+v, ask %v", path, got, ask)
		}
	}
	later := now.Add(cardLife)
	if got, ask := c.find(later, "/desk", "/desk"); got != nil || !ask {
		t.Errorf("after its time: %+v, ask %v", got, ask)
	}
	c.learn(later, "", nil)
	if got, ask := c.find(later, "/a2a", ""); got != nil || ask {
		t.Errorf("without any: %+v, ask %v", got, ask)
	}
	if _, ask := c.find(later, "/a2a", "/a2a"); !ask {
		t.Error("an agent's own path is not asked at")
	}
}

func TestAnAgentsMountIsWhereItsCallsAre(t *testing.T) {
	for _, tt := range []struct {
		base, path string
		rpcPath    bool
		want       string
	}{
		{"", "/", true, ""},
		{"", "/rpc/", true, "/rpc"},
		{"", "/tasks/t1", false, ""},
		{"/desk/", "/desk/tasks/t1", false, "/desk"},
		{"/desk", "/desktop/message:send", false, ""},
		{"/desk", "/desk/rpc", true, "/desk/rpc"},
		{"/", "/message:send", false, ""},
	} {
		h := &Handler{BasePath: tt.base}
		if got := h.mountOf(tt.path, tt.rpcPath); got != tt.want {
			t.Errorf("base %q, path %q: got %q, want %q", tt.base, tt.path, got, tt.want)
		}
	}
}

func TestCardsAreBounded(t *testing.T) {
	var c cardCache
	now := time.Now()
	for i := range 10 * maxCards {
		c.learn(now.Add(time.Duration(i)), fmt.Sprint("/", i), &a2a.Card{})
	}
	if len(c.known) != maxCards {
		t.Errorf("%d cards", len(c.known))
	}
	if got, _ := c.find(now, fmt.Sprint("/", 10*maxCards-1), ""); got == nil {
		t.Error("the last one is forgotten")
	}
}
