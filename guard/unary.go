// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// judgeResult holds a readable answer to the call that it answers.
func (x *Exchange) judgeResult(now time.Time, body []byte, r *a2a.Response) Judgement {
	j := Judgement{Agent: r.Version}
	var edits edits
	if checkEnvelope(x.ID, body, r, &edits, x.report) == policy.End {
		return Judgement{Reply: x.refuseAnswer(policy.AnswerNotEnvelope, statusOK, "the agent's answer is not a valid JSON-RPC response")}
	}
	if !edits.empty() {
		j.Body = edits.apply(nil, body)
		body = j.Body
	}
	if x.Operation == a2a.GetExtendedCard && r.HasResult {
		x.judgeCard(&j, body, r.Result)
		return j
	}
	ev := &r.Event
	if x.Operation.Streams() {
		j.Reply = x.streamAnsweredWithJSON(body, ev.Kind)
		return j
	}
	if ev.Kind == a2a.Task && ev.HasState {
		j.State = ev.State
		x.judgeTask(now, ev)
	}
	return j
}

// judgeTask holds a Task in a unary answer to the call and to what is known.
func (x *Exchange) judgeTask(now time.Time, ev *a2a.Event) {
	if x.Operation == a2a.SendMessage && x.Dialect == a2a.V10 && x.Blocking && !ev.State.Settled() {
		x.report(Violation{Rule: policy.BlockingNonterminal, Kind: ev.Kind, State: ev.State})
	}
	if x.TaskID != nil && ev.TaskID != nil && !x.TaskID.Same(ev.TaskID) {
		x.report(Violation{Rule: policy.TaskIDMatchesRequest, Kind: ev.Kind, State: ev.State})
	}
	if x.ContextID != nil && ev.ContextID != nil && !x.ContextID.Same(ev.ContextID) {
		x.report(Violation{Rule: policy.ContextIDMatchesRequest, Kind: ev.Kind, State: ev.State})
	}
	if x.remember(now, ev) {
		x.report(Violation{Rule: policy.TerminalImmutable, Kind: ev.Kind, State: ev.State})
	}
}
