// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"bytes"
	"slices"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// unary is one whole answer that is held to the rules.
type unary struct {
	x    *Exchange
	now  time.Time
	body []byte
	r    *a2a.Response
	fix  edits
	// worst is the broken rule that replaces the whole answer, if any does.
	worst   policy.Rule
	refused policy.Action
	// early is true if the answer must wait for the task.
	early bool
	// hidden is how many tasks were taken out of a list.
	hidden int
}

// judge holds a readable answer to the call that it answers.
func (u *unary) judge() Judgement {
	x, r, body := u.x, u.r, u.body
	j := Judgement{Agent: r.Version}
	checkEnvelope(x.ID, body, r, &u.fix, u.reportViolation)
	ev := &r.Event
	if j.Failed = ev.Kind == a2a.Error; j.Failed {
		u.checkError(statusOK)
	}
	if !x.Operation.Streams() {
		u.check()
		if ev.Kind == a2a.Task && ev.HasState {
			j.State = ev.State
		}
	} else if ev.Kind == a2a.Task {
		u.recall(ev)
	}
	if failed(r) {
		x.redact(body, r, &u.fix, statusOK, u.reportViolation)
	}
	if u.refused.Acts() {
		j.Reply = x.reply(statusOK, brokenFault(u.worst, x.TaskID))
		return j
	}
	if u.early {
		return x.await(u.now, ev.TaskID)
	}
	if !u.fix.empty() {
		j.Body = u.fix.apply(nil, body)
		body = j.Body
	}
	switch {
	case x.Operation == a2a.GetExtendedCard && r.HasResult:
		x.judgeCard(&j, body, r.Result)
	case x.Operation.Streams():
		j.Reply = x.streamAnsweredWithJSON(body, ev.Kind)
	}
	return j
}

// brokenFault tells a client that an answer is withheld because of the rule.
func brokenFault(rule policy.Rule, task a2a.Token) a2a.Fault {
	if rule == policy.NoExistenceLeak {
		return a2a.Fault{Code: a2a.TaskNotFound, Message: "there is no such task", Rule: rule.String(), TaskID: task}
	}
	return a2a.Fault{
		Code:    a2a.InvalidAgentResponse,
		Message: "the agent broke the protocol: " + rule.Info().Doc + stillRuns(task, "call GetTask"),
		Rule:    rule.String(),
		TaskID:  task,
	}
}

// report notes a broken rule and returns what is done about it. An answer breaks a
// rule once, however many tasks of a list do.
func (u *unary) report(rule policy.Rule, ev *a2a.Event) policy.Action {
	for i := range u.x.Violations {
		if u.x.Violations[i].Rule == rule {
			return u.x.Violations[i].Decision.Do
		}
	}
	return u.reportViolation(Violation{Rule: rule, Kind: ev.Kind, State: ev.State})
}

func (u *unary) reportViolation(v Violation) policy.Action {
	do := u.x.report(v)
	if do >= policy.End && do > u.refused {
		u.worst, u.refused = v.Rule, do
	}
	return do
}

// wants says what an answer must be read for.
func (x *Exchange) wants() a2a.Wants {
	looks := func(r policy.Rule) bool { return x.guard.Policy.Decide(r).Do != policy.Off }
	return a2a.Wants{
		List:      x.Operation == a2a.ListTasks,
		Artifacts: x.IncludeArtifacts && x.remembers() && looks(policy.LateArtifactKept),
		History:   x.Dialect == a2a.V10 && x.HistoryLength >= 0 && looks(x.historyRule()),
	}
}

// lateAnswer is how long a call that asks for an answer at once may take.
const lateAnswer = 5 * time.Second

// check holds the result to the operation.
func (u *unary) check() {
	x, ev := u.x, &u.r.Event
	switch x.Operation {
	case a2a.SendMessage:
		if x.Dialect == a2a.V10 && !x.Blocking && u.now.Sub(x.start) > lateAnswer {
			u.report(policy.ReturnImmediately, ev)
		}
		u.checkSendShape()
		if ev.Kind == a2a.Task && x.Dialect == a2a.V10 && x.Blocking && ev.HasState && !ev.State.Settled() {
			u.early = x.report(Violation{Rule: policy.BlockingNonterminal, Kind: ev.Kind, State: ev.State}).Acts()
		}
	case a2a.GetTask:
		u.checkTaskShape()
	case a2a.CancelTask:
		u.checkTaskShape()
		u.checkCanceled()
	case a2a.ListTasks:
		u.checkList()
		return
	default:
		return
	}
	if ev.Kind == a2a.Task || ev.Kind == a2a.Message {
		x.checkIdentity(ev, func(r policy.Rule) policy.Action { return u.report(r, ev) })
		u.checkTask(ev)
	}
}

