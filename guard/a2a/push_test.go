// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"fmt"
	"strings"
	"testing"
)

func TestEveryDoorForAWebhookIsSeen(t *testing.T) {
	call := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":1,"params":` + params + `,"method":"` + method + `"}`
	}
	tests := []struct{ name, body, want string }{
		{"1.0, the call of its own", call("CreateTaskPushNotificationConfig", `{"taskId":"t1","id":"p","url":"u1","token":"s"}`), `call "u1" of "t1"`},
		{"0.3, the call of its own", call("tasks/pushNotificationConfig/set", `{"taskId":"t1","pushNotificationConfig":{"url":"u1","authentication":{"url":"no"}}}`), `call "u1" of `},
		{"0.3, wrapped twice", call("tasks/pushNotificationConfig/set", `{"config":{"name":"n","pushNotificationConfig":{"url":"u1","taskId":"t2"}}}`), `call "u1" of "t2"`},
		{"1.0, with a message", call("SendMessage", `{"message":{"parts":[{"url":"no"}]},"configuration":{"taskPushNotificationConfig":{"url":"u1","taskId":"t2"}}}`), `inline "u1" of "t2"`},
		{"0.3, with a message", call("message/stream", `{"configuration":{"pushNotificationConfig":{"url":"u1"}}}`), `inline "u1" of `},
		{"0.3, as its HTTP binding spells it", call("message/send", `{"configuration":{"pushNotification":{"url":"u1"}}}`), `inline "u1" of `},
		{"proto spelling", call("SendMessage", `{"configuration":{"task_push_notification_config":{"url":"u1"},"push_notification":{"url":"u2"}}}`), `inline "u1" of , inline "u2" of `},
		{"another case", call("SendMessage", `{"Configuration":{"TASKPUSHNOTIFICATIONCONFIG":{"Url":"u1"}}}`), `inline "u1" of `},
		{"everything in another case", `{"Params":{"URL":"u1"},"method":"CreateTaskPushNotificationConfig"}`, `call "u1" of `},
		{"escaped", call("SendMessage", `{"configuration":{"push\u004eotification":{"\u0075rl":"u\u0031"}}}`), `inline "u\u0031" of `},
		{"several", call("SendMessage", `{"url":"u0","configuration":{"pushNotificationConfig":{"url":"u1","config":{"url":"u2"}}}}`), `inline "u2" of , inline "u1" of , call "u0" of `},
		{"no string", call("SendMessage", `{"configuration":{"pushNotificationConfig":{"url":["u1"]}}}`), `inline ["u1"] of `},
		{"none", call("SendMessage", `{"configuration":{"pushNotificationConfig":{"url":null,"taskId":""}},"metadata":{"url":"no"}}`), ``},
		{"none, only a task", call("GetTaskPushNotificationConfig", `{"taskId":"t1","id":"p"}`), ``},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var rr RequestReader
			var r Request
			if err := rr.Read([]byte(tt.body), &r); err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, p := range r.Push {
				kind := "call"
				if p.Inline {
					kind = "inline"
				}
				found = append(found, fmt.Sprintf("%s %s of %s", kind, p.URL, p.TaskID))
			}
			if got := strings.Join(found, ", "); got != tt.want || r.Flaw != NoFlaw {
				t.Errorf("%s\nholds %s (flaw %v), not %s", tt.body, got, r.Flaw, tt.want)
			}
		})
	}
}

func TestTheListOfWebhooksIsBounded(t *testing.T) {
	body := `{"method":"SendMessage","params":{"configuration":{` + strings.Repeat(`"pushNotification":{"url":"u"},`, 1000) + `"x":0}}}`
	var rr RequestReader
	var r Request
	if err := rr.Read([]byte(body), &r); err != nil || len(r.Push) != maxPushConfigs || r.Flaw != DuplicateKeys {
		t.Errorf("%d are listed, flaw %v, %v", len(r.Push), r.Flaw, err)
	}
}
