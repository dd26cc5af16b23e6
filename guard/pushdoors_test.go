// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

func TestPlainCallsAreHeldToPublicWebhooks(t *testing.T) {
	const create, send = "POST /tasks/t1/pushNotificationConfigs", "POST /message:send"
	tests := []struct {
		target, version, body string
		rule                  string
	}{
		{create, "1.0", `{"url":"https://hooks.example.com/","taskId":"t1"}`, ""},
		{create, "1.0", `{"url":"https://10.0.0.1/"}`, "push-url"},
		{create, "1.0", `{"url":"https://hooks.example.com/","taskId":"t2"}`, "push-config-task"},
		{"POST /v1/tasks/t1/pushNotificationConfigs", "", `{"config":{"name":"tasks/t1/pushNotificationConfigs/p","pushNotificationConfig":{"url":"http://[::1]/"}}}`, "push-url"},
		{"POST /v1/tasks/t1/pushNotificationConfigs", "", `{"name":"n","pushNotificationConfig":{"url":"https://localhost/"}}`, "push-url"},
		{"POST /v1/tasks/t1/pushNotificationConfigs", "", `{"pushNotificationConfig":{"url":"https://hooks.example.com/"}}`, ""},
		{send, "1.0", `{"message":{},"configuration":{"taskPushNotificationConfig":{"url":"http://hooks.example.com/"}}}`, "push-url"},
		{"POST /v1/message:stream", "", `{"request":{},"configuration":{"pushNotification":{"url":"https://0x7f.1/"}}}`, "push-url"},
		{send, "1.0", `{"message":{},"url":"http://10.0.0.1/","configuration":{"acceptedOutputModes":["url"]}}`, ""},
	}
	for _, tt := range tests {
		for profile, acts := range map[string]bool{"strict": true, "standard": false, "observe": false} {
			t.Run(profile+" "+tt.target+" "+tt.body, func(t *testing.T) {
				x := plainCall(t, newGuard(t, profiles[profile]), tt.target, tt.version, tt.body)
				var found string
				for _, v := range x.Violations {
					if id := v.Rule.String(); id == "push-url" || id == "push-config-task" {
						found += id
					}
				}
				if found != tt.rule {
					t.Errorf("reported is %q", found)
				}
				if refused := x.Refusal != nil; refused != (acts && tt.rule != "") {
					t.Errorf("refused: %v", refusal(x.Refusal))
				} else if refused && (x.Refusal.Fault.Code != a2a.InvalidParams || x.Refusal.Status != 400) {
					t.Errorf("refused with %s", refusal(x.Refusal))
				}
			})
		}
	}
}