// checkError looks at an error of the agent's, which came with an HTTP status.
func (u *unary) checkError(status int) {
	if rule, ok := u.x.errorRule(u.code(status)); ok {
		u.report(rule, &u.r.Event)
	}
	if u.x.breaksWord(u.r, u.body, status) {
		u.report(policy.CapabilityMismatch, &u.r.Event)
	}
}

// errorRule is the rule on what an error of the agent's tells of the task that the
// call names; ok is false if it tells nothing.
func (x *Exchange) errorRule(code a2a.Code) (rule policy.Rule, ok bool) {
	switch {
	case x.TaskID == nil, x.doubtful:
	case code == a2a.TaskNotFound:
		return policy.UnknownTask, true
	case code == a2a.PermissionDenied:
		return policy.NoExistenceLeak, true
	case code == a2a.TaskNotCancelable && x.Operation == a2a.CancelTask:
		return policy.CancelTerminal, true
	}
	return 0, false
}

// code is the code of the agent's error. HTTP+JSON says it by a status, which
// several errors share, and by a reason (A2A 1.0 §11.6).
func (u *unary) code(status int) a2a.Code {
	switch {
	case u.x.Binding == a2a.JSONRPC:
		return u.r.Code
	case status == statusNotFound:
		return a2a.TaskNotFound
	case status == statusConflict || bytes.Contains(u.r.Error.Of(u.body), []byte(a2a.TaskNotCancelable.Reason())):
		return a2a.TaskNotCancelable
	}
	return 0
}

// checkSendShape holds a SendMessage result to its shape: in 1.0 a wrapper around
// one Task or Message (A2A 1.0 §9.4.1), in 0.3 that itself.
func (u *unary) checkSendShape() {
	ev := &u.r.Event
	switch {
	case ev.Kind == a2a.Error:
	case u.x.Dialect == a2a.V03:
		u.checkOldShape()
	case ev.Kinded:
		u.report(policy.DialectMismatch, ev)
	case ev.Payloads != 1 || ev.Kind != a2a.Task && ev.Kind != a2a.Message:
		u.report(policy.SendResultOne, ev)
	case ev.Dialect == a2a.V03:
		if u.report(policy.SendResultBare, ev) == policy.Rewrite {
			name := `{"task":`
			if ev.Kind == a2a.Message {
				name = `{"message":`
			}
			u.fix.replace(a2a.Span{Start: ev.Object.Start, End: ev.Object.Start}, name)
			u.fix.replace(a2a.Span{Start: ev.Object.End, End: ev.Object.End}, "}")
		}
	}
}

// checkTaskShape holds the result of GetTask and CancelTask to its shape: a Task
// without a wrapper in both versions (A2A 1.0 §3.1.3, §3.1.5).
func (u *unary) checkTaskShape() {
	ev := &u.r.Event
	switch {
	case ev.Kind != a2a.Task:
	case u.x.Dialect == a2a.V03:
		u.checkOldShape()
	case ev.Kinded:
		u.report(policy.DialectMismatch, ev)
	case ev.Dialect == a2a.V10:
		if u.report(policy.GetTaskBare, ev) == policy.Rewrite {
			u.fix.replace(a2a.Span{Start: u.r.Result.Start, End: ev.Object.Start}, "")
			u.fix.replace(a2a.Span{Start: ev.Object.End, End: u.r.Result.End}, "")
		}
	}
}

// checkOldShape notices what stands in a wrapper of 1.0 although the call is of
// 0.3.
func (u *unary) checkOldShape() {
	if ev := &u.r.Event; u.x.flat() && ev.Dialect == a2a.V10 {
		u.report(policy.DialectMismatch, ev)
	}
}

