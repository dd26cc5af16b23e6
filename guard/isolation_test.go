// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// namingCalls are all calls that name a task: in JSON-RPC by their method and params,
// in HTTP+JSON by their verb, path and body. ID stands for the task's id.
var namingCalls = []struct{ call, content string }{
	{"GetTask", `{"id":"ID"}`},
	{"CancelTask", `{"id":"ID"}`},
	{"SubscribeToTask", `{"id":"ID"}`},
	{"SendMessage", `{"message":{"messageId":"m","taskId":"ID"}}`},
	{"SendStreamingMessage", `{"message":{"messageId":"m","taskId":"ID","contextId":"c9"}}`},
	{"SendMessage", `{"message":{"messageId":"m","referenceTaskIds":["ID"]}}`},
	{"CreateTaskPushNotificationConfig", `{"taskId":"ID","url":"https://example.com/"}`},
	{"GetTaskPushNotificationConfig", `{"taskId":"ID","id":"p"}`},
	{"ListTaskPushNotificationConfigs", `{"taskId":"ID"}`},
	{"DeleteTaskPushNotificationConfig", `{"taskId":"ID","id":"p"}`},
	{"tasks/get", `{"id":"ID"}`},
	{"tasks/cancel", `{"id":"ID"}`},
	{"tasks/resubscribe", `{"id":"ID"}`},
	{"message/send", `{"message":{"messageId":"m","taskId":"ID","contextId":"c9"}}`},
	{"message/stream", `{"message":{"messageId":"m","taskId":"ID"}}`},
	{"tasks/pushNotificationConfig/set", `{"taskId":"ID","pushNotificationConfig":{"url":"https://example.com/"}}`},
	{"tasks/pushNotificationConfig/get", `{"id":"ID"}`},
	{"tasks/pushNotificationConfig/list", `{"id":"ID"}`},
	{"tasks/pushNotificationConfig/delete", `{"id":"ID","pushNotificationConfigId":"p"}`},
	{"GET /tasks/ID", ""},
	{"POST /tasks/ID:cancel", "{}"},
	{"POST /tasks/ID:subscribe", ""},
	{"GET /tasks/ID:subscribe", ""},
	{"POST /message:send", `{"message":{"messageId":"m","taskId":"ID"}}`},
	{"POST /message:stream", `{"message":{"messageId":"m","taskId":"ID","contextId":"c9"}}`},
	{"POST /tasks/ID/pushNotificationConfigs", `{"url":"https://example.com/"}`},
	{"GET /tasks/ID/pushNotificationConfigs", ""},
	{"GET /tasks/ID/pushNotificationConfigs/p", ""},
	{"DELETE /tasks/ID/pushNotificationConfigs/p", ""},
	{"GET /v1/tasks/ID", ""},
	{"POST /v1/tasks/ID:cancel", "{}"},
	{"POST /v1/message:stream", `{"message":{"messageId":"m","taskId":"ID"}}`},
}

// caller is who calls, of which tenant and through which guard.
type caller struct {
	guard, tenant, principal string
}

var alice = caller{"agent", "acme", "alice"}

// taught is a guard that has seen a task of Alice's end.
func taught(t testing.TB, change func(*policy.Config)) *guard.Guard {
	t.Helper()
	g := newGuard(t, change)
	naming(t, g, alice, "SendMessage", `{"message":{"messageId":"m"}}`, "").Judge(noon, guard.Head{Status: 200, ContentType: "application/json"},
		[]byte(`{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}}}`))
	return g
}

// naming makes a call that names a task.
func naming(t testing.TB, g *guard.Guard, who caller, call, content, id string) *guard.Exchange {
	t.Helper()
	own := *g
	own.Name = who.guard
	call, content = strings.Replace(call, "ID", id, 1), strings.Replace(content, "ID", id, 1)
	in := guard.Request{Version: "1.0", Principal: who.principal, RPCPath: true}
	if verb, path, plain := strings.Cut(call, " "); plain {
		if who.tenant != "" {
			path = "/" + who.tenant + path
		}
		in.Route, in.Body = own.Route(verb, path), []byte(content)
		if strings.HasPrefix(path, "/v1/") {
			in.Version = "0.3"
		}
		if in.Route.Operation == a2a.Other {
			t.Fatalf("%s is no call", call)
		}
	} else {
		if who.tenant != "" {
			content = fmt.Sprintf(`{"tenant":%q,`, who.tenant) + content[1:]
		}
		if strings.Contains(call, "/") {
			in.Version = "0.3"
		}
		in.Body = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, call, content)
	}
	return own.Inspect(noon.Add(time.Minute), in)
}

