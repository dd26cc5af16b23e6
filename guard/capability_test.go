// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// broken renders the rules that an exchange's request breaks.
func broken(x *guard.Exchange) string {
	var rules []string
	for _, v := range x.Violations {
		rules = append(rules, fmt.Sprintf("%v:%v", v.Rule, v.Decision))
	}
	return strings.Join(rules, " ")
}

func cardOf(t *testing.T, text string) *a2a.Card {
	t.Helper()
	card, err := a2a.ReadCard([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return &card
}

// Agents' cards.
const (
	poorCard     = `{"supportedInterfaces":[{"url":"http://agent:9000/","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{}}`
	richCard     = `{"supportedInterfaces":[{"url":"http://agent:9000/","protocolBinding":"JSONRPC"}],"capabilities":{"streaming":true,"pushNotifications":true,"extendedAgentCard":true}}`
	oldCard      = `{"url":"http://agent:9000/","preferredTransport":"JSONRPC","capabilities":{"streaming":false}}`
	extendedCard = `{"supportedInterfaces":[{"url":"http://agent:9000/","protocolBinding":"JSONRPC"}],"capabilities":{"extendedAgentCard":true}}`
	demanding    = `{"supportedInterfaces":[{"url":"http://agent:9000/","protocolBinding":"JSONRPC"}],"capabilities":{"streaming":true,"extensions":[{"uri":"https://e.example/a","required":true},{"uri":"https://e.example/b"},{"uri":"https://e.example/c","required":true}]}}`
	tenanted     = `{"supportedInterfaces":[{"url":"http://agent:9000/","protocolBinding":"JSONRPC","tenant":"acme"},{"url":"http://agent:9000/","protocolBinding":"jsonrpc","tenant":"umbra"},{"url":"http://agent:9000/","protocolBinding":"HTTP+JSON"}],"capabilities":{}}`
	halfTenanted = `{"supportedInterfaces":[{"url":"http://agent:9000/","protocolBinding":"JSONRPC","tenant":"acme"},{"url":"http://agent:9000/","protocolBinding":"JSONRPC"}],"capabilities":{}}`
	elsewhere    = `{"supportedInterfaces":[{"url":"https://agents.example.com/desk/rpc?x=1","protocolBinding":"JSONRPC"},{"url":"agent:50051","protocolBinding":"GRPC"}],"capabilities":{}}`
	nowhere      = `{"capabilities":{}}`
)

func TestCallsAreHeldToTheCard(t *testing.T) {
	const stream, send = "SendStreamingMessage", "SendMessage"
	tests := []struct {
		name, card, method, params, base string
		extensions                       []string
		standard, strict                 string // the rules; strict with the refusal's code
	}{
		{name: "streaming that is not declared", card: poorCard, method: stream, standard: "capability-streaming:would_answer", strict: "capability-streaming:answer -32004"},
		{name: "a subscription", card: poorCard, method: "SubscribeToTask", standard: "capability-streaming:would_answer", strict: "capability-streaming:answer -32004"},
		{name: "streaming of 0.3", card: oldCard, method: "message/stream", standard: "capability-streaming:would_answer", strict: "capability-streaming:answer -32004"},
		{name: "streaming that is declared", card: richCard, method: stream},
		{name: "a call that demands nothing", card: poorCard, method: send},
		{name: "streaming that the extended card may declare", card: extendedCard, method: stream},

		{name: "push notifications that are not declared", card: poorCard, method: "CreateTaskPushNotificationConfig", standard: "push-capability:would_answer", strict: "push-capability:answer -32003"},
		{name: "their deletion", card: poorCard, method: "DeleteTaskPushNotificationConfig", standard: "push-capability:would_answer", strict: "push-capability:answer -32003"},
		{name: "those of 0.3", card: oldCard, method: "tasks/pushNotificationConfig/list", standard: "push-capability:would_answer", strict: "push-capability:answer -32003"},
		{name: "those that are declared", card: richCard, method: "GetTaskPushNotificationConfig"},
		{name: "one that comes with a message", card: poorCard, method: send, params: `{"message":{},"configuration":{"taskPushNotificationConfig":{"url":"https://c.example"}}}`},

		{name: "an extended card that is not declared", card: poorCard, method: "GetExtendedAgentCard", standard: "extended-card:would_answer", strict: "extended-card:answer -32004"},
		{name: "one of 0.3", card: oldCard, method: "agent/getAuthenticatedExtendedCard", standard: "extended-card:would_answer", strict: "extended-card:answer -32007"},
		{name: "one that is declared", card: extendedCard, method: "GetExtendedAgentCard"},

		{name: "extensions that are demanded", card: demanding, method: send, standard: "extension-required:would_reject", strict: "extension-required:reject -32008"},
		{name: "one of two", card: demanding, method: stream, extensions: []string{"https://e.example/a, https://e.example/b"}, standard: "extension-required:would_reject", strict: "extension-required:reject -32008"},
		{name: "in 0.3", card: demanding, method: "message/send", standard: "extension-required:would_reject", strict: "extension-required:reject -32600"},
		{name: "both in one line", card: demanding, method: send, extensions: []string{"https://e.example/c ,https://e.example/a"}},
		{name: "both in two", card: demanding, method: send, extensions: []string{"https://e.example/a", "x, https://e.example/c"}},
		{name: "calls that send nothing", card: demanding, method: "GetTask"},

		{name: "no tenant where there are some", card: tenanted, method: send, standard: "tenant-echo:would_reject", strict: "tenant-echo:reject -32602"},
		{name: "another tenant", card: tenanted, method: stream, params: `{"tenant":"acm\u0065x"}`, standard: "tenant-echo:would_reject", strict: "tenant-echo:reject -32602"},
		{name: "the right one", card: tenanted, method: send, params: `{"tenant":"umbr\u0061"}`},
		{name: "the right one, held to the card as well", card: tenanted, method: stream, params: `{"tenant":"acme"}`, standard: "capability-streaming:would_answer", strict: "capability-streaming:answer -32004"},
		{name: "no tenant where one may do without", card: halfTenanted, method: send},
		{name: "a tenant that may have a card of its own", card: halfTenanted, method: stream, params: `{"tenant":"umbra"}`},
		{name: "a tenant of an agent that has none", card: poorCard, method: stream, params: `{"tenant":"umbra"}`},
		{name: "0.3 has no tenants", card: tenanted, method: "message/send"},

		{name: "a card of another path", card: elsewhere, method: stream, base: "/other"},
		{name: "a card of the path", card: elsewhere, method: stream, base: "/desk/rpc/", standard: "capability-streaming:would_answer", strict: "capability-streaming:answer -32004"},
		{name: "a path whose beginning was taken off", card: elsewhere, method: stream, base: "/rpc", standard: "capability-streaming:would_answer", strict: "capability-streaming:answer -32004"},
		{name: "a card of no place", card: nowhere, method: stream},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.params == "" {
				tt.params = `{"id":"t1","message":{}}`
			}
			in := guard.Request{
				Body: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, tt.method, tt.params),
				Base: "/", Card: cardOf(t, tt.card), AskCard: true, Extensions: tt.extensions,
			}
			if !strings.Contains(tt.method, "/") {
				in.Version = "1.0"
			}
			if tt.base != "" {
				in.Base = tt.base
			}
			if x := newGuard(t, nil).Inspect(noon, in); broken(x) != tt.standard || x.Refusal != nil || x.NeedsCard {
				t.Errorf("standard: %q, %s", broken(x), refusal(x.Refusal))
			}
			x := newGuard(t, profiles["strict"]).Inspect(noon, in)
			got := broken(x)
			if x.Refusal != nil {
				got += fmt.Sprintf(" %d", x.Refusal.Fault.Code)
			}
			if got != tt.strict || x.NeedsCard {
				t.Errorf("strict: got %q, want %q: %s", got, tt.strict, refusal(x.Refusal))
			}
			if x.Refusal != nil && (x.Refusal.ContentType == guard.TypeSSE) != x.Operation.Streams() {
				t.Errorf("strict: a refusal as %s", x.Refusal.ContentType)
			}
		})
	}
}

