// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"fmt"
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