// shown is all that a caller can tell of an exchange, the task's id apart: whether
// the agent hears of it, the guard's own answer, what becomes of the agent's answers,
// and when and what the guard asks the agent on its own.
func shown(x *guard.Exchange, id string) string {
	var b strings.Builder
	say := func(format string, args ...any) {
		b.WriteString(strings.ReplaceAll(fmt.Sprintf(format, args...), id, "ID") + "\n")
	}
	say("reaches the agent: %v", x.Judged())
	say("%s", refusal(x.Refusal))
	if x.Refusal != nil {
		say("%s", x.Refusal.Body)
	}
	for _, v := range x.Violations {
		say("%v %v", v.Rule, v.Decision)
	}
	if !x.Judged() {
		return b.String()
	}
	bare := fmt.Sprintf(`{"id":%q,"contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}`, id)
	answers := []string{bare, `{"task":` + bare + `}`}
	if x.Binding == a2a.JSONRPC {
		for i, answer := range answers {
			answers[i] = `{"jsonrpc":"2.0","id":1,"result":` + answer + `}`
		}
	}
	for _, answer := range answers {
		j := x.Judge(noon.Add(2*time.Minute), guard.Head{Status: 200, ContentType: "application/json"}, []byte(answer))
		say("an answer becomes %s, %s", refusal(j.Reply), j.Body)
	}
	now := noon.Add(2 * time.Minute)
	s := x.Stream(now)
	step := s.Feed(now, []byte("data: "+answers[1]+"\n\n"))
	for range 20 {
		say("a stream has %q, a need %v, its end %v", step.Out, step.Need != nil, step.End)
		at, ok := s.Deadline()
		say("and goes on after %v %v", at.Sub(now), ok)
		if !ok || step.End || step.Need != nil {
			break
		}
		now = at
		step = s.Expire(now)
	}
	return b.String()
}

// Alice's task has ended. To anybody else a call that names it must look like one
// that names no task at all.
func TestTheMemoryTellsNobodyOfTheTasksOfOthers(t *testing.T) {
	others := map[string]caller{
		"another principal":  {"agent", "acme", "bob"},
		"nobody":             {"agent", "acme", ""},
		"another tenant":     {"agent", "evil", "alice"},
		"no tenant":          {"agent", "", "alice"},
		"another guard":      {"other", "acme", "alice"},
		"a name that begins": {"agent", "acm", "ealice"},
	}
	configs := map[string]func(*policy.Config){
		"strict":             func(c *policy.Config) { c.Profile = policy.ProfileStrict },
		"standard":           func(c *policy.Config) {},
		"owners":             func(c *policy.Config) { c.TaskOwner = true },
		"strict with owners": func(c *policy.Config) { c.Profile, c.TaskOwner = policy.ProfileStrict, true },
	}
	for config, change := range configs {
		for name, who := range others {
			t.Run(config+"/"+name, func(t *testing.T) {
				for _, c := range namingCalls {
					of := shown(naming(t, taught(t, change), who, c.call, c.content, "t1"), "t1")
					none := shown(naming(t, newGuard(t, change), who, c.call, c.content, "t1"), "t1")
					if of != none {
						t.Errorf("%s %s\nof alice's task:\n%s\nof no task:\n%s", c.call, c.content, of, none)
					}
					asked := strings.HasPrefix(of, "reaches the agent: true")
					if owners := strings.Contains(config, "owners"); asked == owners {
						t.Errorf("%s %s reaches the agent: %v", c.call, c.content, asked)
					}
				}
			})
		}
	}
}

// The same calls of hers are answered from memory, or not at all, so the test above
// does not compare nothing with nothing.
func TestTheMemoryAnswersWhoOwnsTheTask(t *testing.T) {
	g := taught(t, func(c *policy.Config) { c.Profile, c.TaskOwner = policy.ProfileStrict, true })
	rules := make(map[string]int)
	for _, c := range namingCalls {
		x := naming(t, g, alice, c.call, c.content, "t1")
		if x.Refusal == nil {
			rules["none"]++
			continue
		}
		rules[x.Refusal.Fault.Rule]++
		want := a2a.UnsupportedOperation
		if x.Dialect == a2a.V03 {
			want = a2a.InvalidParams
		}
		if x.Refusal.Fault.Code != want {
			t.Errorf("%s is refused with %v", c.call, x.Refusal.Fault.Code)
		}
	}
	for rule, want := range map[string]int{"send-to-terminal": 7, "subscribe-terminal": 4, "task-owner-scope": 0} {
		if rules[rule] != want {
			t.Errorf("%s refuses %d calls, not %d: %v", rule, rules[rule], want, rules)
		}
	}
}
