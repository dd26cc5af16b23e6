// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

func TestWhatServersReadDifferentlyIsOdd(t *testing.T) {
	tests := []struct {
		name, method, members string
		task                  string
		odd                   bool
	}{
		{"as it should be", "GetTask", `"params":{"id":"t1"}`, `"t1"`, false},
		{"a number", "GetTask", `"params":{"id":1}`, "", true},
		{"an object", "GetTask", `"params":{"id":{"a":"t1"}}`, "", true},
		{"null is absent", "GetTask", `"params":{"id":null}`, "", false},
		{"empty is absent", "GetTask", `"params":{"id":""}`, "", false},
		{"in another case", "GetTask", `"params":{"ID":"t1"}`, "", true},
		{"in another case beside it", "GetTask", `"params":{"id":"t2","Id":"t1"}`, `"t2"`, true},
		{"the params in another case", "SendMessage", `"Params":{"message":{"taskId":"t1"}}`, `"t1"`, true},
		{"a list of params", "GetTask", `"params":["t1"]`, "", true},
		{"no params", "GetTask", `"params":null`, "", false},
		{"the message in another case", "SendMessage", `"params":{"MESSAGE":{"taskId":"t1"}}`, "", true},
		{"a message that is none", "SendMessage", `"params":{"message":"taskId"}`, "", true},
		{"a message's task in another case", "SendMessage", `"params":{"message":{"TASKID":"t1"}}`, "", true},
		{"a message's task in the proto's spelling", "SendMessage", `"params":{"message":{"task_id":"t1"}}`, `"t1"`, false},
		{"the proto's spelling in another case", "SendMessage", `"params":{"message":{"Task_Id":"t1"}}`, "", true},
		{"a message's task that is a number", "SendMessage", `"params":{"message":{"taskId":7}}`, "", true},
		{"references in another case", "SendMessage", `"params":{"message":{"ReferenceTaskIds":["t1"]}}`, "", true},
		{"other members in another case", "SendMessage", `"params":{"Configuration":{},"message":{"MessageId":"m","Kind":"x"}}`, "", false},
		{"a tenant that is a number", "GetTask", `"params":{"id":"t1","tenant":5}`, `"t1"`, true},
		{"a tenant in another case", "GetTask", `"params":{"id":"t1","Tenant":"x"}`, `"t1"`, true},
		{"a push config's own id", "GetTaskPushNotificationConfig", `"params":{"id":"p1","taskId":"t1"}`, `"t1"`, false},
		{"0.3 takes either name", "tasks/pushNotificationConfig/get", `"params":{"taskId":"t1"}`, `"t1"`, false},
		{"0.3 takes both", "tasks/pushNotificationConfig/get", `"params":{"taskId":"t1","id":"t1"}`, `"t1"`, false},
		{"0.3 takes no two tasks", "tasks/pushNotificationConfig/get", `"params":{"taskId":"t1","id":"t2"}`, `"t1"`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var rr RequestReader
			var r Request
			if err := rr.Read(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,%s}`, tt.method, tt.members), &r); err != nil {
				t.Fatal(err)
			}
			if string(r.TaskID) != tt.task || r.Odd != tt.odd {
				t.Errorf("task %s, odd %v", r.TaskID, r.Odd)
			}
		})
	}
}

// Servers in Go read names in any case, and of two the last. Whatever task they see
// in a request that is neither odd nor flawed, the reader sees the same.
func FuzzOddRequests(f *testing.F) {
	for _, seed := range []string{
		`{"id":"t1"}`, `{"ID":"t1"}`, `{"id":"t2","Id":"t1"}`, `{"id":"t2","\u0069d":"t1"}`, `{"\u212aid":"t1"}`, `["t1"]`,
		`{"message":{"taskId":"t1"}}`, `{"Message":{"taskId":"t1"}}`, `{"message":{"TASKID":"t1"}}`, `{"message":{"taskId":"t2"},"MESSAGE":{"taskId":"t1"}}`,
		`{"message":{"taskId":null}}`, `{"message":{"ta\u017fkId":"t1"}}`, `{"message":{"referenceTaskIds":["t1","\ud800"]}}`, `{"message":{"referenceTaskIds":[1]}}`,
		`{"message":{"REFERENCETASKIDS":["t1"]}}`, `{"message":{"referenceTaskIds":["a"],"referencetaskids":["t1"]}}`, `{"taskId":"t1"}`, `{"TaskID":"t1"}`,
	} {
		f.Add([]byte(seed), uint8(0))
		f.Add([]byte(seed), uint8(1))
		f.Add([]byte(seed), uint8(2))
	}
	f.Fuzz(func(t *testing.T, params []byte, which uint8) {
		method := []string{"GetTask", "SendMessage", "GetTaskPushNotificationConfig"}[which%3]
		body := fmt.Appendf(nil, `{"method":%q,"params":%s}`, method, params)
		var rr RequestReader
		var r Request
		if rr.Read(body, &r) != nil || r.Odd || r.Flaw != NoFlaw {
			return
		}
		var server struct {
			Params struct {
				ID      string `json:"id"`
				TaskID  string `json:"taskId"`
				Message struct {
					TaskID     string   `json:"taskId"`
					References []string `json:"referenceTaskIds"`
				} `json:"message"`
			} `json:"params"`
		}
		if json.Unmarshal(body, &server) != nil {
			return // and no server
		}
		task := map[string]string{"GetTask": server.Params.ID, "SendMessage": server.Params.Message.TaskID}[method]
		if method == "GetTaskPushNotificationConfig" {
			task = server.Params.TaskID
		}
		if got := r.TaskID.Text(); got != task && task != "" {
			t.Errorf("%s: a server sees task %q, the reader %q", body, task, got)
		}
		var references []string
		if !r.EachReference(func(task Token) bool { references = append(references, task.Text()); return true }) {
			return // refused where it matters
		}
		if method == "SendMessage" && !slices.Equal(references, server.Params.Message.References) {
			t.Errorf("%s: a server sees references %q, the reader %q", body, server.Params.Message.References, references)
		}
	})
}
