// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"bytes"
	"compress/gzip"
	bits "encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// taskAgent is an agent that makes a task of every message, shows every task to
// everybody, and counts the calls that it gets.
func taskAgent(t *testing.T) (address string, calls *atomic.Int32) {
	calls = new(atomic.Int32)
	return answering(t, func(w http.ResponseWriter, r *http.Request) {
		n := calls.Add(1)
		body, _ := io.ReadAll(r.Body)
		var call struct {
			Method string
			Params struct{ ID string }
		}
		_ = json.Unmarshal(body, &call) // of HTTP+JSON the path says all
		task := func(id string) string {
			return fmt.Sprintf(`{"id":%q,"contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}`, id)
		}
		answer := ""
		switch {
		case call.Method == "SendMessage":
			answer = result(`{"task":` + task(fmt.Sprintf("t%d", n)) + `}`)
		case call.Method == "ListTasks":
			answer = result(`{"tasks":[` + task("t1") + `,` + task("t2") + `],"nextPageToken":"","totalSize":2}`)
		case call.Method != "":
			answer = result(task(call.Params.ID))
		default:
			answer = task(strings.TrimPrefix(r.URL.Path, "/tasks/"))
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer)
	}).address, calls
}

const basicAuth = "basic_auth {\n" +
	"alice $2a$04$5dX6WF75Ki/Fyzwiq8TUIu8bGO9uobguBRqiIirDOIgj6ZeDbrQQK\n" +
	"bob $2a$04$5dX6WF75Ki/Fyzwiq8TUIu8bGO9uobguBRqiIirDOIgj6ZeDbrQQK\n}\n"

// identities are ways in which Caddy tells the guard who calls. The agent's address
// stands for AGENT, that of an authorisation service for AUTH.
var identities = []struct {
	name, directives     string
	alice, again, bob    []string // headers: Alice, Alice with new credentials, Bob
	nobody               []string // who passes without a name, nil if nobody does
	principal, otherwise string
}{
	{
		name:       "Caddy's own authentication",
		directives: basicAuth,
		principal:  "{http.auth.user.id}",
		alice:      []string{"Authorization: Basic YWxpY2U6c2VjcmV0"},
		again:      []string{"Authorization: Basic YWxpY2U6c2VjcmV0", "Cookie: session=2"},
		bob:        []string{"Authorization: Basic Ym9iOnNlY3JldA=="},
	},
	{
		name:       "a header of an authorisation service",
		directives: "forward_auth AUTH {\nuri /auth\ncopy_headers X-User\n}\n",
		principal:  "{http.request.header.X-User}",
		alice:      []string{"Authorization: Bearer alice.1"},
		again:      []string{"Authorization: Bearer alice.2"},
		bob:        []string{"Authorization: Bearer bob.1", "X-User: alice"},
		nobody:     []string{"X-User: alice"},
	},
	{
		name: "a claim in a variable",
		directives: "map {http.request.header.Authorization} {claim.sub} {\n" +
			"~^Bearer\\s+(\\w+)\\. \"${1}\"\ndefault \"\"\n}\n",
		principal: "{claim.sub}",
		alice:     []string{"Authorization: Bearer alice.1"},
		again:     []string{"Authorization: Bearer alice.2"},
		bob:       []string{"Authorization: Bearer bob.1"},
		nobody:    []string{"X-Sub: alice"},
	},
	{
		name:       "two placeholders, of which one may be empty",
		directives: "",
		principal:  "{http.request.header.X-Team}/{http.request.header.X-User}",
		alice:      []string{"X-Team: a", "X-User: alice"},
		again:      []string{"X-Team: a", "X-User: alice", "Authorization: Bearer 2"},
		bob:        []string{"X-Team: b", "X-User: alice"},
		nobody:     []string{"X-Team: a"},
	},
	{
		name:   "the credentials themselves",
		alice:  []string{"Authorization: Bearer alice"},
		again:  []string{"Authorization: Bearer alice", "X-Device: 2"},
		bob:    []string{"Authorization: Bearer alice", "Cookie: session=1"},
		nobody: []string{"X-Device: 1"},
	},
}

