// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"errors"
	"mime"
	"strings"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// Head is what the core reads of a response's head.
type Head struct {
	Status      int
	ContentType string
	Encoding    string // Content-Encoding
}

// Plan says how a response's body is handled.
type Plan uint8

// The plans.
const (
	PassBody    Plan = iota // it passes unjudged
	CollectBody             // whole, up to max_event, for Exchange.Judge
	FollowBody              // as an event stream, for Exchange.Stream
	RefuseBody              // the reply goes out in its place, the agent's answer is cut
)

// Judgement is what the guard made of a whole answer.
type Judgement struct {
	// Reply goes out in the answer's place; nil lets it pass as it came.
	Reply *Reply
	// Body replaces the answer's body alone; nil leaves it.
	Body []byte
	// Agent is true if the answer is an A2A agent's: a JSON-RPC response.
	Agent bool
	// Failed is true if the answer is a protocol error of the agent's.
	Failed bool
	// State is the task's state that the answer shows, Unspecified if none.
	State a2a.State
	// Card is what the answer shows of the agent's card, nil if it shows none.
	Card *CardReport
	// Need is a question to the agent, to be answered with Exchange.Settle before
	// anything goes out.
	Need *Need
}

// Respond looks at the head of the agent's answer. Whether the body is an event
// stream is told by its own type, not by what was asked.
func (x *Exchange) Respond(h Head) (Plan, *Reply) {
	switch stream, json := mediaType(h.ContentType); {
	case h.Status == statusForbidden && x.TaskID != nil && !x.doubtful:
		return x.forbidden()
	case h.Status < 200, h.Status >= 300 && h.Status < 400, h.Status == statusUnauthorized, h.Status == statusForbidden:
		return PassBody, nil
	case h.Encoding != "" && !strings.EqualFold(h.Encoding, "identity"):
		if reply := x.refuseAnswer(policy.AnswerEncoded, x.faultStatus(h), "the agent's answer is compressed although nobody asked for it"); reply != nil {
			return RefuseBody, reply
		}
		return PassBody, nil
	case stream && h.Status < 300:
		if reply := x.unreadableList(); reply != nil {
			return RefuseBody, reply
		}
		return FollowBody, nil
	case x.Operation.Streams() && h.Status < 300 && !json:
		if reply := x.refuseAnswer(policy.AnswerNotStream, x.plainStatus(statusBadGateway), "the agent answered a streaming call with neither an event stream nor JSON"); reply != nil {
			return RefuseBody, reply
		}
		return PassBody, nil
	case x.doubtful && !json:
		return PassBody, nil // another application's
	}
	return CollectBody, nil
}

// forbidden deals with a 403 to a call that names a task. The answer must not
// tell whether there is such a task (A2A 1.0 §3.3.2).
func (x *Exchange) forbidden() (Plan, *Reply) {
	if x.report(Violation{Rule: policy.NoExistenceLeak}).Acts() {
		return RefuseBody, x.reply(x.plainStatus(statusNotFound), brokenFault(policy.NoExistenceLeak, x.TaskID))
	}
	return PassBody, nil
}

// mediaType reads a Content-Type. A missing type and text/plain may hold JSON:
// servers send that when nobody sets the type.
func mediaType(value string) (stream, json bool) {
	switch value {
	case TypeSSE:
		return true, false
	case TypeJSON, "":
		return false, true
	}
	t, _, err := mime.ParseMediaType(value)
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return false, false
	}
	return t == TypeSSE, t == TypeJSON || t == "text/plain" || strings.HasSuffix(t, "+json")
}

// faultStatus is the HTTP status of an error in place of the answer: a failure
// of the agent's keeps its own.
func (x *Exchange) faultStatus(h Head) int {
	if h.Status >= 400 {
		return h.Status
	}
	return x.plainStatus(statusBadGateway)
}

// Judge looks at a whole answer.
func (x *Exchange) Judge(now time.Time, h Head, body []byte) Judgement {
	reader := answerReaders.Get().(*answerReader)
	defer reader.release()
	r, u := &reader.response, &reader.unary
	*u = unary{x: x, now: now, body: body, r: r}
	reader.Want(x.wants())
	reader.For(x.Binding, x.Dialect)
	err := reader.Read(body, r)
	envelope := err == nil && (r.HasResult || r.HasError)
	if err != nil && x.doubtful {
		return Judgement{} // another application's
	}
	if h.Status >= 400 {
		if envelope || err == nil && r.Version {
			if r.Version {
				x.report(Violation{Rule: policy.AnswerHTTPStatus, Kind: r.Event.Kind})
			}
			u.checkError(h.Status)
			return x.judgeFailure(h.Status, body, r)
		}
		return x.Failed(h.Status)
	}
	switch unusable := x.plainStatus(statusBadGateway); {
	case len(body) == 0 && x.needsNoAnswer():
		return Judgement{}
	case err != nil:
		return Judgement{Reply: x.refuseAnswer(policy.AnswerNotEnvelope, unusable, "the agent's answer is not a JSON object")}
	case r.Flaw == a2a.DuplicateKeys:
		return Judgement{Reply: x.refuseAnswer(policy.AnswerDuplicateKeys, unusable, "the agent's answer holds one key twice")}
	case r.Flaw == a2a.CaseVariantKeys:
		return Judgement{Reply: x.refuseAnswer(policy.AnswerCaseVariantKeys, unusable, "the agent's answer holds two spellings of one field")}
	case !envelope && (x.Operation != a2a.DeletePushConfig || !r.Version):
		return Judgement{Reply: x.refuseAnswer(policy.AnswerNotEnvelope, statusOK, "the agent's answer has neither result nor error")}
	}
	return u.judge()
}

