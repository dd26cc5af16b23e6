// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestCredentialsOfWebhooksAreNotLogged plants secrets in every place of a push
// configuration, in requests that pass, in such that are refused and in answers.
func TestCredentialsOfWebhooksAreNotLogged(t *testing.T) {
	const config = `"url":"https://%s/hook?key=s3cr3t-in-the-query","token":"s3cr3t-token","authentication":{"scheme":"s3cr3t-scheme","schemes":["s3cr3t-scheme"],"credentials":"s3cr3t-credentials"}`
	hidden, open := fmt.Sprintf(config, "user:s3cr3t@10.0.0.1"), fmt.Sprintf(config, "hooks.example.com")
	call := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":"q1","method":"` + method + `","params":{` + params + `}}`
	}
	twice := open + `,"token":"s3cr3t-again","url":"https://s3cr3t.example.com/"`
	var calls []string
	for _, c := range []string{hidden, open, twice} {
		calls = append(calls,
			call("CreateTaskPushNotificationConfig", `"taskId":"t1",`+c),
			call("tasks/pushNotificationConfig/set", `"taskId":"t1","pushNotificationConfig":{`+c+`}`),
			call("SendMessage", `"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"x"}]},"configuration":{"taskPushNotificationConfig":{"taskId":"t9",`+c+`}}`),
			call("message/stream", `"configuration":{"pushNotificationConfig":{`+c+`}}`))
	}
	a := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", typeJSON)
		_, _ = fmt.Fprint(w, `{"jsonrpc":"2.0","id":"another","result":{"taskId":"t1","id":"p1",`+open+`}}`)
	})
	for _, profile := range []string{"observe", "standard", "strict"} {
		t.Run(profile, func(t *testing.T) {
			s := serve(t, "log\n"+reaching(a.address, "profile "+profile))
			c := s.client(t, h1)
			for _, body := range calls {
				c.post(body).rest()
			}
			if got := logged.violations(); len(got) < len(calls)/2 {
				t.Fatalf("the log blames only %q", got)
			}
			logged.mu.Lock()
			defer logged.mu.Unlock()
			for _, e := range logged.entries {
				if line := fmt.Sprint(e); strings.Contains(line, "s3cr3t") {
					t.Errorf("the log has %s", line)
				}
			}
		})
	}
}