func TestTheCardIsWantedOnlyWhereARuleActs(t *testing.T) {
	enforced := func(rule string) func(*policy.Config) {
		return func(c *policy.Config) { c.Rules = map[string]policy.Mode{rule: policy.ModeEnforce} }
	}
	tests := []struct {
		name   string
		config func(*policy.Config)
		in     guard.Request
		method string
		want   bool
	}{
		{"standard observes", nil, guard.Request{AskCard: true}, "SendStreamingMessage", false},
		{"so does observe", profiles["observe"], guard.Request{AskCard: true}, "SendStreamingMessage", false},
		{"strict acts", profiles["strict"], guard.Request{AskCard: true}, "GetTask", true},
		{"on tenants, which 0.3 has not", profiles["strict"], guard.Request{AskCard: true}, "tasks/get", false},
		{"on extensions, which messages bear", profiles["strict"], guard.Request{AskCard: true}, "message/send", true},
		{"one rule alone acts on its calls", enforced("push-capability"), guard.Request{AskCard: true}, "CreateTaskPushNotificationConfig", true},
		{"and on no others", enforced("push-capability"), guard.Request{AskCard: true}, "SendStreamingMessage", false},
		{"credentials are no matter of the card", func(c *policy.Config) { c.RequireAuthorization = true }, guard.Request{AskCard: true, Credentials: true}, "GetTask", false},
		{"a card that cannot be had", profiles["strict"], guard.Request{}, "SendStreamingMessage", false},
		{"a card that is there", profiles["strict"], guard.Request{AskCard: true, Card: new(a2a.Card)}, "SendStreamingMessage", false},
		{"a caller who is refused anyway", func(c *policy.Config) { c.Profile, c.RequireAuthorization = policy.ProfileStrict, true }, guard.Request{AskCard: true}, "SendStreamingMessage", false},
		{"a version that is refused anyway", func(c *policy.Config) { c.Profile, c.Versions = policy.ProfileStrict, []string{"0.3"} }, guard.Request{AskCard: true}, "SendStreamingMessage", false},
		{"a method that nobody knows", profiles["strict"], guard.Request{AskCard: true}, "tasks/send", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(tt.method, "/") {
				tt.in.Version = "1.0"
			}
			tt.in.Body = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":{"id":"t1"}}`, tt.method)
			if x := newGuard(t, tt.config).Inspect(noon, tt.in); x.NeedsCard != tt.want {
				t.Errorf("the card is wanted: %v", x.NeedsCard)
			}
		})
	}
}

