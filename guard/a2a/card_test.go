// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const card10 = `{"name":"orders","provider":{"organization":"o","url":"https://o.example"},"iconUrl":"https://i.example",
"documentationUrl":"https://d.example","supportedInterfaces":[
{"url":"http://10.0.0.1:9000/rpc?x=1","protocolBinding":"JSONRPC","protocolVersion":"1.0","tenant":"acme"},
{"url":"10.0.0.1:9001","protocolBinding":"GRPC","protocolVersion":"1.0"}],
"capabilities":{"streaming":true,"pushNotifications":false,"extendedAgentCard":true,
"extensions":[{"uri":"https://x.example/a","required":true},{"uri":"https://x.example/b"}]},
"securitySchemes":{"bearer":{"httpAuthSecurityScheme":{"scheme":"Bearer"}}},
"skills":[{"id":"s","url":"http://skill.example"}],"signatures":[{"protected":"p","signature":"s"}]}`

const card03 = `{"protocolVersion":"0.3.0","name":"orders","url":"http://0.0.0.0:9000/","preferredTransport":"JSONRPC",
"additionalInterfaces":[{"url":"http:\/\/0.0.0.0:9000/v1","transport":"HTTP+JSON"}],
"capabilities":{"pushNotifications":true},"supportsAuthenticatedExtendedCard":true,"security":[{"bearer":[]}],"signatures":null}`

// describe renders what a test compares. Every interface is shown with the bytes
// that its place names.
func (c *Card) describe(data string) string {
	var b strings.Builder
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"streaming", c.Streaming}, {"push", c.PushNotifications}, {"extended", c.ExtendedCard},
		{"secured", c.Secured}, {"signed", c.Signed}, {"duplicate", c.Flaw == DuplicateKeys}, {"variant", c.Flaw == CaseVariantKeys},
	} {
		if f.set {
			b.WriteString(f.name + " ")
		}
	}
	for _, uri := range c.Required {
		b.WriteString("requires=" + uri + " ")
	}
	for _, i := range c.Interfaces {
		fmt.Fprintf(&b, "[%v %s %s %s %s %s] ", i.Dialect, i.URL, i.Binding, i.Version, i.Tenant, data[i.At.Start:i.At.End])
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func TestCardsAreRead(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{
			"1.0", card10,
			`streaming extended secured signed requires=https://x.example/a ` +
				`[1.0 http://10.0.0.1:9000/rpc?x=1 JSONRPC 1.0 acme "http://10.0.0.1:9000/rpc?x=1"] [1.0 10.0.0.1:9001 GRPC 1.0 "10.0.0.1:9001"]`,
		},
		{
			"0.3", card03,
			`push extended secured [0.3 http://0.0.0.0:9000/v1 HTTP+JSON "http:\/\/0.0.0.0:9000/v1"] [0.3 http://0.0.0.0:9000/ JSONRPC 0.3.0 "http://0.0.0.0:9000/"]`,
		},
		{"nothing is promised by what does not stand there", `{}`, ``},
		{"nor by null, a string or an empty list", `{"capabilities":{"streaming":null,"pushNotifications":"true"},"signatures":[ ],"securitySchemes":{ },"url":null,"supportedInterfaces":[{"url":7},null]}`, ``},
		{"one key twice", `{"url":"http://a","url":"http://b"}`, `duplicate [0.3 http://b "http://b"]`},
		{"two spellings of one field", `{"supportedInterfaces":[],"supported_interfaces":[{"url":"http://a"}]}`, `variant [1.0 http://a "http://a"]`},
		{"a spelling that only some readers know", `{"URL":"http://a","additional_interfaces":[{"Url":"http://b"}]}`, `[0.3 http://b "http://b"] [0.3 http://a "http://a"]`},
		{"escaped names", `{"\u0075rl":"http://\u0061"}`, `[0.3 http://a "http://\u0061"]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			card, err := ReadCard([]byte(tt.data))
			if err != nil {
				t.Fatal(err)
			}
			if got := card.describe(tt.data); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestWhatIsNoCardIsAnError(t *testing.T) {
	many := strings.Repeat(`{"url":"u","uri":"u","required":true},`, maxListed+1)
	for _, data := range []string{
		``, `[]`, `"card"`, `{"url":"http://a"`, `{} {}`, "\xef\xbb\xbf{}",
		`{"x":` + strings.Repeat("[", 20_000) + `}`,
		`{"supportedInterfaces":[` + many[:len(many)-1] + `]}`,
		`{"capabilities":{"extensions":[` + many[:len(many)-1] + `]}}`,
	} {
		if _, err := ReadCard([]byte(data)); err == nil {
			t.Errorf("%.60s: read without an error", data)
		}
	}
}

// FuzzReadCard: whatever comes, every place that is reported is the JSON string of
// the URL beside it, and no two overlap.
func FuzzReadCard(f *testing.F) {
	for _, seed := range []string{card10, card03, `{"url":"\ud800","URL":1}`, `{"supportedInterfaces":{"url":[]}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		card, err := ReadCard(data)
		if err != nil {
			return
		}
		places := slices.SortedFunc(slices.Values(card.Interfaces), func(a, b Interface) int { return a.At.Start - b.At.Start })
		end := 0
		for _, i := range places {
			if i.At.Start < end || i.At.End > len(data) {
				t.Fatalf("place %v overlaps or lies outside", i.At)
			}
			if token := Token(data[i.At.Start:i.At.End]); !token.IsString() || token.Text() != i.URL {
				t.Fatalf("place %v holds %s, not %q", i.At, token, i.URL)
			}
			end = i.At.End
		}
	})
}
