// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// Withheld tells of a text of the agent's that the client did not get, so that an
// operator who finds one in the agent's own log can tell that it is the one.
type Withheld struct {
	Bytes int
	// Hash is the beginning of its SHA-256, in hexadecimal.
	Hash string
}

// redaction takes what an agent says of its own insides out of a text on its way to
// the client (A2A 1.0 §13.4).
type redaction struct {
	x      *Exchange
	data   []byte
	fix    *edits
	report func(Violation) policy.Action
	noted  bool
	acts   bool
}

// failed reports whether a response tells of an error or a failed task.
func failed(r *a2a.Response) bool {
	return r.Event.Kind == a2a.Error || r.Event.State == a2a.Failed ||
		slices.ContainsFunc(r.Tasks, func(ev a2a.Event) bool { return ev.State == a2a.Failed })
}

// redact looks at an answer or an event whose other repairs are noted in fix. Status
// is the answer's HTTP status, 0 in a stream.
func (x *Exchange) redact(data []byte, r *a2a.Response, fix *edits, status int, report func(Violation) policy.Action) {
	if x.guard.Policy.Decide(policy.ErrorRedaction).Do == policy.Off {
		return
	}
	d := redaction{x: x, data: data, fix: fix, report: report}
	if fix.whole == nil {
		d.response(r, status)
		return
	}
	var reader a2a.ResponseReader
	var again a2a.Response
	reader.For(x.Binding, x.Dialect)
	if reader.Read(fix.whole, &again) != nil {
		return
	}
	var within edits
	d.data, d.fix = fix.whole, &within
	if d.response(&again, status); !within.empty() {
		fix.whole = within.apply(nil, fix.whole)
	}
}

// judgeFailure looks at an error of the agent's that has an HTTP status of its own.
func (x *Exchange) judgeFailure(status int, body []byte, r *a2a.Response) Judgement {
	j := Judgement{Agent: r.Version, Failed: true}
	switch {
	case r.HasError:
	case !r.Plain || status < 500 || x.doubtful:
		return j
	default:
		r.Event.Kind = a2a.Error // of a shape of the agent's own
	}
	var fix edits
	x.redact(body, r, &fix, status, x.report)
	if !fix.empty() {
		j.Body = fix.apply(nil, body)
	}
	return j
}

func (d *redaction) response(r *a2a.Response, status int) {
	if r.Event.Kind == a2a.Error {
		d.error(r, status)
		return
	}
	d.task(&r.Event)
	for i := range r.Tasks {
		d.task(&r.Tasks[i])
	}
}

// error withholds the words of an error that is about a failure within the agent.
func (d *redaction) error(r *a2a.Response, status int) {
	if r.Error.End == 0 { // of a shape of the agent's own
		if whole := r.Result.Of(d.data); d.note(whole, a2a.Error) {
			fault := a2a.Fault{Code: a2a.InternalError, Message: standardText(a2a.InternalError), Ref: d.x.Ref()}
			d.fix.replace(r.Result, string(fault.Append(nil, d.x.Binding, d.x.Dialect, d.x.ID)))
		}
		return
	}
	e := a2a.ReadErrorText(r.Error.Of(d.data))
	code, inner := inner(&e, d.x.Binding == a2a.REST || !r.Version, status)
	if !inner || !e.Extra && isStandardText(e.Message) {
		return
	}
	text := []byte(e.Message)
	if len(text) == 0 {
		text = r.Error.Of(d.data)
	}
	if d.note(text, a2a.Error) {
		d.fix.replace(r.Error, string(e.AppendSaying(nil, d.text(code))))
	}
}

// inner reports whether an error is about a failure within the agent, and what A2A
// calls it. One that is not of JSON-RPC tells it by the ErrorInfo's reason, else by
// whatever code it has. What a client can do something about is not withheld.
func inner(e *a2a.ErrorText, plain bool, status int) (a2a.Code, bool) {
	for _, code := range [...]a2a.Code{a2a.InternalError, a2a.InvalidAgentResponse} {
		if e.Code == code || plain && e.Reason == code.Reason() {
			return code, true
		}
	}
	switch {
	case !plain:
		return a2a.InternalError, e.Code == 0
	case e.Reason != "" || e.Code < 0:
		return 0, false
	case e.Code != 0:
		status = int(e.Code)
	}
	return a2a.InternalError, e.Status == "INTERNAL" || status == 0 || status == 500 || status == 502
}

