// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"regexp"
	"slices"
	"strings"
	"time"
)

// references are the guard's own in texts of the agent's, each time others.
var references = regexp.MustCompile(`\(ref [0-9a-f-]{36}\)`)

// Check holds what a player saw of an exchange to what the case expects.
func (s *Scene) Check(e *Exchange, r *Result) []error {
	c := &checker{scene: s, exchange: e, result: r, body: references.ReplaceAll(r.Body(), []byte("(ref "+reference+")"))}
	c.answer()
	c.list("reports", e.Expect.Reports, r.Reports)
	questions := make([]string, len(e.Questions))
	for i, q := range e.Questions {
		questions[i] = q.Method
	}
	if !slices.Equal(questions, r.Asked) {
		c.failf("the guard asks %q, not %q", r.Asked, questions)
	}
	for _, f := range e.Expect.Reaches {
		if r.Reached == nil {
			break
		}
		if got := r.Reached(f.Name); got != f.Value {
			c.failf("the agent gets %s: %q, not %q", f.Name, got, f.Value)
		}
	}
	if e.Expect.Finishes && r.Cut {
		c.failf("the agent was cut off")
	}
	if core := r.Core; core != nil {
		c.list("notices", e.Expect.Notices, core.Notices)
		if e.Expect.End != "" && (core.End != e.Expect.End || core.Settled != e.Expect.Settled) {
			c.failf("the stream ended %q %q, not %q %q", core.End, core.Settled, e.Expect.End, e.Expect.Settled)
		}
	}
	return c.errors
}

type checker struct {
	scene    *Scene
	exchange *Exchange
	result   *Result
	body     []byte
	at       int // what of the body is accounted for
	errors   []error
}

func (c *checker) failf(format string, args ...any) {
	c.errors = append(c.errors, fmt.Errorf("call of line %d: %s", c.exchange.Line, fmt.Sprintf(format, args...)))
}

func (c *checker) list(what string, want, got []string) {
	if want, got := sorted(want), sorted(got); !slices.Equal(want, got) {
		c.failf("%s %q, not %q", what, got, want)
	}
}

// answer checks the response.
func (c *checker) answer() {
	e, r := &c.exchange.Expect, c.result
	if e.Reject != nil {
		c.rejection(e.Reject)
		return
	}
	head := e.Head
	if agents, ok := c.exchange.Agent.Head(); ok && head == nil {
		head = &agents
	}
	if head != nil && r.Committed && (r.Status != head.Status || r.ContentType != head.ContentType) {
		c.failf("the head is %d %q, not %d %q", r.Status, r.ContentType, head.Status, head.ContentType)
	}
	if r.Header != nil {
		for _, f := range e.Header {
			if got := r.Header(f.Name); got != f.Value {
				c.failf("header %s is %q, not %q", f.Name, got, f.Value)
			}
		}
	}
	for i := range e.Items {
		if !c.item(&e.Items[i]) {
			c.failf("the whole body: %s", excerpt(c.body))
			return
		}
	}
	c.heartbeats()
	if rest := c.body[c.at:]; len(rest) > 0 && e.Final != "LEFT" {
		c.failf("after what was expected comes %s", excerpt(rest))
	}
	if r.Left != (e.Final == "LEFT") || r.Broken != (e.Final == "BROKEN") {
		c.failf("the client's answer does not end in %s: broken %v, left %v", e.Final, r.Broken, r.Left)
	}
	c.moment(e.EndsAt, r.EndedAt)
}

// item matches one item with what comes next.
func (c *checker) item(i *Item) (ok bool) {
	if i.Kind != Heartbeats {
		c.heartbeats()
	}
	from := c.at
	switch i.Kind {
	case Headers:
		if !c.result.Committed {
			c.failf("the head never comes")
			return false
		}
		c.moment(i.At, c.result.CommittedAt)
		return true
	case Bytes:
		ok = c.bytes(i.Data)
	case Pass:
		ok = true
		for _, s := range c.exchange.Agent.Steps {
			if s.Kind == Chunk && ok {
				c.heartbeats()
				ok = c.bytes(s.Data)
			}
		}
	case Heartbeats:
		ok = c.beats(i.Count)
	case Fault:
		ok = c.fault(i)
	case Status:
		ok = c.status(i)
	}
	if ok && c.at > from {
		c.moment(i.At, c.result.moment(from))
	}
	return ok
}