func TestATaskIsForWhoeverCreatedIt(t *testing.T) {
	for _, tt := range identities {
		t.Run(tt.name, func(t *testing.T) {
			address, calls := taskAgent(t)
			auth := answering(t, func(w http.ResponseWriter, r *http.Request) {
				if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
					name, _, _ := strings.Cut(token, ".")
					w.Header().Set("X-User", name)
				}
			})
			options := []string{"task_owner on"}
			if tt.principal != "" {
				options = append(options, "principal "+tt.principal)
			}
			s := serve(t, strings.ReplaceAll(tt.directives, "AUTH", auth.address)+reaching(address, options...))
			c := s.client(t, h1)

			// ask makes a call and tells whether it has reached the agent.
			ask := func(who []string, verb, path, body string) (status int, answer string, reached bool) {
				t.Helper()
				r, leave := c.request(verb, path, body)
				r.Header.Set("A2A-Version", "1.0")
				for _, field := range who {
					name, value, _ := strings.Cut(field, ": ")
					r.Header.Set(name, value)
				}
				before := calls.Load()
				response := c.do(r, leave)
				answer = response.rest()
				return response.StatusCode, answer, calls.Load() > before
			}
			allowed := func(who []string, verb, path, body, want string) {
				t.Helper()
				if _, answer, reached := ask(who, verb, path, body); !reached || !strings.Contains(answer, want) {
					t.Errorf("%s %s%s of %v reaches the agent: %v, answer %s", verb, path, body, who, reached, answer)
				}
			}
			refused := func(who []string) {
				t.Helper()
				for _, method := range []string{"GetTask", "CancelTask", "SubscribeToTask"} {
					body := fmt.Sprintf(`{"jsonrpc":"2.0","id":"q1","method":%q,"params":{"id":"t1"}}`, method)
					if _, answer, reached := ask(who, "POST", "/", body); reached || !strings.Contains(answer, `"code":-32001`) {
						t.Errorf("%s of %v reaches the agent: %v, answer %s", method, who, reached, answer)
					}
				}
				for _, call := range []string{"GET /tasks/t1", "POST /tasks/t1:cancel", "GET /tasks/t1/pushNotificationConfigs"} {
					verb, path, _ := strings.Cut(call, " ")
					status, answer, reached := ask(who, verb, path, "")
					if reached || status != http.StatusNotFound || !strings.Contains(answer, "TASK_NOT_FOUND") {
						t.Errorf("%s of %v reaches the agent: %v, answer %d %s", call, who, reached, status, answer)
					}
				}
				if _, answer, _ := ask(who, "POST", "/", `{"jsonrpc":"2.0","id":"q1","method":"ListTasks","params":{}}`); strings.Contains(answer, `"t1"`) || !strings.Contains(answer, `"tasks":[`) {
					t.Errorf("%v has the list %s", who, answer)
				}
			}

			allowed(tt.alice, "POST", "/", sendCall, `"id":"t1"`)
			allowed(tt.bob, "POST", "/", sendCall, `"id":"t2"`)
			for _, alice := range [][]string{tt.alice, tt.again} {
				if tt.principal == "" && len(alice) > 1 {
					continue // other credentials are another caller
				}
				allowed(alice, "POST", "/", getCall, `"id":"t1"`)
				allowed(alice, "GET", "/tasks/t1", "", `"id":"t1"`)
				allowed(alice, "POST", "/", `{"jsonrpc":"2.0","id":"q1","method":"ListTasks","params":{}}`, result(`{"tasks":[{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}],"nextPageToken":"","totalSize":1}`))
			}
			refused(tt.bob)
			if tt.nobody != nil {
				refused(tt.nobody)
			}
			s.load(t, strings.ReplaceAll(tt.directives, "AUTH", auth.address)+reaching(address, append(options, "linger 2s")...))
			c = s.client(t, h1)
			allowed(tt.alice, "POST", "/", getCall, `"id":"t1"`)
			refused(tt.bob)
		})
	}
}

