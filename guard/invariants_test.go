// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

var noon = time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)

const sendStream = `{"jsonrpc":"2.0","id":"q1","method":"SendStreamingMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"BS-1042"}]}}}`

func newGuard(t testing.TB, change func(*policy.Config)) *guard.Guard {
	t.Helper()
	c := policy.Config{Limits: policy.DefaultLimits()}
	if change != nil {
		change(&c)
	}
	p, err := policy.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return &guard.Guard{Name: "test", Policy: p, Tasks: guard.NewTasks(100, time.Hour)}
}

func newStream(t testing.TB, g *guard.Guard, request string) *guard.Stream {
	t.Helper()
	x := g.Inspect(noon, guard.Request{Body: []byte(request), Version: "1.0", RPCPath: true})
	if x == nil || !x.Judged() {
		t.Fatalf("%s is not judged", request)
	}
	if plan, _ := x.Respond(guard.Head{Status: 200, ContentType: "text/event-stream"}); plan != guard.FollowBody {
		t.Fatalf("an event stream is to be followed, not %v", plan)
	}
	return x.Stream(noon)
}

// record is what a stream came to.
type record struct {
	out      bytes.Buffer
	verdicts []string
	reply    string
	ended    bool
	need     *guard.Need // the last question, not answered yet
	end      guard.End
}

func (r *record) take(t testing.TB, step guard.Step) {
	t.Helper()
	if r.ended && (len(step.Out) > 0 || step.Reply != nil || len(step.Verdicts) > 0) {
		t.Errorf("after the end comes %q", step.Out)
	}
	r.out.Write(step.Out)
	for _, v := range step.Verdicts {
		line := fmt.Sprintf("%v %v %v", v.Kind, v.State, v.Action)
		for _, violation := range v.Violations {
			line += fmt.Sprintf(" %v:%v", violation.Rule, violation.Decision)
		}
		r.verdicts = append(r.verdicts, line)
	}
	if step.Reply != nil {
		r.reply = string(step.Reply.Body)
	}
	if step.Need != nil {
		r.need = step.Need
	}
	r.ended = r.ended || step.End
}

func (r *record) String() string {
	// Whether a last CR has a LF behind it cannot be known where the stream ends.
	out := strings.TrimRight(r.out.String(), "\r\n")
	return fmt.Sprintf("%v\n%s\n%s\n%s", r.end, strings.Join(r.verdicts, "\n"), out, r.reply)
}

// play feeds a body in pieces that end at the given offsets, all at one moment,
// and settles whatever is asked with no answer.
func play(t testing.TB, s *guard.Stream, body []byte, cuts []int, cause guard.Cause) *record {
	t.Helper()
	r := &record{}
	from := 0
	for _, to := range append(cuts, len(body)) {
		r.take(t, s.Feed(noon, body[from:to]))
		from = to
	}
	r.take(t, s.Close(noon, cause))
	for r.need != nil && !r.ended {
		serial := r.need.Serial
		r.need = nil
		r.take(t, s.Settle(noon, guard.Answer{Serial: serial}))
	}
	if !r.ended {
		t.Error("a closed stream has not ended")
	}
	r.end = s.End()
	return r
}

// everyByte is where a body is cut that comes byte by byte.
func everyByte(body []byte) []int {
	cuts := make([]int, 0, len(body))
	for i := 1; i < len(body); i++ {
		cuts = append(cuts, i)
	}
	return cuts
}

// bodies are streams of every sort, good and bad.
var bodies = []string{
	frame(task("SUBMITTED")) + frame(status("WORKING")) + frame(artifact("a", "x", false, true)) + frame(status("COMPLETED")),
	frame(task("SUBMITTED")) + ": ping\n\n" + frame(status("WORKING")) + "data:\n\n" + frame(artifact("a", "x", true, false)),
	frame(task("COMPLETED")) + frame(artifact("a", "late", false, true)) + frame(status("COMPLETED")) + frame(status("FAILED")),
	"id: 7\r\nevent: message\r\n" + strings.ReplaceAll(frame(message("hello")), "\n", "\r\n") + strings.ReplaceAll(frame(message("again")), "\n", "\r\n"),
	strings.ReplaceAll(frame(status("WORKING"))+frame(status("COMPLETED")), "\n", "\r"),
	strings.ReplaceAll("data: nonsense\n\n: ping\n\n"+frame(task("WORKING"))+"data: nonsense\n\ndata:\n\n"+frame(status("COMPLETED"))+"data:\n\n: ping\n\n", "\n", "\r\n"),
	"data: nonsense\n\ndata: {\"type\":\"heartbeat\"}\n\n" + frame(task("WORKING")) + "data: [DONE]\n\n",
	`data: {"jsonrpc":"2.0","id":"q2","result":` + status("WORKING") + "}\n\n" + frame(task("INPUT_REQUIRED")),
	`data: {"jsonrpc":"2.0","id":"q1","result":{},"error":{"code":-32001,"message":"no"}}` + "\n\n" + frame(task("WORKING")),
	frame(task("WORKING")) + frame(message("note")) + `data: {"jsonrpc":"2.0","id":"q1","result":{"kind":"status-update","taskId":"t1","status":{"state":"completed"},"final":false}}` + "\n\n",
	frame(task("WORKING")) + strings.TrimSuffix(frame(status("COMPLETED")), "\n\n"),
	frame(task("WORKING")) + frame(status("COMPLETED"))[:40],
	"\ufeff" + frame(task("WORKING")) + frame(`{"task":{},"message":{}}`) + frame(`{"future":{}}`),
	frame(`{"statusUpdate":{"taskId":"t1","taskId":"t2","status":{"state":"TASK_STATE_COMPLETED"}}}`),
	frame(task("WORKING")) + "data: {\"x\":\"" + strings.Repeat("y", 3000) + "\"}\n\n" + frame(status("COMPLETED")),
}