// standardText is what JSON-RPC and A2A call an error (JSON-RPC 2.0 §5.1, A2A 0.3
// §8.2).
func standardText(code a2a.Code) string {
	if code == a2a.InvalidAgentResponse {
		return "Invalid agent response"
	}
	return "Internal error"
}

func isStandardText(s string) bool {
	switch strings.ToLower(strings.Trim(s, " .")) {
	case "", "internal error", "internal server error", "invalid agent response":
		return true
	}
	return false
}

// text is what goes out in the place of a text.
func (d *redaction) text(code a2a.Code) string {
	if ref := d.x.Ref(); ref != "" {
		return standardText(code) + " (ref " + ref + ")"
	}
	return standardText(code)
}

// note reports a text, one for a whole answer, and tells whether it is withheld.
func (d *redaction) note(text []byte, kind a2a.Kind) bool {
	if d.noted {
		return d.acts
	}
	v := Violation{Rule: policy.ErrorRedaction, Kind: kind}
	if d.x.guard.Policy.Decide(v.Rule).Do.Acts() {
		hash := sha256.Sum256(text)
		v.Withheld = Withheld{len(text), hex.EncodeToString(hash[:8])}
	}
	d.noted, d.acts = true, d.report(v).Acts()
	return d.acts
}

// task withholds the words of a failed task's status that look like a trace; the
// state stays. Some agents put the same message into the task's history.
func (d *redaction) task(ev *a2a.Event) {
	if !ev.HasState || ev.State != a2a.Failed || !ev.StatusMessage || !isTrace(ev.Status.Of(d.data)) {
		return
	}
	message := a2a.StatusMessage(d.data, ev.Status)
	id := d.message(message, ev.Kinded)
	if !d.acts || id == nil {
		return
	}
	a2a.EachElement(d.data, ev.History, func(at a2a.Span) {
		if other := a2a.EachPart(d.data, at, func(a2a.Part) {}); id.Same(other) && !d.fix.touches(at) {
			d.message(at, ev.Kinded)
		}
	})
}

// redactStatus is a status object, which the agent gave for the asking, as it may go
// out.
func (s *Stream) redactStatus(status []byte, ev *a2a.Event) []byte {
	if !s.p.Decide(policy.ErrorRedaction).Do.Acts() {
		return status
	}
	s.open(nil)
	d := redaction{x: s.x, data: status, fix: &s.fix, report: s.reportViolation}
	d.task(&a2a.Event{
		HasState: ev.HasState, State: ev.State, StatusMessage: ev.StatusMessage, Kinded: ev.Kinded, Status: a2a.Span{End: len(status)},
	})
	if s.fix.empty() {
		return status
	}
	s.verdicts = append(s.verdicts, s.verdict)
	return s.fix.apply(nil, status)
}

// message withholds the parts of one message and returns its id.
func (d *redaction) message(at a2a.Span, kinded bool) (id a2a.Token) {
	return a2a.EachPart(d.data, at, func(part a2a.Part) {
		object, text := part.Object.Of(d.data), part.Text.Of(d.data)
		says := isTrace(text)
		if !says && !isTrace(object) {
			return
		}
		original := object
		if says {
			original = a2a.Token(text).AppendText(nil)
		}
		if !d.note(original, a2a.NoEvent) {
			return
		}
		instead := string(a2a.TextToken(d.text(a2a.InternalError)))
		switch {
		case says && !isTrace(object[part.Text.End-part.Object.Start:]):
			d.fix.replace(part.Text, instead)
		case kinded:
			d.fix.replace(part.Object, `{"kind":"text","text":`+instead+`}`)
		default:
			d.fix.replace(part.Object, `{"text":`+instead+`}`)
		}
	})
}
