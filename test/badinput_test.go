// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

var refs = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// anonymous replaces the id that names an error in the log by REF. All of them
// must be the same.
func anonymous(t testing.TB, body string) string {
	t.Helper()
	found := refs.FindAllString(body, -1)
	for _, ref := range found {
		if ref != found[0] {
			t.Errorf("the answer bears several ids: %s", body)
		}
	}
	return refs.ReplaceAllString(body, "REF")
}

// fault is the guard's error in 0.3, and in whatever it cannot tell the version of.
func fault(id string, code int, text, rule string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"%s (rule %s, ref REF)"}}`, id, code, text, rule)
}

// fault10 is the guard's error in 1.0.
func fault10(id string, code int, text, reason, rule, task string) string {
	about, member := "", ""
	if task != "" {
		about, member = "task "+task+", ", `"taskId":"`+task+`",`
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"%s (%srule %s, ref REF)",`+
		`"data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"%s","domain":"a2a-protocol.org","metadata":{"rule":"%[5]s",%[7]s"ref":"REF"}}]}}`,
		id, code, text, about, rule, reason, member)
}

// The guard's words on requests.
const (
	notJSON    = "the request body is not valid JSON"
	notRequest = "the request body is not a JSON-RPC request object"
	aBatch     = "batches are not part of A2A; send one call in one request"
	badID      = "the request id must be a string or a number"
	keyTwice   = "the request holds one key twice"
	spelling   = "the request holds two spellings of one field"
	packed     = "the request body is compressed; send it without Content-Encoding"
	tooLarge   = "the request body is larger than this server accepts; send large content as a URL"
	tooLate    = "the request body did not arrive in time; send the call again"
)

// version10 says that a call speaks 1.0.
var version10 = header("A2A-Version", "1.0")

// malformed are requests that are no calls, and their answers.
var malformed = []struct {
	name, body string
	set        func(*http.Request)
	status     int
	typ, want  string
}{
	{"no JSON", `{bad`, nil, 200, typeJSON, fault("null", -32700, notJSON, "jsonrpc-envelope")},
	{"no JSON, 1.0", `{bad`, version10, 200, typeJSON, fault10("null", -32700, notJSON, "JSON_PARSE_ERROR", "jsonrpc-envelope", "")},
	{"no JSON, 1.0 in the query", `{bad`, func(r *http.Request) { r.URL.RawQuery = "A2A-Version=1.0" }, 200, typeJSON, fault10("null", -32700, notJSON, "JSON_PARSE_ERROR", "jsonrpc-envelope", "")},
	{"cut", `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1"`, nil, 200, typeJSON, fault10("null", -32700, notJSON, "JSON_PARSE_ERROR", "jsonrpc-envelope", "t1")},
	{"two values", `{"jsonrpc":"2.0","id":1,"method":"tasks/list"} {}`, nil, 200, typeJSON, fault("null", -32700, notJSON, "jsonrpc-envelope")},
	{"empty", "", nil, 200, typeJSON, fault("null", -32700, notJSON, "jsonrpc-envelope")},
	{"blank", " \r\n\t", nil, 200, typeJSON, fault("null", -32700, notJSON, "jsonrpc-envelope")},
	{"byte order mark", "\ufeff" + getCall, nil, 200, typeJSON, fault("null", -32700, notJSON, "jsonrpc-envelope")},
	{"NUL between members", "{\x00\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tasks/list\"}", nil, 200, typeJSON, fault("null", -32700, notJSON, "jsonrpc-envelope")},
	{"NUL in a string", "{\"jsonrpc\":\"2.0\",\"id\":\"\x00\",\"method\":\"tasks/list\"}", nil, 200, typeJSON, fault("null", -32700, notJSON, "jsonrpc-envelope")},
	{"NULs", strings.Repeat("\x00", 4096), nil, 200, typeJSON, fault("null", -32700, notJSON, "jsonrpc-envelope")},
	{"10,001 objects deep", strings.Repeat(`{"params":`, 10_001), nil, 200, typeJSON, fault("null", -32700, notJSON, "jsonrpc-envelope")},
	{"10,001 arrays deep", `{"id":1,"method":"message/send","params":{"metadata":` + strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001) + "}}", nil, 200, typeJSON, fault("null", -32700, notJSON, "jsonrpc-envelope")},
	{"100,000 arrays deep", strings.Repeat("[", 100_000), nil, 200, typeJSON, fault("null", -32600, aBatch, "jsonrpc-envelope")},

	{"string", `"tasks/get"`, nil, 200, typeJSON, fault("null", -32600, notRequest, "jsonrpc-envelope")},
	{"number", `42`, nil, 200, typeJSON, fault("null", -32600, notRequest, "jsonrpc-envelope")},
	{"null", `null`, nil, 200, typeJSON, fault("null", -32600, notRequest, "jsonrpc-envelope")},
	{"true", `true`, nil, 200, typeJSON, fault("null", -32600, notRequest, "jsonrpc-envelope")},
	{"empty object", `{}`, nil, 200, typeJSON, fault("null", -32600, notRequest, "jsonrpc-envelope")},
	{"object of something else", `{"id":7,"hello":"world"}`, nil, 200, typeJSON, fault("7", -32600, notRequest, "jsonrpc-envelope")},
	{"empty batch", `[]`, nil, 200, typeJSON, fault("null", -32600, aBatch, "jsonrpc-envelope")},
	{"batch", `[{"jsonrpc":"2.0","id":1,"method":"message/send"}]`, nil, 200, typeJSON, fault("null", -32600, aBatch, "jsonrpc-envelope")},
	{"batch of streams", `[{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage"}]`, nil, 200, typeJSON, fault10("null", -32600, aBatch, "INVALID_REQUEST", "jsonrpc-envelope", "")},
	{"boolean id", `{"jsonrpc":"2.0","id":true,"method":"tasks/list"}`, nil, 200, typeJSON, fault("null", -32600, badID, "jsonrpc-envelope")},
	{"object id", `{"jsonrpc":"2.0","id":{"a":1},"method":"message/stream"}`, nil, 200, typeSSE, "data: " + fault("null", -32600, badID, "jsonrpc-envelope") + "\n\n"},
	{"array id", `{"jsonrpc":"2.0","id":[1],"method":"SendStreamingMessage"}`, nil, 200, typeSSE, "data: " + fault10("null", -32600, badID, "INVALID_REQUEST", "jsonrpc-envelope", "") + "\n\n"},

	{"method twice", `{"jsonrpc":"2.0","id":7,"method":"tasks/get","method":"x","params":{}}`, nil, 200, typeJSON, fault("7", -32600, keyTwice, "duplicate-json-keys")},
	{"method twice, once escaped", `{"jsonrpc":"2.0","id":7,"method":"x","\u006dethod":"tasks\/get"}`, nil, 200, typeJSON, fault("7", -32600, keyTwice, "duplicate-json-keys")},
	{"task twice in a stream", `{"jsonrpc":"2.0","id":"a","method":"SendStreamingMessage","params":{"message":{"taskId":"a","taskId":"b"}}}`, nil, 200, typeSSE, "data: " + fault10(`"a"`, -32600, keyTwice, "INVALID_REQUEST", "duplicate-json-keys", "b") + "\n\n"},
	{"two spellings", `{"jsonrpc":"2.0","id":7,"method":"message/send","params":{"message":{"contextId":"a","context_id":"b"}}}`, nil, 200, typeJSON, fault("7", -32600, spelling, "case-variant-keys")},
	{"another case beside it", `{"jsonrpc":"2.0","id":7,"ID":8,"method":"tasks/list"}`, nil, 200, typeJSON, fault("7", -32600, spelling, "case-variant-keys")},

	{"compressed", "\x1f\x8b\x08", header("Content-Encoding", "gzip"), 415, typeJSON, fault("null", -32600, packed, "content-type-request")},
	{"said to be compressed", getCall, header("Content-Encoding", "br"), 415, typeJSON, fault("null", -32600, packed, "content-type-request")},
	{"said to be compressed, 1.0", streamCall, func(r *http.Request) { version10(r); header("Content-Encoding", "zstd")(r) }, 415, typeJSON, fault10("null", -32600, packed, "INVALID_REQUEST", "content-type-request", "")},
	{"too large", `{"jsonrpc":"2.0","id":7,"method":"tasks/get","params":{"id":"` + strings.Repeat("x", 200_000) + `"}}`, nil, 413, typeJSON, fault("7", -32600, tooLarge, "oversize-request")},
	{"a little too large", `{"jsonrpc":"2.0","id":7,"method":"tasks/get","params":` + strings.Repeat(" ", 100<<10) + `{}}`, nil, 413, typeJSON, fault("7", -32600, tooLarge, "oversize-request")},
	{"too large, of unknown length", `{"jsonrpc":"2.0","id":7,"method":"tasks/get","params":{"id":"` + strings.Repeat("x", 200_000) + `"}}`, func(r *http.Request) { r.ContentLength = -1 }, 413, typeJSON, fault("7", -32600, tooLarge, "oversize-request")},
}