func frame(result string) string {
	return `data: {"jsonrpc":"2.0","id":"q1","result":` + result + "}\n\n"
}

func task(state string) string {
	return `{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_` + state + `"}}}`
}

func status(state string) string {
	return `{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_` + state + `"}}}`
}

func artifact(id, text string, add, last bool) string {
	return fmt.Sprintf(`{"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":%q,"parts":[{"text":%q}]},"append":%v,"lastChunk":%v}}`, id, text, add, last)
}

func message(text string) string {
	return fmt.Sprintf(`{"message":{"messageId":"m1","contextId":"c1","role":"ROLE_AGENT","parts":[{"text":%q}]}}`, text)
}

// profiles are the policies under which the invariants are tried.
var profiles = map[string]func(*policy.Config){
	"standard": func(c *policy.Config) { c.Limits.MaxEvent = 2000 },
	"observe":  func(c *policy.Config) { c.Profile, c.Limits.MaxEvent = policy.ProfileObserve, 2000 },
	"strict": func(c *policy.Config) {
		c.Profile, c.Limits.MaxEvent, c.Limits.Linger, c.Limits.Hold = policy.ProfileStrict, 2000, 0, 0
	},
	"canceling": func(c *policy.Config) { c.CancelUnfinished = true },
	"one rule under observe": func(c *policy.Config) {
		c.Profile, c.Rules = policy.ProfileObserve, map[string]policy.Mode{"late-artifact": policy.ModeEnforce}
	},
}

func TestGoodTrafficPassesByteIdentical(t *testing.T) {
	for _, body := range []string{
		bodies[0],
		strings.ReplaceAll(bodies[0], "\n", "\r\n"),
		strings.ReplaceAll(bodies[0], "\n", "\r"),
		": SSE stream started\n\n" + strings.ReplaceAll(bodies[0], "\n\n", "\nid: 3\n\n: ping\n\nretry: 3000\n\n"),
		frame(message("hello")),
		frame(task("WORKING")) + frame(task("COMPLETED")) + frame(status("COMPLETED")),
		frame(task("WORKING")) + frame(status("INPUT_REQUIRED")),
	} {
		// Not strict: with linger 0 it ends at the terminal frame.
		for _, name := range []string{"standard", "observe", "one rule under observe"} {
			t.Run(name, func(t *testing.T) {
				r := play(t, newStream(t, newGuard(t, profiles[name]), sendStream), []byte(body), nil, guard.EOF)
				if got := r.out.String(); got != body {
					t.Errorf("\n got %q\nwant %q", got, body)
				}
			})
		}
	}
}

func TestEverySplitGivesTheSame(t *testing.T) {
	for name, change := range profiles {
		g := newGuard(t, change)
		for i, body := range bodies {
			t.Run(fmt.Sprintf("%s/%d", name, i), func(t *testing.T) {
				whole := play(t, newStream(t, g, sendStream), []byte(body), nil, guard.EOF).String()
				if got := play(t, newStream(t, g, sendStream), []byte(body), everyByte([]byte(body)), guard.EOF).String(); got != whole {
					t.Errorf("byte by byte:\n%s\nwhole:\n%s", got, whole)
				}
				for at := 1; at < len(body); at++ {
					if got := play(t, newStream(t, g, sendStream), []byte(body), []int{at}, guard.EOF).String(); got != whole {
						t.Fatalf("cut at %d:\n%s\nwhole:\n%s", at, got, whole)
					}
				}
			})
		}
	}
}

func TestObserveChangesNoByte(t *testing.T) {
	g := newGuard(t, profiles["observe"])
	for _, body := range bodies {
		r := play(t, newStream(t, g, sendStream), []byte(body), []int{len(body) / 2}, guard.EOF)
		if r.out.String() != body || r.reply != "" {
			t.Errorf("\n got %q (%s)\nwant %q", r.out.String(), r.reply, body)
		}
	}
}

func TestARecordedStreamReplaysExactly(t *testing.T) {
	for _, body := range bodies {
		first := play(t, newStream(t, newGuard(t, nil), sendStream), []byte(body), []int{len(body) / 3}, guard.Aborted).String()
		for range 3 {
			if again := play(t, newStream(t, newGuard(t, nil), sendStream), []byte(body), []int{len(body) / 3}, guard.Aborted).String(); again != first {
				t.Errorf("\nthen %s\nnow  %s", first, again)
			}
		}
	}
}

func FuzzStream(f *testing.F) {
	for i, body := range bodies {
		f.Add([]byte(body), uint64(i), uint8(i))
	}
	names := slices.Sorted(maps.Keys(profiles))
	f.Fuzz(func(t *testing.T, body []byte, seed uint64, mode uint8) {
		g := newGuard(t, profiles[names[int(mode)%len(names)]])
		cause := []guard.Cause{guard.EOF, guard.Aborted, guard.ClientGone, guard.Shutdown}[int(mode/4)%4]
		whole := play(t, newStream(t, g, sendStream), body, nil, cause).String()
		random := rand.New(rand.NewPCG(seed, 1))
		var cuts []int
		for at := 0; at < len(body); {
			cuts = append(cuts, at)
			at += random.IntN(40) + 1
		}
		if got := play(t, newStream(t, g, sendStream), body, cuts, cause).String(); got != whole {
			t.Errorf("cut at %v:\n%s\nwhole:\n%s", cuts, got, whole)
		}
	})
}
