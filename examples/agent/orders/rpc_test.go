// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"fmt"
	"strings"
	"testing"
)

func TestTheRequestsIDComesBackAsItWasWritten(t *testing.T) {
	ids := []struct{ member, want string }{
		{`"id":9007199254740993,`, `9007199254740993`},
		{`"id":-1.50e3,`, `-1.50e3`},
		{`"id":"a",`, `"a"`},
		{`"id":"\u0061<&>",`, `"\u0061<&>"`},
		{`"id":"",`, `""`},
		{`"id":0,`, `0`},
		{`"id": null ,`, `null`},
		{``, `null`},
	}
	for _, id := range ids {
		t.Run(id.want, func(t *testing.T) {
			inBothVersions(t, func(t *testing.T, v version) {
				p := serve(t, Config{})
				want := `{"jsonrpc":"2.0","id":` + id.want + `,"`
				for call, frames := range map[string]int{
					request(v.send, messageParams("BS-1042", "")):                1,
					request(v.stream, messageParams("BS-1042", "")):              6,
					request(v.stream, messageParams("BS-1042 fault=raises", "")): 2,
					request(v.get, idParams("none")):                             1,
					request(v.subscribe, idParams("none")):                       1,
					request("no/such", "{}"):                                     1,
				} {
					got := p.body(strings.Replace(call, `"id":1,`, id.member, 1))
					if strings.Count(got, want) != frames {
						t.Errorf("%s is not in all %d frames of %s", want, frames, got)
					}
				}
			})
		})
	}
}

func TestBadRequestsGetTheirCode(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"no JSON", `{bad`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`},
		{"empty body", ``, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`},
		{"two values", `{} {}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`},
		{"too deep", strings.Repeat("[", 20_000), `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"GetTask"}]`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"no jsonrpc member", `{"id":1,"method":"GetTask","params":{"id":"t"}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,`},
		{"another jsonrpc", `{"jsonrpc":"1.0","id":1,"method":"GetTask"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,`},
		{"id true", `{"jsonrpc":"2.0","id":true,"method":"GetTask"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"id an object", `{"jsonrpc":"2.0","id":{},"method":"GetTask"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"method a number", `{"jsonrpc":"2.0","id":1,"method":7}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,`},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"tasks/send"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,`},
		{"too large", `{"x":"` + strings.Repeat("x", maxBody) + `"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
	}
	p := serve(t, Config{})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := p.body(test.body); !strings.HasPrefix(got, test.want) {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestBadParamsGetTheirCode(t *testing.T) {
	inBothVersions(t, func(t *testing.T, v version) {
		p := serve(t, Config{})
		_, done := p.call(v.send, messageParams("BS-1042", ""))
		_, paused := p.call(v.send, messageParams("hi", ""))
		tests := []struct {
			name, method, params string
			code                 int
		}{
			{"no params", v.get, `null`, -32602},
			{"params a list", v.get, `[1]`, -32602},
			{"no task id", v.get, `{}`, -32602},
			{"unknown task", v.get, idParams("none"), -32001},
			{"cancel of an unknown task", v.cancel, idParams("none"), -32001},
			{"cancel of an ended task", v.cancel, idParams(done.taskID()), -32002},
			{"no message", v.send, `{}`, -32602},
			{"no parts", v.send, `{"message":{"messageId":"m"}}`, -32602},
			{"no message id", v.send, `{"message":{"parts":[{"text":"BS-1042"}]}}`, -32602},
			{"message to an unknown task", v.send, messageParams("BS-1042", "none"), -32001},
			{"message to an ended task", v.send, messageParams("BS-1042", done.taskID()), -32004},
			{
				"message in another context", v.send,
				fmt.Sprintf(`{"message":{"messageId":"m","taskId":%q,"contextId":"other","parts":[{"text":"hi"}]}}`, paused.taskID()), -32602,
			},
		}
		for _, test := range tests {
			if answer, _ := p.call(test.method, test.params); answer != fmt.Sprintf("E(%d)", test.code) {
				t.Errorf("%s: got %s, want %d", test.name, answer, test.code)
			}
		}
		p.open(v.subscribe, idParams("none")).expect("E(-32001) close")
		p.open(v.subscribe, idParams(done.taskID())).expect("E(-32004) close")
		p.open(v.stream, messageParams("BS-1042", done.taskID())).expect("E(-32004) close")
		p.open(v.stream, `{}`).expect("E(-32602) close")
	})
}
