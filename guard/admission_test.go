// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

func TestACallBeyondALimitIsAnsweredInItsOwnBinding(t *testing.T) {
	rpc := func(method string) guard.Request {
		return guard.Request{Body: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":7,"method":%q,"params":{"id":"t1","message":{}}}`, method), Version: "1.0"}
	}
	plain := func(verb, path, body string) guard.Request {
		return guard.Request{Route: new(guard.Guard).Route(verb, path), Body: []byte(body), Version: "1.0"}
	}
	const (
		calls   = "too many calls of yours are in flight; wait for one to be answered"
		streams = "too many streams of yours are open; end one, or call GetTask"
	)
	tests := []struct {
		name  string
		in    guard.Request
		wait  int
		rule  string
		start string // of the body
	}{
		{"a call", rpc("GetTask"), 1, "max-calls:reject", `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"` + calls},
		{"a stream", rpc("SendStreamingMessage"), 10, "max-streams:reject", `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"` + streams},
		{"a call over HTTP+JSON", plain("GET", "/tasks/t1", ""), 1, "max-calls:reject", `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"` + calls},
		{"a stream over HTTP+JSON", plain("POST", "/message:stream", `{"message":{}}`), 10, "max-streams:reject", `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"` + streams},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.in.Ref = func() string { return "r1" }
			x := newGuard(t, nil).Inspect(noon, tt.in)
			reply := x.TooMany()
			if reply == nil || reply.Status != 429 || reply.ContentType != guard.TypeJSON || reply.RetryAfter != tt.wait || !strings.HasPrefix(string(reply.Body), tt.start) {
				t.Errorf("got %+v", reply)
			}
			if got := broken(x); got != tt.rule {
				t.Errorf("rules %q", got)
			}
			x = newGuard(t, profiles["observe"]).Inspect(noon, tt.in)
			if reply := x.TooMany(); reply != nil || broken(x) != strings.Replace(tt.rule, ":", ":would_", 1) {
				t.Errorf("under observe: %+v, %q", reply, broken(x))
			}
		})
	}
}

func TestARefusalOfStrangersSaysNothingElse(t *testing.T) {
	strict := func(c *policy.Config) {
		c.Profile, c.RequireAuthorization, c.Versions = policy.ProfileStrict, true, []string{"1.0"}
	}
	bodies := []string{
		sendStream, taskCall, strings.Replace(sendStream, "SendStreamingMessage", "message/stream", 1), strings.Replace(sendStream, "SendStreamingMessage", "nonsense", 1),
		"{bad", "", `{"id":true}`, "[" + sendStream + "]", strings.Replace(sendStream, `"method"`, `"method":"GetTask","method"`, 1), strings.Repeat("x", 100),
	}
	seen := ""
	for _, body := range bodies {
		in := guard.Request{
			Body: []byte(body), RPCPath: true, ContentType: "text/plain", Version: "7.0", Base: "/", Card: cardOf(t, demanding), AskCard: true,
			Ref: func() string { return "r1" },
		}
		x := newGuard(t, strict).Inspect(noon, in)
		if x.Refusal == nil || x.Refusal.Status != 401 || x.Refusal.Challenge == "" || x.NeedsCard || broken(x) != "authn-required:reject" {
			t.Fatalf("%s: %s, %q", body, refusal(x.Refusal), broken(x))
		}
		message, _, _ := strings.Cut(x.Refusal.Fault.Message, "(")
		if seen != "" && message != seen {
			t.Errorf("%s: %s", body, message)
		}
		seen = message
		in.Credentials = true
		if x := newGuard(t, strict).Inspect(noon, in); strings.Contains(broken(x), "authn-required") {
			t.Errorf("%s: with credentials, %q", body, broken(x))
		}
	}
}

// FuzzAdmission lets any card be held against any call. Whatever comes of it, the
// answer is whole, and nothing acts under observe.
func FuzzAdmission(f *testing.F) {
	for _, card := range []string{poorCard, demanding, tenanted, elsewhere, nowhere} {
		for _, call := range []string{sendStream, taskCall} {
			f.Add([]byte(card), []byte(call), "/desk/rpc", "1.0", "https://e.example/a,b", false)
		}
		f.Add([]byte(card), []byte(`{"message":{},"tenant":"acme"}`), "/desk/acme/v1/message:stream", "0.3", "", true)
	}
	f.Fuzz(func(t *testing.T, text, body []byte, path, version, extensions string, plain bool) {
		card, err := a2a.ReadCard(text)
		if err != nil {
			return
		}
		in := guard.Request{
			Body: body, Base: path, Version: version, Card: &card, Extensions: []string{extensions}, Credentials: len(path)%2 == 0, ContentType: extensions,
			Ref: func() string { return "r1" },
		}
		for _, profile := range []string{"standard", "strict", "observe"} {
			g := newGuard(t, func(c *policy.Config) {
				if change := profiles[profile]; change != nil {
					change(c)
				}
				c.RequireAuthorization = true
			})
			if plain {
				in.Route = g.Route("POST", path)
				in.Base = in.Route.Prefix
			}
			x := g.Inspect(noon, in)
			switch {
			case x == nil || x.Refusal == nil:
			case profile == "observe":
				t.Fatalf("observe refuses: %s", x.Refusal.Body)
			case x.Refusal.ContentType == guard.TypeJSON && !json.Valid(x.Refusal.Body):
				t.Fatalf("no JSON: %s", x.Refusal.Body)
			case x.Refusal.Status < 200 || x.Refusal.Status > 599 || x.Refusal.Fault == nil:
				t.Fatalf("no answer: %+v", x.Refusal)
			}
		}
	})
}