func TestAPathOfTheAgentsIsOneInEverySpelling(t *testing.T) {
	passed := make(chan string, 1)
	a := answering(t, func(_ http.ResponseWriter, r *http.Request) { passed <- r.URL.Path })
	s := serve(t, reaching(a.address, "rpc_path /desk/rpc"))
	c := s.client(t, h1)
	for _, tt := range []struct {
		path   string
		agents bool
	}{
		{"/desk/rpc", true},
		{"/desk/rpc/", true},
		{"/Desk/RPC", true},
		{"//desk///rpc", true},
		{"/desk/./rpc;v=1", true},
		{"/x/%2e%2e/desk%2frpc", true},
		{"/desk/rpcs", false},
		{"/desk", false},
	} {
		t.Run(tt.path, func(t *testing.T) {
			r, leave := c.request(http.MethodPost, tt.path, "{not JSON")
			answer := head(t, c.send(r, leave))
			body := answer.rest()
			if refused := strings.Contains(body, `"code":-32700`); refused != tt.agents {
				t.Errorf("refused %v with %d %s", refused, answer.StatusCode, body)
			}
			if !tt.agents {
				<-passed
			}
		})
	}
	if len(passed) > 0 {
		t.Errorf("%s reaches the agent", <-passed)
	}
}

func TestMalformedRequestsAreAnsweredByTheGuard(t *testing.T) {
	a := answering(t, func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		t.Errorf("the agent gets %.200q, %v", body, err)
	})
	s := serve(t, reaching(a.address, "max_request_body 100KiB"))
	for _, p := range []protocol{h1, h2} {
		for _, tt := range malformed {
			t.Run(p.name+" "+tt.name, func(t *testing.T) {
				set := tt.set
				if set == nil {
					set = func(*http.Request) {}
				}
				answer := s.client(t, p).post(tt.body, set)
				body := answer.rest()
				if answer.StatusCode != tt.status || answer.Header.Get("Content-Type") != tt.typ || answer.ContentLength != int64(len(body)) {
					t.Errorf("the head is %d %v", answer.StatusCode, answer.Header)
				}
				if got := anonymous(t, body); got != tt.want {
					t.Errorf("the client gets\n%s\nnot\n%s", got, tt.want)
				}
			})
		}
	}
}
