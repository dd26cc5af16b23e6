// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"
)

func (r Route) describe() string {
	if r.Operation == Other {
		return "none"
	}
	s := r.Operation.String()
	if r.Old {
		s += " v1"
	}
	for _, part := range []struct{ name, value string }{
		{"tenant", r.Tenant}, {"task", r.TaskID}, {"config", r.ConfigID}, {"prefix", r.Prefix},
	} {
		if part.value != "" {
			s += fmt.Sprintf(" %s=%s", part.name, part.value)
		}
	}
	if r.Certain {
		s += " certain"
	}
	if r.Odd {
		s += " odd"
	}
	return s
}

func TestRoutesAreFound(t *testing.T) {
	tests := []struct{ verb, path, want string }{
		{"POST", "/message:send", "send_message certain"},
		{"POST", "/message:stream", "send_streaming_message certain"},
		{"GET", "/tasks", "list_tasks"},
		{"GET", "/tasks/t1", "get_task task=t1"},
		{"POST", "/tasks/t1:cancel", "cancel_task task=t1 certain"},
		{"GET", "/tasks/t1:subscribe", "subscribe_to_task task=t1 certain"},
		{"POST", "/tasks/t1:subscribe", "subscribe_to_task task=t1 certain"},
		{"POST", "/tasks/t1/pushNotificationConfigs", "create_push_config task=t1"},
		{"GET", "/tasks/t1/pushNotificationConfigs", "list_push_configs task=t1"},
		{"GET", "/tasks/t1/pushNotificationConfigs/p1", "get_push_config task=t1 config=p1"},
		{"DELETE", "/tasks/t1/pushNotificationConfigs/p1", "delete_push_config task=t1 config=p1"},
		{"GET", "/extendedAgentCard", "get_extended_agent_card"},

		{"POST", "/acme/message:send", "send_message tenant=acme prefix=/acme certain"},
		{"GET", "/acme/tasks", "list_tasks tenant=acme prefix=/acme"},
		{"GET", "/acme/tasks/t1", "get_task tenant=acme task=t1 prefix=/acme"},
		{"POST", "/acme/tasks/t1:cancel", "cancel_task tenant=acme task=t1 prefix=/acme certain"},
		{"DELETE", "/acme/tasks/t1/pushNotificationConfigs/p1", "delete_push_config tenant=acme task=t1 config=p1 prefix=/acme"},
		{"GET", "/acme/extendedAgentCard", "get_extended_agent_card tenant=acme prefix=/acme"},

		{"POST", "/v1/message:send", "send_message v1 prefix=/v1 certain"},
		{"POST", "/v1/message:stream", "send_streaming_message v1 prefix=/v1 certain"},
		{"GET", "/v1/tasks", "list_tasks v1 prefix=/v1"},
		{"GET", "/v1/tasks/t1", "get_task v1 task=t1 prefix=/v1"},
		{"POST", "/v1/tasks/t1:cancel", "cancel_task v1 task=t1 prefix=/v1 certain"},
		{"GET", "/v1/tasks/t1:subscribe", "subscribe_to_task v1 task=t1 prefix=/v1 certain"},
		{"POST", "/v1/tasks/t1/pushNotificationConfigs", "create_push_config v1 task=t1 prefix=/v1"},
		{"GET", "/v1/card", "get_extended_agent_card v1 prefix=/v1"},
		{"GET", "/acme/v1/card", "get_extended_agent_card v1 tenant=acme prefix=/acme/v1"},

		{"POST", "/agents/one/message:stream", "send_streaming_message prefix=/agents/one certain"},
		{"GET", "/agents/one/tasks/t1", "get_task task=t1 prefix=/agents/one certain"},
		{"GET", "/agents/one/acme/tasks/t1", "get_task tenant=acme task=t1 prefix=/agents/one/acme certain"},
		{"GET", "/agents/one/v1/card", "get_extended_agent_card v1 prefix=/agents/one/v1 certain"},
		{"POST", "/elsewhere/far/away/message:send", "send_message tenant=elsewhere/far/away prefix=/elsewhere/far/away certain"},
		{"POST", "/far/away/v1/tasks/t1:cancel", "cancel_task v1 tenant=far/away task=t1 prefix=/far/away/v1 certain"},

		{"GET", "/tasks/a:b", "get_task task=a:b"},
		{"POST", "/tasks/a:b:cancel", "cancel_task task=a:b certain"},
		{"POST", "/tasks/a%3Ab%3Acancel", "cancel_task task=a:b certain"},
		{"POST", "/message%3asend", "send_message certain"},
		{"POST", "/%6dessage:s%65nd", "send_message certain"},
		{"GET", "/%74asks/t%201", "get_task task=t 1"},
		{"GET", "/tasks/a%2Fb", "get_task task=a/b"},
		{"POST", "/tasks/a%2Fb:cancel", "cancel_task task=a/b certain"},
		{"GET", "/tasks/t1:cancel", "get_task task=t1:cancel"},
		{"POST", "/tasks/:cancel", "cancel_task certain"},
		{"GET", "/tasks/%zz", "get_task task=%zz"},
		{"GET", "/tasks/tasks", "get_task task=tasks"},
		{"GET", "/tasks/tasks/t1", "get_task tenant=tasks task=t1 prefix=/tasks"},
		{"POST", "/tasks/message:send", "send_message tenant=tasks prefix=/tasks certain"},

		{"GET", "/tasks/", "list_tasks"},
		{"GET", "//tasks//t1/", "get_task task=t1 prefix=/"},
		{"POST", "//message:send", "send_message prefix=/ certain"},
		{"POST", "/acme//message:send/", "send_message tenant=acme prefix=/acme/ certain"},

		{"POST", "/", "none"},
		{"GET", "/", "none"},
		{"GET", "", "none"},
		{"HEAD", "/tasks/t1", "none"},
		{"OPTIONS", "/message:send", "none"},
		{"PUT", "/tasks/t1", "none"},
		{"GET", "/message:send", "none"},
		{"DELETE", "/tasks/t1", "none"},
		{"POST", "/tasks/t1", "none"},
		{"POST", "/tasks", "none"},
		{"POST", "/tasks/t1:retry", "none"},
		{"GET", "/tasks/t1/history", "none"},
		{"GET", "/tasks/t1/pushNotificationConfigs/p1/x", "none"},
		{"GET", "/app/api/tasks", "none"},
		{"GET", "/app/api/tasks/t1", "none"},
		{"GET", "/card", "none"},
		{"GET", "/.well-known/agent-card.json", "none"},
		{"POST", "/messages:send", "none"},
		{"GET", "/files/tasks.html", "none"},
	}
	for _, tt := range tests {
		t.Run(tt.verb+" "+tt.path, func(t *testing.T) {
			if got := FindRoute(tt.verb, tt.path, "/agents/one").describe(); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestNoSpellingGoesRoundTheGuard has what some router takes for a call, or for
// another call than its neighbour does.
func TestNoSpellingGoesRoundTheGuard(t *testing.T) {
	tests := []struct{ verb, path, want string }{
		{"POST", "/MESSAGE:SEND", "send_message certain odd"},
		{"GET", "/Tasks/T1", "get_task task=T1 prefix= odd"},
		{"POST", "/tasks/t1:Cancel", "cancel_task task=t1 certain odd"},
		{"GET", "/extendedagentcard", "get_extended_agent_card odd"},
		{"GET", "/V1/card", "get_extended_agent_card v1 prefix=/V1 odd"},
		{"GET", "/Agent/tasks", "list_tasks tenant=Agent prefix=/Agent odd"},
		{"GET", "/TASKS/tasks", "list_tasks tenant=TASKS prefix=/TASKS odd"},

		{"POST", "/./message:send", "send_message tenant=. prefix=/. certain odd"},
		{"POST", "/x/../message:send", "send_message tenant=x/.. prefix=/x/.. certain odd"},
		{"GET", "/tasks/./t1", "get_task task=t1 odd"},
		{"GET", "/a/b/../tasks/t1", "get_task tenant=a task=t1 prefix=/a odd"},
		{"GET", "/a/b/%2e%2E/tasks/t1", "get_task tenant=a task=t1 prefix=/a odd"},
		{"POST", "/tasks/..%2fmessage:send", "send_message tenant=tasks/.. prefix=/tasks/.. certain odd"},
		{"POST", "/../message:send", "send_message tenant=.. prefix=/.. certain odd"},

		{"POST", "/message:send;v=1", "send_message certain odd"},
		{"GET", "/tasks;a=b/t1", "get_task task=t1 odd"},
		{"GET", "/tasks/t1;v=1", "get_task task=t1;v=1 odd"},
		{"POST", "/tasks/t1:cancel;v=1", "cancel_task task=t1 certain odd"},
		{"GET", "/;/tasks/t1", "get_task tenant=; task=t1 prefix=/; odd"},

		{"GET", "/tasks%2Ft1", "get_task task=t1 odd"},
		{"POST", "/x%2Fmessage:send", "send_message tenant=x prefix=/x certain odd"},
		{"GET", "/tasks/a%2FpushNotificationConfigs", "get_task task=a/pushNotificationConfigs odd"},
		{"GET", `/tasks\t1`, "get_task task=t1 odd"},
		{"GET", "/tasks%5Ct1", "get_task task=t1 odd"},
		{"POST", "/tasks/tasks%2Ft1:cancel", "cancel_task task=tasks/t1 certain odd"},
	}
	for _, tt := range tests {
		t.Run(tt.verb+" "+tt.path, func(t *testing.T) {
			want := strings.Replace(tt.want, "prefix= ", "", 1)
			if got := FindRoute(tt.verb, tt.path, "/agent").describe(); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

func TestSpellingsOfAPathAreFolded(t *testing.T) {
	for _, tt := range []struct{ want, spellings string }{
		{"/", "/ // /. /./ /;x /a/.. /../"},
		{"/a2a", `/a2a /A2A /a2a/ //a2a /./a2a /a2a;v=1 /x/../a2a \a2a /a%32a /a2A//`},
		{"/desk/rpc", `/desk/rpc /Desk/RPC /desk//rpc/ /desk\rpc /desk;a/rpc;b /desk%2frpc /desk/x/%2e%2E/rpc`},
		{"/a2ab", "/a2ab /A2aB"},
	} {
		for path := range strings.FieldsSeq(tt.spellings) {
			if got := FoldPath(path); got != tt.want {
				t.Errorf("%s is folded to %s, not %s", path, got, tt.want)
			}
		}
	}
	if n := testing.AllocsPerRun(10, func() { FoldPath("/desk/rpc") }); n > 0 {
		t.Errorf("a plain path takes %v allocations", n)
	}
}

func TestASegmentIsReadBackAsOne(t *testing.T) {
	for _, id := range []string{"t1", "a/b", "a:b", "a b;c%2F", "ü", "t:cancel", `a\b`, "\x00\xff"} {
		r := FindRoute("GET", AppendSegment("/acme/tasks", id), "")
		if r.TaskID != id || r.Operation != GetTask || r.Odd {
			t.Errorf("%q is read back as %s", id, r.describe())
		}
	}
}

// routers model how agents' frameworks read a path. Each returns what it matches
// its patterns with.
var routers = []struct {
	name string
	read func(escaped string) string
	fold string // flags of the patterns
}{
	{"by the letter", func(s string) string { return s }, ""},
	{"decodes first", unescapePath, ""},
	{"ignores case and a last slash", func(s string) string { return strings.TrimSuffix(s, "/") }, "(?i)"},
	{"cleans the path", func(s string) string { return path.Clean("/" + s) }, ""},
	{"decodes, then cleans", func(s string) string { return path.Clean("/" + unescapePath(s)) }, ""},
	{"cuts matrix parameters off", func(s string) string { return matrix.ReplaceAllString(s, "") }, ""},
	{"cuts, decodes and cleans", func(s string) string {
		return path.Clean("/" + unescapePath(matrix.ReplaceAllString(s, "")))
	}, "(?i)"},
	{"takes a backslash for a slash", func(s string) string { return path.Clean("/" + strings.ReplaceAll(unescapePath(s), `\`, "/")) }, ""},
}

var matrix = regexp.MustCompile(`;[^/]*`)

// patterns are what agents route, below nothing and below a tenant.
var patterns = []struct {
	verbs, pattern string
	op             Operation
}{
	{"POST", `/message:send`, SendMessage},
	{"POST", `/message:stream`, SendStreamingMessage},
	{"POST", `/tasks/([^/]+):cancel`, CancelTask},
	{"GET POST", `/tasks/([^/]+):subscribe`, SubscribeToTask},
	{"POST", `/tasks/([^/]+)/pushNotificationConfigs`, CreatePushConfig},
	{"GET", `/tasks/([^/]+)/pushNotificationConfigs`, ListPushConfigs},
	{"DELETE", `/tasks/([^/]+)/pushNotificationConfigs/[^/]+`, DeletePushConfig},
	{"GET", `/tasks`, ListTasks},
	{"GET", `/tasks/([^/]+)`, GetTask},
	{"GET", `/extendedAgentCard`, GetExtendedCard},
	{"GET", `/v1/card`, GetExtendedCard},
}

func FuzzFindRoute(f *testing.F) {
	for _, seed := range []string{
		"/message:send", "/acme/tasks/t1:cancel", "/v1/card", "//tasks/./t1/", "/tasks;x/a%2Fb", "/TASKS", `/a\tasks`,
		"/tasks/..%2Fmessage:stream", "/tasks/t1/pushNotificationConfigs/p1",
	} {
		f.Add(seed, "")
		f.Add("/agent"+seed, "/agent")
	}
	type compiled struct {
		verbs string
		op    Operation
		re    *regexp.Regexp
	}
	table := make([][]compiled, len(routers))
	for i, router := range routers {
		for _, p := range patterns {
			for _, prefix := range []string{"", "/[^/]+"} {
				table[i] = append(table[i], compiled{p.verbs, p.op, regexp.MustCompile(router.fold + "^" + prefix + p.pattern + "$")})
			}
		}
	}
	f.Fuzz(func(t *testing.T, escaped, base string) {
		for _, verb := range []string{"GET", "POST", "DELETE"} {
			r := FindRoute(verb, escaped, base)
			if !strings.HasPrefix(escaped, r.Prefix) && !r.Odd {
				t.Errorf("%q is no prefix", r.Prefix)
			}
			for i, router := range routers {
				read := router.read(escaped)
				for _, p := range table[i] {
					m := p.re.FindStringSubmatch(read)
					if m == nil || !strings.Contains(p.verbs, verb) || strings.ContainsAny(read, "\n\r") {
						continue
					}
					if r.Operation == Other {
						t.Errorf("%s %s goes round the guard: a router that %s finds %v", verb, escaped, router.name, p.op)
					}
				}
			}
		}
	})
}

func BenchmarkFindRoute(b *testing.B) {
	for _, path := range []string{"/", "/message:send", "/acme/tasks/0199a5d2-8f5b-7c11-9d4e-6f3c2b1a0e9d", "/app/static/js/main.4f2c1.js"} {
		b.Run(path, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				FindRoute("GET", path, "")
			}
		})
	}
}
