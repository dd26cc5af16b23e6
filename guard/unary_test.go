// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/guard"
)

// unaryCalls are calls whose answers the strict profile may change.
var unaryCalls = []string{
	`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t1","historyLength":1}}`,
	`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{},"configuration":{"historyLength":0,"returnImmediately":true}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"historyLength":0}}`,
	`{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"historyLength":2}}`,
	`{"jsonrpc":"2.0","id":1,"method":"CancelTask","params":{"id":"t1"}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"t1"}}`,
}

// judged holds a whole answer to a call and tells which rules it breaks.
func judged(t testing.TB, g *guard.Guard, call string, body []byte) (j guard.Judgement, rules []string) {
	t.Helper()
	x := g.Inspect(noon, guard.Request{Body: []byte(call), Version: "1.0", Principal: "me"})
	if x == nil || !x.Judged() {
		t.Fatalf("%s is not judged", call)
	}
	j = x.Judge(noon, guard.Head{Status: 200, ContentType: guard.TypeJSON}, body)
	for _, v := range x.Violations {
		rules = append(rules, v.Rule.String())
	}
	return j, rules
}

// What the guard has repaired it must not find broken.
func FuzzUnaryAnswer(f *testing.F) {
	for i, result := range []string{
		`{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"},"history":[{"messageId":"a"}, {"messageId":"b"}]}`,
		`{"task":{"history":[{}],"id":"t1","status":{"state":"TASK_STATE_COMPLETED"}}}`,
		`{"tasks":[{"history":[1],"artifacts":[{}],"id":"t1"},{"artifacts" : null , "history":[2] },{}],"nextPageToken":""}`,
		`{"tasks":[{"id":"t1","history":[1,2,3],"artifacts":[]},7]}`,
		`{ "x":1, "task" : {"id":"t1","status":{"state":"TASK_STATE_CANCELED"}} }`,
		`{"kind":"task","id":"t1","status":{"state":"completed"}}`,
	} {
		f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":`+result+`}`), uint8(i))
	}
	f.Fuzz(func(t *testing.T, body []byte, which uint8) {
		call := unaryCalls[int(which)%len(unaryCalls)]
		g := newGuard(t, profiles["strict"])
		g.Tasks = nil
		j, _ := judged(t, g, call, body)
		if j.Body == nil || j.Reply != nil {
			return
		}
		if !json.Valid(j.Body) {
			t.Fatalf("%q became %q", body, j.Body)
		}
		again, rules := judged(t, g, call, j.Body)
		if again.Body != nil || again.Reply != nil || slices.Contains(rules, "history-length") {
			t.Errorf("%q became %q, which breaks %q", body, j.Body, rules)
		}
	})
}

// A list is read in one pass, however long it is, and reported once.
func TestAListOfManyTasksIsReportedOnce(t *testing.T) {
	const one = `{"id":"t%d","contextId":"c","status":{"state":"TASK_STATE_WORKING"},"artifacts":[{"artifactId":"a"}]}`
	tasks := make([]string, 900)
	for i := range tasks {
		tasks[i] = fmt.Sprintf(one, i)
	}
	body := `{"jsonrpc":"2.0","id":1,"result":{"tasks":[` + strings.Join(tasks, ",") + `],"nextPageToken":""}}`
	j, rules := judged(t, newGuard(t, profiles["strict"]), unaryCalls[2], []byte(body))
	if len(rules) != 1 || rules[0] != "list-tasks-shape" {
		t.Errorf("it breaks %q", rules)
	}
	if want := strings.ReplaceAll(body, `,"artifacts":[{"artifactId":"a"}]`, ""); string(j.Body) != want {
		t.Errorf("it becomes %.300s", j.Body)
	}
}

// A bare "/tasks" may be anybody's. What does not look like an agent's answer is
// left alone, however strict the guard is.
func TestAnotherApplicationsTasksAreLeftAlone(t *testing.T) {
	tests := []struct {
		name, target string
		status       int
		body         string
	}{
		{"a list", "GET /tasks?historyLength=0", 200, `{"tasks":[{"id":"t1","title":"buy milk","artifacts":["x"],"history":["y"]}]}`},
		{"a thing to do", "GET /tasks/t1", 200, `{"id":"t1","title":"buy milk"}`},
		{"a thing that is not there", "GET /tasks/t1", 404, `{"error":{"code":404}}`},
		{"a thing that is another's", "GET /tasks/t1", 403, `{"error":{"code":403}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := plainCall(t, newGuard(t, profiles["strict"]), tt.target, "", "")
			head := guard.Head{Status: tt.status, ContentType: guard.TypeJSON}
			plan, reply := x.Respond(head)
			if plan == guard.CollectBody {
				j := x.Judge(noon, head, []byte(tt.body))
				if reply = j.Reply; j.Body != nil {
					t.Errorf("it becomes %s", j.Body)
				}
			}
			if reply != nil || len(x.Violations) > 0 {
				t.Errorf("it is answered %s and breaks %+v", refusal(reply), x.Violations)
			}
		})
	}
}
