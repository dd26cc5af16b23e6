// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"strings"
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// readCard has a guard with a public URL, "" for none, read a card.
func readCard(t *testing.T, profile policy.Profile, public, card, host string) guard.CardReport {
	t.Helper()
	g := &guard.Guard{Policy: compiled(t, policy.Config{Profile: profile, Limits: policy.DefaultLimits()})}
	if public != "" {
		var err error
		if g.PublicURL, err = guard.ParsePublicURL(public); err != nil {
			t.Fatal(err)
		}
	}
	return g.ReadCard([]byte(card), a2a.Span{End: len(card)}, host)
}

func compiled(t *testing.T, c policy.Config) *policy.Policy {
	t.Helper()
	p, err := policy.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestInterfacesAreLedToThePublicURL(t *testing.T) {
	const plain, below = "https://agents.example.com", "https://agents.example.com:8443/orders/"
	tests := []struct{ public, url, binding, want string }{
		{plain, "http://0.0.0.0:9000/", "JSONRPC", "https://agents.example.com/"},
		{plain, "http://0.0.0.0:9000", "JSONRPC", "https://agents.example.com"},
		{plain, "http://10.0.0.1/a%2Fb/rpc?tenant=x#f", "HTTP+JSON", "https://agents.example.com/a%2Fb/rpc?tenant=x#f"},
		{plain, "HTTPS://user:pw@[::1]:9000?x=/y", "", "https://agents.example.com?x=/y"},
		{plain, "https://agents.example.com/rpc", "JSONRPC", "https://agents.example.com/rpc"},
		{below, "http://0.0.0.0:9000/rpc", "JSONRPC", "https://agents.example.com:8443/orders/rpc"},
		{below, "http://0.0.0.0:9000", "JSONRPC", "https://agents.example.com:8443/orders"},
		{below, "http://0.0.0.0:9000/orders/rpc", "JSONRPC", "https://agents.example.com:8443/orders/rpc"},
		{below, "http://0.0.0.0:9000/orders", "JSONRPC", "https://agents.example.com:8443/orders"},
		{below, "http://0.0.0.0:9000/orders2", "JSONRPC", "https://agents.example.com:8443/orders/orders2"},
		{plain, "10.0.0.1:50051", "GRPC", "agents.example.com:443"},
		{plain, "dns:///10.0.0.1:50051", "grpc", "agents.example.com:443"},
		{below, "https://10.0.0.1:50051", "GRPC", "https://agents.example.com:8443/orders"},
		{"HTTP://[2001:db8::1]", "10.0.0.1:50051", "GRPC", "[2001:db8::1]:80"},
	}
	for _, tt := range tests {
		t.Run(tt.url, func(t *testing.T) {
			for _, form := range []string{
				`{ "name":"x", "url": %q, "preferredTransport":%b, "provider":{"url":%q}}`,
				`{"additionalInterfaces":[{"transport":%b,"url":%q}],"iconUrl":%q,"documentationUrl":%q}`,
				`{"supportedInterfaces":[{"url":%q,"protocolBinding":%b},{"url" : %q , "protocolBinding":%b}],"signatures":[]}`,
			} {
				fill := func(leading, other string) string {
					s := strings.ReplaceAll(form, "%b", `"`+tt.binding+`"`)
					s = strings.Replace(s, "%q", `"`+leading+`"`, 1)
					if strings.Contains(s, "supportedInterfaces") {
						other = leading
					}
					return strings.ReplaceAll(s, "%q", `"`+other+`"`)
				}
				card, want := fill(tt.url, tt.url), fill(tt.want, tt.url)
				report := readCard(t, policy.ProfileStandard, tt.public, card, "")
				got := string(report.Body)
				if report.Body == nil {
					got = card
				}
				if got != want || report.Flaw != guard.CardFine {
					t.Errorf("%s becomes\n%s (%v), not\n%s", card, got, report.Flaw, want)
				}
			}
		})
	}
}

func TestCardsThatStayAsTheyAre(t *testing.T) {
	const public = "https://agents.example.com"
	const internal = `{"url":"http://10.0.0.1:9000/"}`
	tests := []struct {
		name         string
		profile      policy.Profile
		public, card string
		host         string
		flaw         guard.CardFlaw
	}{
		{"signed", policy.ProfileStrict, public, `{"url":"http://10.0.0.1/","signatures":[{"protected":"e30"}]}`, "", guard.CardSigned},
		{"signed and right", policy.ProfileStandard, public, `{"url":"https://agents.example.com/","signatures":[{"protected":"e30"}]}`, "", guard.CardFine},
		{"observed", policy.ProfileObserve, public, internal, "agents.example.com", guard.CardElsewhere},
		{"without the option", policy.ProfileStandard, "", internal, "agents.example.com", guard.CardElsewhere},
		{"another port", policy.ProfileStandard, "", `{"url":"http://localhost:9000/"}`, "localhost:8080", guard.CardElsewhere},
		{"the host that was asked", policy.ProfileStandard, "", `{"url":"http://LOCALHOST.:8080/x"}`, "localhost:8080", guard.CardFine},
		{"the same behind another proxy", policy.ProfileStandard, "", `{"url":"https://agents.example.com/x"}`, "agents.example.com", guard.CardFine},
		{"the same with its port", policy.ProfileStandard, "", `{"supportedInterfaces":[{"url":"https://agents.example.com:443/x"}]}`, "agents.example.com", guard.CardFine},
		{"an IPv6 host", policy.ProfileStandard, "", `{"url":"http://[::1]:8080/x"}`, "[::1]:8080", guard.CardFine},
		{"a user that looks like the host", policy.ProfileStandard, "", `{"url":"http://agents.example.com@10.0.0.1/x"}`, "agents.example.com", guard.CardElsewhere},
		{"one key twice", policy.ProfileStandard, public, `{"url":"http://10.0.0.1/","url":"https://agents.example.com/"}`, "", guard.CardUnreadable},
		{"a page", policy.ProfileStandard, public, `<html>`, "", guard.CardUnreadable},
		{"a transport of its own", policy.ProfileStandard, public, `{"url":"mqtt://10.0.0.1/","preferredTransport":"MQTT"}`, "", guard.CardElsewhere},
		{"a URL without a scheme", policy.ProfileStandard, public, `{"url":"10.0.0.1:9000/rpc"}`, "", guard.CardElsewhere},
		{"no interface", policy.ProfileStandard, public, `{"name":"x"}`, "", guard.CardFine},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			report := readCard(t, tt.profile, tt.public, tt.card, tt.host)
			if report.Body != nil || report.Flaw != tt.flaw {
				t.Errorf("%s becomes %s (%v, want %v)", tt.card, report.Body, report.Flaw, tt.flaw)
			}
		})
	}
}

