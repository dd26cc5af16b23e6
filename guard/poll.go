// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// A blocking call that is answered too early is asked after: soon at first, then
// less and less often.
const (
	firstPoll = 250 * time.Millisecond
	lastPoll  = 5 * time.Second
)

// poll is what a blocking call waits for.
type poll struct {
	task a2a.Token
	asks int
	wait time.Duration
}

// await begins to wait for a task that the answer to a blocking call shows
// unfinished (A2A 1.0 §3.2.2).
func (x *Exchange) await(now time.Time, task a2a.Token) Judgement {
	x.poll = poll{task: task.Clone(), wait: firstPoll}
	if task == nil {
		return Judgement{Reply: x.neverSettled()}
	}
	return x.askAgain(now)
}

// askAgain asks once more if the call has the time.
func (x *Exchange) askAgain(now time.Time) Judgement {
	p := &x.poll
	if end, ok := x.Deadline(); ok && !now.Add(p.wait).Before(end) {
		return Judgement{Reply: x.neverSettled()}
	}
	p.asks++
	need := x.need(a2a.GetTask, p.task, p.asks)
	need.Wait = p.wait
	p.wait = min(2*p.wait, lastPoll)
	return Judgement{Agent: true, Need: need}
}

// Settle takes the answer to the need of a judgement. The Task goes out once the
// call may be answered with it.
func (x *Exchange) Settle(now time.Time, a Answer) Judgement {
	var reader a2a.ResponseReader
	ev, ok := x.answered(a, &reader)
	switch {
	case !ok:
		return Judgement{Reply: x.neverSettled()}
	case !ev.State.Settled():
		return x.askAgain(now)
	}
	f := a2a.Frame{Binding: x.Binding, Dialect: a2a.V10, ID: x.ID}
	body := f.AppendTask(nil, ev.Object.Of(a.Body))
	j := x.Judge(now, Head{Status: statusOK, ContentType: TypeJSON}, body)
	if j.Reply == nil && j.Body == nil {
		j.Body = body
	}
	return j
}

// neverSettled is the answer where the task's end was not to be had.
func (x *Exchange) neverSettled() *Reply {
	return x.reply(statusOK, a2a.Fault{
		Code:    a2a.InvalidAgentResponse,
		Message: "the agent answered before the task had ended, and did not tell its end since; it may still run, call GetTask",
		Rule:    policy.BlockingNonterminal.String(),
		TaskID:  x.poll.task,
	})
}