// moment holds an item to its time. A real clock only says that it was not early.
func (c *checker) moment(want Moment, got time.Duration) {
	if !want.Set {
		return
	}
	if c.result.Exact && got != want.At || got < c.scene.Real(want.At) && !c.result.Exact {
		c.failf("what should come at %v comes at %v", want.At, got)
	}
}

func (c *checker) bytes(want []byte) bool {
	rest := c.body[c.at:]
	if bytes.HasPrefix(rest, want) {
		c.at += len(want)
		return true
	}
	same := 0
	for same < min(len(rest), len(want)) && rest[same] == want[same] {
		same++
	}
	c.failf("after %d bytes comes\n\t%s\nnot\n\t%s\n(%d bytes of it are the same)", c.at, excerpt(rest), excerpt(want), same)
	return false
}

// heartbeats skips heartbeats where the case does not count them.
func (c *checker) heartbeats() {
	for !c.scene.options.heartbeat && bytes.HasPrefix(c.body[c.at:], heartbeat) {
		c.at += len(heartbeat)
	}
}

// beats counts heartbeats: exactly by the file's own clock; by a real one, which may
// be late, at least half of them.
func (c *checker) beats(want int) bool {
	got := 0
	for ; bytes.HasPrefix(c.body[c.at:], heartbeat); got++ {
		c.at += len(heartbeat)
	}
	if got == want || got >= (want+1)/2 && !c.result.Exact {
		return true
	}
	c.failf("%d heartbeats, not %d, and then %s", got, want, excerpt(c.body[c.at:]))
	return false
}

// event takes the next event, which must have one line of data, and reads it.
func (c *checker) event(into any) (name string, data []byte, ok bool) {
	block, _, whole := bytes.Cut(c.body[c.at:], []byte("\n\n"))
	data = block
	if rest, named := bytes.CutPrefix(block, []byte("event: ")); named {
		line, rest, _ := bytes.Cut(rest, []byte("\n"))
		name, data = string(line), rest
	}
	data, hasData := bytes.CutPrefix(data, []byte("data: "))
	if !whole || !hasData || json.Unmarshal(data, into) != nil {
		c.failf("an event of the guard's should come, not %s", excerpt(c.body[c.at:]))
		return "", nil, false
	}
	c.at += len(block) + 2
	return name, data, true
}

// response is what is read of a JSON-RPC response.
type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    []struct {
			Type     string            `json:"@type"`
			Metadata map[string]string `json:"metadata"`
		} `json:"data"`
	} `json:"error"`
	Result *struct {
		Kind   string  `json:"kind"`
		Update *update `json:"statusUpdate"`
		update
	} `json:"result"`
}

type update struct {
	TaskID    string `json:"taskId"`
	ContextID string `json:"contextId"`
	Final     *bool  `json:"final"`
	Status    struct {
		State     string    `json:"state"`
		Timestamp time.Time `json:"timestamp"`
		Message   *struct {
			MessageID string `json:"messageId"`
			Parts     []struct {
				Text string `json:"text"`
			} `json:"parts"`
		} `json:"message"`
	} `json:"status"`
}

// fault matches an error frame of the guard's. It follows the stream's habit of
// naming events.
func (c *checker) fault(i *Item) bool {
	habit := "error"
	if before := c.body[:c.at]; bytes.Contains(before, []byte("event: message")) && !c.exchange.Request.Plain {
		habit = "message"
	}
	var raw json.RawMessage
	name, data, ok := c.event(&raw)
	if !ok {
		return false
	}
	if name != habit {
		c.failf("the error is an event %q, not %q", name, habit)
	}
	c.error(data, i.Code, i.Rule, c.exchange.Request.ID, 0, c.old())
	return true
}

// old reports whether the guard's own frames are of protocol 0.3: as the frames
// already carried, else as the request.
func (c *checker) old() bool {
	before := c.body[:c.at]
	switch {
	case c.exchange.Request.Plain:
	case bytes.Contains(before, []byte(`"result":{"kind"`)):
		return true
	case bytes.Contains(before, []byte(`"TASK_STATE_`)):
		return false
	}
	return c.exchange.Request.Old()
}