func TestAnAgentThatBreaksItsCardsWordIsReported(t *testing.T) {
	const (
		unsupported = `{"jsonrpc":"2.0","id":"q1","error":{"code":-32004,"message":"no streaming"}}`
		notFound    = `{"jsonrpc":"2.0","id":"q1","error":{"code":-32001,"message":"no such task"}}`
		mismatch    = "capability-mismatch-declared:observe"
	)
	tests := []struct{ name, card, call, answer, want string }{
		{"it declares streaming and refuses it", richCard, sendStream, unsupported, mismatch},
		{"it refuses for another reason", richCard, sendStream, notFound, ""},
		{"it declares none", poorCard, sendStream, unsupported, "capability-streaming:would_answer"},
		{"a task that takes no more messages", richCard, strings.Replace(sendStream, `"messageId"`, `"taskId":"t1","messageId"`, 1), unsupported, ""},
		{"a subscription to a task that is over", richCard, taskCall, unsupported, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := guard.Request{Body: []byte(tt.call), Version: "1.0", Base: "/", Card: cardOf(t, tt.card)}
			x := newGuard(t, nil).Inspect(noon, in)
			if j := x.Judge(noon, guard.Head{Status: 200, ContentType: guard.TypeJSON}, []byte(tt.answer)); j.Reply != nil {
				t.Errorf("the answer is replaced by %s", refusal(j.Reply))
			}
			got, _, _ := strings.Cut(broken(x), "stream-content-type") // a notice
			if got = strings.TrimSpace(got); got != tt.want {
				t.Errorf("as JSON: got %q, want %q", got, tt.want)
			}
			x = newGuard(t, nil).Inspect(noon, in)
			got = broken(x)
			for _, v := range x.Stream(noon).Feed(noon, []byte("data: "+tt.answer+"\n\n")).Verdicts {
				for _, broken := range v.Violations {
					got += fmt.Sprintf("%v:%v", broken.Rule, broken.Decision)
				}
			}
			if got != tt.want {
				t.Errorf("as a stream: got %q, want %q", got, tt.want)
			}
		})
	}
}
