// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

var (
	madeUpIDs  = regexp.MustCompile(`(task|ctx|msg)-[A-Z2-7]{26}`)
	timestamps = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
)

// settle replaces what differs from run to run.
func settle(body []byte) string {
	body = madeUpIDs.ReplaceAll(body, []byte("$1"))
	return string(timestamps.ReplaceAll(body, []byte("TIME")))
}

func (p *peer) body(body string) string {
	p.t.Helper()
	got, err := io.ReadAll(p.post(p.t.Context(), body).Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return settle(got)
}

func TestTheStreamOf10IsExactlyThis(t *testing.T) {
	p := serve(t, Config{})
	got := p.body(request("SendStreamingMessage", messageParams("BS-1042", "")))
	want := strings.Join([]string{
		`{"task":{"id":"task","contextId":"ctx","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"TIME"}}}`,
		`{"statusUpdate":{"taskId":"task","contextId":"ctx","status":{"state":"TASK_STATE_WORKING","timestamp":"TIME"}}}`,
		`{"artifactUpdate":{"taskId":"task","contextId":"ctx","artifact":{"artifactId":"report","name":"Order status","parts":[{"text":"Order BS-1042: two paperbacks and a map."}]}}}`,
		`{"artifactUpdate":{"taskId":"task","contextId":"ctx","artifact":{"artifactId":"report","name":"Order status","parts":[{"text":" Packed in Belagavi on Monday."}]},"append":true}}`,
		`{"artifactUpdate":{"taskId":"task","contextId":"ctx","artifact":{"artifactId":"report","name":"Order status","parts":[{"text":" Arrives on Thursday."}]},"append":true,"lastChunk":true}}`,
		`{"statusUpdate":{"taskId":"task","contextId":"ctx","status":{"state":"TASK_STATE_COMPLETED","timestamp":"TIME"}}}`,
		``,
	}, "\n")
	compareFrames(t, got, want)
}

func TestTheStreamOf03IsExactlyThis(t *testing.T) {
	p := serve(t, Config{})
	got := p.body(request("message/stream", messageParams("BS-1042", "")))
	want := strings.Join([]string{
		`{"kind":"task","id":"task","contextId":"ctx","status":{"state":"submitted","timestamp":"TIME"}}`,
		`{"kind":"status-update","taskId":"task","contextId":"ctx","status":{"state":"working","timestamp":"TIME"},"final":false}`,
		`{"kind":"artifact-update","taskId":"task","contextId":"ctx","artifact":{"artifactId":"report","name":"Order status","parts":[{"kind":"text","text":"Order BS-1042: two paperbacks and a map."}]}}`,
		`{"kind":"artifact-update","taskId":"task","contextId":"ctx","artifact":{"artifactId":"report","name":"Order status","parts":[{"kind":"text","text":" Packed in Belagavi on Monday."}]},"append":true}`,
		`{"kind":"artifact-update","taskId":"task","contextId":"ctx","artifact":{"artifactId":"report","name":"Order status","parts":[{"kind":"text","text":" Arrives on Thursday."}]},"append":true,"lastChunk":true}`,
		`{"kind":"status-update","taskId":"task","contextId":"ctx","status":{"state":"completed","timestamp":"TIME"},"final":true}`,
		``,
	}, "\n")
	compareFrames(t, got, want)
}

// compareFrames compares a stream with the results that its frames should have,
// one a line.
func compareFrames(t *testing.T, got, want string) {
	t.Helper()
	want = strings.ReplaceAll(want, "\n", "}\n\n")
	want = regexp.MustCompile(`(?m)^\{`).ReplaceAllString(want, `data: {"jsonrpc":"2.0","id":1,"result":{`)
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestUnaryAnswersAreExactlyThese(t *testing.T) {
	tests := []struct{ name, method, params, want string }{
		{
			"1.0 wraps the task", "SendMessage", messageParams("BS-1042", ""),
			`"result":{"task":{"id":"task","contextId":"ctx","status":{"state":"TASK_STATE_COMPLETED","timestamp":"TIME"},"artifacts":[{"artifactId":"report","name":"Order status","parts":[{"text":"Order BS-1042: two paperbacks and a map."},{"text":" Packed in Belagavi on Monday."},{"text":" Arrives on Thursday."}]}]}}`,
		},
		{
			"0.3 does not", "message/send", messageParams("BS-1042", ""),
			`"result":{"kind":"task","id":"task","contextId":"ctx","status":{"state":"completed","timestamp":"TIME"},"artifacts":[{"artifactId":"report","name":"Order status","parts":[{"kind":"text","text":"Order BS-1042: two paperbacks and a map."},{"kind":"text","text":" Packed in Belagavi on Monday."},{"kind":"text","text":" Arrives on Thursday."}]}]}`,
		},
		{
			"a question of 1.0", "SendMessage", messageParams("hi", ""),
			`"result":{"task":{"id":"task","contextId":"ctx","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"msg","contextId":"ctx","taskId":"task","role":"ROLE_AGENT","parts":[{"text":"Which order is it? It looks like BS-1042."}]},"timestamp":"TIME"}}}`,
		},
		{
			"a question of 0.3", "message/send", messageParams("hi", ""),
			`"result":{"kind":"task","id":"task","contextId":"ctx","status":{"state":"input-required","message":{"kind":"message","messageId":"msg","contextId":"ctx","taskId":"task","role":"agent","parts":[{"kind":"text","text":"Which order is it? It looks like BS-1042."}]},"timestamp":"TIME"}}`,
		},
		{
			"a message of 1.0", "SendMessage", messageParams("BS-1042 fault=two-messages", ""),
			`"result":{"message":{"messageId":"msg","contextId":"ctx","role":"ROLE_AGENT","parts":[{"text":"It is on its way."}]}}`,
		},
		{
			"a message of 0.3", "message/send", messageParams("BS-1042 fault=two-messages", ""),
			`"result":{"kind":"message","messageId":"msg","contextId":"ctx","role":"agent","parts":[{"kind":"text","text":"It is on its way."}]}`,
		},
		{
			"an error of 1.0", "GetTask", idParams("none"),
			`"error":{"code":-32001,"message":"no such task","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}`,
		},
		{
			"an error of 0.3", "tasks/get", idParams("none"),
			`"error":{"code":-32001,"message":"no such task"}`,
		},
	}
	p := serve(t, Config{})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			want := `{"jsonrpc":"2.0","id":1,` + test.want + "}\n"
			if got := p.body(request(test.method, test.params)); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestGetTaskIsBareInBothVersions(t *testing.T) {
	p := serve(t, Config{})
	_, got := p.call("SendMessage", messageParams("hi", ""))
	for method, want := range map[string]string{
		"GetTask":   `{"jsonrpc":"2.0","id":1,"result":{"id":"task","contextId":"ctx",`,
		"tasks/get": `{"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"task","contextId":"ctx",`,
	} {
		if got := p.body(request(method, idParams(got.taskID()))); !strings.HasPrefix(got, want) {
			t.Errorf("%s answered %s", method, got)
		}
	}
}

func TestTheCardServesBothVersionsAtTheClientsAddress(t *testing.T) {
	p := serve(t, Config{})
	response, err := p.http.Get(p.url + "/.well-known/agent-card.json")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"supportedInterfaces":[{"url":"` + p.url + `/","protocolBinding":"JSONRPC","protocolVersion":"1.0"},{"url":"` + p.url + `/","protocolBinding":"JSONRPC","protocolVersion":"0.3"}]`,
		`"protocolVersion":"0.3.0","url":"` + p.url + `/","preferredTransport":"JSONRPC"`,
		`"streaming":true`,
	} {
		if !strings.Contains(string(body), want) {
			t.Errorf("%s is not in %s", want, body)
		}
	}
}

func TestOtherPathsAndVerbsAreRefused(t *testing.T) {
	p := serve(t, Config{})
	for target, want := range map[string]int{
		"GET /healthz":                  http.StatusOK,
		"GET /":                         http.StatusMethodNotAllowed,
		"POST /healthz":                 http.StatusMethodNotAllowed,
		"POST /message:send":            http.StatusNotFound,
		"GET /.well-known/missing.json": http.StatusNotFound,
	} {
		verb, path, _ := strings.Cut(target, " ")
		r, err := http.NewRequestWithContext(t.Context(), verb, p.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := p.http.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: %d, want %d", target, response.StatusCode, want)
		}
	}
}