// Some servers inflate bodies, read UTF-16, skip a byte order mark or do not look at
// the content type. Where tasks have owners no call passes so, at no path.
func TestNoCallPassesTheOwnersInDisguise(t *testing.T) {
	address, calls := taskAgent(t)
	s := serve(t, reaching(address, "task_owner on"), allProtocols)
	wide := func(order bits.AppendByteOrder, bytes int) string {
		var text []byte
		for _, c := range getCall {
			if bytes == 2 {
				text = order.AppendUint16(text, uint16(c))
			} else {
				text = order.AppendUint32(text, uint32(c))
			}
		}
		return string(text)
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(z, getCall)
	z.Close()
	for _, tt := range []struct {
		name, contentType, encoding, body string
		passes                            bool
	}{
		{"as it should be", "application/json", "", getCall, false},
		{"as a form", "multipart/form-data; boundary=x", "", getCall, false},
		{"as gRPC", "application/grpc", "", getCall, false},
		{"deflated", "application/json", "gzip", zipped.String(), false},
		{"deflated and without a type", "", "gzip", zipped.String(), false},
		{"behind a mark", "application/json", "", "\ufeff" + getCall, false},
		{"in UTF-16", "text/plain", "", wide(bits.BigEndian, 2), false},
		{"in UTF-16, little end first", "application/grpc", "", wide(bits.LittleEndian, 2), false},
		{"in UTF-16 behind a mark", "application/json", "", "\xff\xfe" + wide(bits.LittleEndian, 2), false},
		{"in UTF-32", "application/json", "", wide(bits.BigEndian, 4), false},
		{"in UTF-32, little end first", "application/json", "", wide(bits.LittleEndian, 4), false},
		{"in UTF-32 behind a mark", "application/json", "", "\x00\x00\xfe\xff" + wide(bits.BigEndian, 4), false},
		{"behind what is no number", "application/json", "", `{"x":NaN,` + getCall[1:], false},
		{"behind a comment", "text/plain", "", "{/* */" + getCall[1:], false},
		{"in UTF-7", "application/json; charset=utf-7", "", strings.NewReplacer("{", "+AHs-", "}", "+AH0-").Replace(getCall), false},
		{"in EBCDIC", "application/json; charset=cp037", "", "\xc0\x7f\x94\x85\xa3\x88\x96\x84\x7f\xd0", false},
		{"after a comment", "application/json", "", "/**/" + getCall, false},
		{"after what keeps scripts out", "", "", ")]}'\n" + getCall, false},
		{"after a form feed", "application/a2a+json", "", "\f" + getCall, false},
		{"after another value", "application/json", "", "null " + getCall, false},
		{"deflated, as the second line says", "application/json", "identity gzip", zipped.String(), false},
		{"deflated, which nobody says", "application/json", "", zipped.String(), false},
		{"a note", "text/plain", "", "Hello there.", true},
		{"a form", "application/x-www-form-urlencoded", "", "method=GetTask&id=t1", true},
		{"an archive", "application/x-tar", "gzip", zipped.String(), true},
		{"a gRPC message", "application/grpc", "", "\x00\x00\x00\x00\x04\x0a\x02t1", true},
		{"a long gRPC message", "application/grpc", "", "\x00\x00\x00\x7b\x00\x0a\xfd\xf5\x01" + strings.Repeat("t", 0x7b00-4), true},
		{"JSON of another kind", "application/json", "", `{"name":"x"}`, true},
		{"a list of another kind", "application/json", "", `[1,2]`, true},
		{"nothing", "", "", "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, p := range []protocol{h1, h2} {
				c := s.client(t, p)
				r, leave := c.request("POST", "/elsewhere/"+p.name, tt.body)
				r.Header.Set("Content-Type", tt.contentType)
				if tt.contentType == "" {
					r.Header.Del("Content-Type")
				}
				for encoding := range strings.FieldsSeq(tt.encoding) {
					r.Header.Add("Content-Encoding", encoding)
				}
				before := calls.Load()
				answer := c.do(r, leave).rest()
				if reached := calls.Load() > before; reached != tt.passes {
					t.Errorf("by %s it reaches the agent: %v, answer %s", p.name, reached, answer)
				}
			}
		})
	}
}

func TestNobodyLearnsWhichTasksThereAreByHEAD(t *testing.T) {
	address, calls := taskAgent(t)
	s := serve(t, reaching(address, "task_owner on"))
	for path, want := range map[string]int{
		"/tasks/t1": http.StatusMethodNotAllowed, "/acme/tasks/t1": http.StatusMethodNotAllowed, "/tasks": http.StatusMethodNotAllowed,
		"/health": http.StatusOK,
	} {
		c := s.client(t, h1)
		r, leave := c.request(http.MethodHead, path, "")
		before := calls.Load()
		if got := c.do(r, leave).StatusCode; got != want || (calls.Load() > before) != (want == http.StatusOK) {
			t.Errorf("%s: %d, the agent gets %d calls", path, got, calls.Load()-before)
		}
	}
}