func TestPublicURLsThatAreNone(t *testing.T) {
	for _, s := range []string{
		"", "agents.example.com", "/orders", "ftp://agents.example.com", "https://", "https:///x", "https://:443", "https://agents.example.com:",
		"https://user@agents.example.com", "https://agents.example.com/?x", "https://agents.example.com/#x", `https://agents.example.com\x`, "https://agents.example.com/a b",
	} {
		if _, err := guard.ParsePublicURL(s); err == nil {
			t.Errorf("%q is taken for a public URL", s)
		}
	}
}

func TestExtendedCardsOfPlainCallsAreLed(t *testing.T) {
	for _, target := range []string{"GET /extendedAgentCard", "GET /acme/extendedAgentCard", "GET /v1/card"} {
		g := newGuard(t, nil)
		var err error
		if g.PublicURL, err = guard.ParsePublicURL("https://agents.example.com"); err != nil {
			t.Fatal(err)
		}
		x := plainCall(t, g, target, "1.0", "")
		j := x.Judge(noon, guard.Head{Status: 200, ContentType: guard.TypeJSON}, []byte(`{"supportedInterfaces":[{"url":"http://10.0.0.1:9000/v1"}]}`))
		if want := `{"supportedInterfaces":[{"url":"https://agents.example.com/v1"}]}`; string(j.Body) != want || j.Card == nil {
			t.Errorf("%s becomes %s", target, j.Body)
		}
	}
}