// error checks an error of the guard's. status is the HTTP status that it comes with,
// 0 within a stream.
func (c *checker) error(data []byte, code int, rule, id string, status int, old bool) {
	if c.exchange.Request.Plain {
		c.plainError(data, code, rule, status, old)
		return
	}
	var r response
	if err := json.Unmarshal(data, &r); err != nil {
		c.failf("the error is no JSON-RPC response: %s", excerpt(data))
		return
	}
	if r.Version != "2.0" || string(r.ID) != id {
		c.failf("the error answers id %s, not %s", r.ID, id)
	}
	if r.Error == nil || r.Error.Code != code {
		c.failf("the error is not %d but %s", code, data)
		return
	}
	c.names(rule, r.Error.Message)
	switch {
	case old && r.Error.Data != nil:
		c.failf("a 0.3 error must bear no data: %s", data)
	case !old && (len(r.Error.Data) == 0 || r.Error.Data[0].Type != "type.googleapis.com/google.rpc.ErrorInfo"):
		c.failf("the error's data does not begin with an ErrorInfo: %s", data)
	case !old && rule != noRule && r.Error.Data[0].Metadata["rule"] != rule:
		c.failf("the ErrorInfo does not name rule %s: %s", rule, data)
	}
}

// names checks that an error's message names a rule.
func (c *checker) names(rule, message string) {
	says := strings.Contains(message, "rule "+rule)
	if rule == noRule {
		says = !strings.Contains(message, "rule ")
	}
	if !says {
		c.failf("the error's message does not name rule %s: %s", rule, message)
	}
}

// status matches a status update of the guard's own making.
func (c *checker) status(i *Item) bool {
	var raw json.RawMessage
	_, data, ok := c.event(&raw)
	if !ok {
		return false
	}
	if c.exchange.Request.Plain {
		data = c.enveloped(data, i)
	}
	var r response
	if err := json.Unmarshal(data, &r); err != nil || r.Result == nil || string(r.ID) != c.exchange.Request.ID {
		c.failf("that is no result for id %s: %s", c.exchange.Request.ID, data)
		return false
	}
	u, want := r.Result.Update, "TASK_STATE_"+i.State
	if strings.ToLower(i.State) == i.State {
		u, want = &r.Result.update, i.State
		terminal := slices.Contains([]string{"completed", "failed", "canceled", "rejected"}, i.State)
		if r.Result.Kind != "status-update" || u.Final == nil || *u.Final != terminal {
			c.failf("that is no status update of 0.3 with the right final: %s", data)
		}
	}
	if u == nil || u.Status.State != want || u.TaskID == "" || u.Status.Timestamp.IsZero() {
		c.failf("that is no status %s with a task and a time: %s", want, data)
		return false
	}
	said := ""
	if m := u.Status.Message; m != nil && len(m.Parts) > 0 {
		said = m.Parts[0].Text
		if i.Said == "" && !strings.HasPrefix(m.MessageID, "guard-"+u.TaskID+"-") {
			c.failf("the guard's own message bears another id: %s", data)
		}
	}
	if !strings.Contains(said, i.Said) {
		c.failf("the status says %q, not %q", said, i.Said)
	}
	return true
}

// rejection checks a whole answer of the guard's.
func (c *checker) rejection(want *Rejection) {
	r := c.result
	mediaType, _, err := mime.ParseMediaType(r.ContentType)
	if err != nil || r.Status != want.Status || mediaType != want.ContentType {
		c.failf("the answer is %d %q, not %d %q: %s", r.Status, r.ContentType, want.Status, want.ContentType, excerpt(c.body))
		return
	}
	if r.Header != nil {
		for _, f := range c.exchange.Expect.Header {
			if got := r.Header(f.Name); got != f.Value {
				c.failf("header %s is %q, not %q", f.Name, got, f.Value)
			}
		}
	}
	data := c.body
	if mediaType == "text/event-stream" {
		var raw json.RawMessage
		var ok bool
		if _, data, ok = c.event(&raw); !ok {
			return
		}
		if c.at < len(c.body) {
			c.failf("more than one event: %s", excerpt(c.body))
		}
	}
	id := want.ID
	if id == "" {
		id = c.exchange.Request.ID
	}
	c.error(data, want.Code, want.Rule, id, want.Status, c.exchange.Request.Old())
	if r.Broken {
		c.failf("the answer breaks off")
	}
}

// excerpt shows the beginning of what may be long.
func excerpt(b []byte) string {
	const most = 600
	if len(b) > most {
		return fmt.Sprintf("%q… (%d bytes)", b[:most], len(b))
	}
	return fmt.Sprintf("%q", b)
}