// needsNoAnswer reports whether an empty answer says all: to a notification, and in
// HTTP+JSON to a deletion.
func (x *Exchange) needsNoAnswer() bool {
	if x.Binding == a2a.REST {
		return x.Operation == a2a.DeletePushConfig
	}
	return x.ID == nil
}

// streamAnsweredWithJSON deals with a plain JSON answer to a streaming call.
func (x *Exchange) streamAnsweredWithJSON(body []byte, kind a2a.Kind) *Reply {
	if kind != a2a.Error {
		x.report(Violation{Rule: policy.AnswerJSONResult, Kind: kind})
		return nil
	}
	reframe := x.report(Violation{Rule: policy.AnswerJSONError, Kind: kind}) == policy.Rewrite
	switch x.guard.Policy.StreamErrors {
	case policy.StreamErrorsSSE:
		reframe = true
	case policy.StreamErrorsJSON:
		reframe = false
	case policy.StreamErrorsDefault:
	}
	if !reframe || x.Binding == a2a.REST { // where clients look at the status
		return nil
	}
	return &Reply{Status: statusOK, ContentType: TypeSSE, Body: appendSSELines(nil, body)}
}

// Failed is the answer where the agent's own is an HTTP failure without a
// protocol error in it, or there is none: the agent cannot be reached (502) or
// did not answer in time (504).
func (x *Exchange) Failed(status int) Judgement {
	text := "the agent failed; try again later"
	switch status {
	case statusNotFound:
		text = "the agent has nothing at this URL; check it against the agent's card"
	case statusBadGateway:
		text = "the agent cannot be reached; try again later"
	case statusGatewayTimeout:
		text = "the agent did not answer in time" + stillRuns(x.TaskID, "call GetTask")
	}
	return Judgement{Reply: x.refuseFault(policy.AnswerUpstreamError, status, a2a.InternalError, text)}
}

// Broke is the answer where the agent's connection broke in the midst of its own.
func (x *Exchange) Broke() *Reply {
	return x.refuseFault(policy.AnswerUpstreamError, statusBadGateway, a2a.InternalError,
		"the agent's connection broke before its answer was whole"+stillRuns(x.TaskID, "call GetTask"))
}

// Oversize reports an answer larger than max_event, which cannot be judged. A
// nil reply lets it pass.
func (x *Exchange) Oversize() *Reply {
	return x.refuseAnswer(policy.AnswerOversize, x.plainStatus(statusBadGateway), "the agent's answer is larger than this server accepts")
}

// Expires reports whether a call whose deadline has passed is answered in the
// agent's place.
func (x *Exchange) Expires() bool {
	rule := policy.CallTimeout
	if x.Operation.Streams() {
		rule = policy.NeverEnding
	}
	return x.guard.Policy.Decide(rule).Do.Acts()
}

// Expire is the answer to a call whose deadline has passed before the agent's
// head came. Nothing is said of the task: it may go on.
func (x *Exchange) Expire() *Reply {
	if x.Operation.Streams() {
		return x.refuseFault(policy.NeverEnding, x.plainStatus(statusGatewayTimeout), a2a.InternalError, "the agent sent no event in time"+stillRuns(x.TaskID, "call GetTask or subscribe to it"))
	}
	return x.refuseFault(policy.CallTimeout, statusGatewayTimeout, a2a.InternalError, "the agent did not answer in time"+stillRuns(x.TaskID, "call GetTask"))
}

// Deadline is when a call without an answer expires; ok is false for never.
func (x *Exchange) Deadline() (t time.Time, ok bool) {
	limits := &x.guard.Policy.Limits
	limit := limits.Call
	if x.Operation.Streams() {
		if limit = limits.FirstEvent; limits.MaxDuration > 0 && (limit == 0 || limits.MaxDuration < limit) {
			limit = limits.MaxDuration
		}
	}
	return x.start.Add(limit), limit > 0
}

// Internal is the answer where the guard itself failed.
func (x *Exchange) Internal() *Reply {
	return x.reply(statusOK, a2a.Fault{
		Code:    a2a.InternalError,
		Message: "the guard in front of the agent failed" + stillRuns(x.TaskID, "call GetTask"),
		TaskID:  x.TaskID,
	})
}

// Shutdown is the answer to a call that has none yet when the guard's process ends:
// a stream that its agent has not begun, or a call that waits for its task.
func (x *Exchange) Shutdown() *Reply {
	task := x.TaskID
	if task == nil {
		task = x.poll.task
	}
	return x.reply(statusOK, shutdownFault(task))
}

// refuseAnswer refuses an answer that cannot be read in one way, if the rule acts or
// more than the caller's own tasks may stand in it.
func (x *Exchange) refuseAnswer(rule policy.Rule, status int, text string) *Reply {
	if reply := x.refuseFault(rule, status, a2a.InvalidAgentResponse, text); reply != nil {
		return reply
	}
	return x.unreadableList()
}

func (x *Exchange) refuseFault(rule policy.Rule, status int, code a2a.Code, text string) *Reply {
	if !x.report(Violation{Rule: rule}).Acts() {
		return nil
	}
	return x.reply(status, a2a.Fault{Code: code, Message: text, Rule: rule.String(), TaskID: x.TaskID})
}