// flat reports whether the call's results stand in no wrapper: those of 0.3.
func (x *Exchange) flat() bool { return x.Dialect == a2a.V03 }

// checkCanceled looks at what became of a task that was to be canceled.
func (u *unary) checkCanceled() {
	ev := &u.r.Event
	record, known := u.x.find(u.now, u.x.TaskID)
	switch {
	case ev.Kind == a2a.Task && known && record.State.Terminal() && !record.Since.After(u.x.start):
		u.report(policy.CancelTerminal, ev)
	case ev.HasState && ev.State != a2a.Canceled:
		u.report(policy.CancelResult, ev)
	}
}

// checkIdentity holds the first event of an answer to the task and context that the
// call names. A subscription is about its task by definition.
func (x *Exchange) checkIdentity(ev *a2a.Event, report func(policy.Rule) policy.Action) {
	if x.TaskID != nil && ev.TaskID != nil && !x.TaskID.Same(ev.TaskID) && x.Operation != a2a.SubscribeToTask {
		report(policy.TaskIDMatchesRequest)
	}
	if x.ContextID != nil && ev.ContextID != nil && !x.ContextID.Same(ev.ContextID) {
		report(policy.ContextIDMatchesRequest)
	}
	if ev.ContextID == nil && x.Dialect == a2a.V10 {
		report(policy.ContextIDMissing)
	}
}

// checkTask holds one Task, or a Message, to its version and to what is known.
func (u *unary) checkTask(ev *a2a.Event) {
	x := u.x
	if x.Dialect == a2a.V10 {
		if badTimestamp(ev) {
			u.report(policy.StatusTimestamp, ev)
		}
		if ev.State == a2a.AuthRequired && !ev.StatusMessage {
			u.report(policy.AuthRequiredMessage, ev)
		}
	}
	u.checkSize(ev)
	u.recall(ev)
}

// checkSize holds one Task to how much of it the caller asked for, and cuts what
// is too much.
func (u *unary) checkSize(ev *a2a.Event) {
	x := u.x
	var gone [2]a2a.Span // in their order
	if x.Operation == a2a.ListTasks && x.Dialect == a2a.V10 && !x.IncludeArtifacts && holds(ev.ArtifactsAt.Of(u.body)) &&
		u.report(policy.ListArtifacts, ev) == policy.Rewrite {
		gone[0] = ev.ArtifactsAt
	}
	if x.HistoryLength >= 0 && ev.Messages > x.HistoryLength && u.report(x.historyRule(), ev) == policy.Rewrite {
		if x.HistoryLength == 0 {
			gone[1] = ev.HistoryAt
		} else {
			first := a2a.ElementAt(ev.History.Of(u.body), ev.Messages-x.HistoryLength)
			u.fix.replace(a2a.Span{Start: ev.History.Start + 1, End: ev.History.Start + first}, "")
		}
	}
	if gone[1].Start < gone[0].Start {
		gone[0], gone[1] = gone[1], gone[0]
	}
	for _, member := range gone {
		if member.End > 0 {
			u.fix.remove(u.body, member)
		}
	}
}

// historyRule is the rule on how long a Task's history may be.
func (x *Exchange) historyRule() policy.Rule {
	if x.Operation == a2a.SendMessage {
		return policy.HistoryLengthSend
	}
	return policy.HistoryLength
}

// holds reports whether a member's array has elements. Some agents write empty ones.
func holds(member []byte) bool {
	array, ok := bytes.CutSuffix(member, []byte("]"))
	return ok && !bytes.HasSuffix(bytes.TrimRight(array, " \t\r\n"), []byte("["))
}

// checkList holds a list of tasks to its shape (A2A 1.0 §3.1.4).
func (u *unary) checkList() {
	stated := func(task a2a.Event) bool { return task.HasState }
	if u.x.doubtful && !slices.ContainsFunc(u.r.Tasks, stated) {
		return // another application's
	}
	if u.x.Dialect == a2a.V10 && u.r.HasResult && !u.r.PageToken {
		u.report(policy.ListPageToken, &u.r.Event)
	}
	for i := range u.r.Tasks {
		if ev := &u.r.Tasks[i]; !u.withheld(ev) {
			u.checkTask(ev)
		}
	}
	u.recount()
}
