// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"math"
	"time"
)

// script is what the agent does with a message, step by step. Between two steps
// it waits for Config.Step.
type script []step

// step does something in a turn. It reports false to end the script.
type step func(*turn) bool

// lateDelay is how long after COMPLETED the delayed artifact comes.
const lateDelay = 300 * time.Millisecond

// askForOrder pauses the task for its client (A2A 1.0 §4.1.3).
var askForOrder = script{open, ask}

var scripts = map[Fault]script{
	None:                {open, work, report, complete},
	NoFinal:             {open, work, report},
	NeverReturns:        {open, work, hang},
	LateArtifact:        {open, work, report, completeAndReceipt},
	LateArtifactDelayed: {open, work, report, completeAndReceiptLater},
	Raises:              {open, raise},
	CancelFails:         {open, work, report},
	CancelMidrun:        {open, work, firstChunk, missCancel, otherChunks, completeUnlessCanceled},
	UpdateBeforeTask:    {work, report, complete},
	MessageInStream:     {open, work, firstChunk, say, otherChunks},
	TwoMessages:         {reply, reply},
	MidFrame:            {open, work, firstChunk, die},
	WrongFinal:          {open, work, report, complete},
	TerminalOverwritten: {open, work, report, complete, work, fail},
	MalformedFrame:      {open, work, firstChunk, mumble, otherChunks, complete},
	StallThenFinish:     {open, work, stall, report, complete},
}

// open sends the Task itself, which comes first (A2A 1.0 §3.1.2). A paused task
// is worked on again.
func open(t *turn) bool {
	task := t.job.read()
	task.status = status{state: submitted, since: time.Now()}
	if t.inquiry.taskID != "" {
		task.status.state = working
	}
	t.publish(task)
	return true
}

func work(t *turn) bool {
	t.publish(t.status(working))
	return true
}

func complete(t *turn) bool {
	t.publish(t.status(completed))
	return true
}

func fail(t *turn) bool {
	t.publish(t.status(failed))
	return true
}

func ask(t *turn) bool {
	u := t.status(inputRequired)
	words := t.words("Which order is it? It looks like BS-1042.")
	u.status.message = &words
	t.publish(u)
	return true
}

func report(t *turn) bool { return t.chunks(0, t.config.Chunks) }

func firstChunk(t *turn) bool { return t.chunks(0, 1) }

func otherChunks(t *turn) bool { return t.chunks(1, t.config.Chunks) }

func completeAndReceipt(t *turn) bool {
	t.publish(t.status(completed), t.receiptUpdate())
	return true
}

func completeAndReceiptLater(t *turn) bool {
	t.publish(t.status(completed))
	if !t.wait(lateDelay) {
		return false
	}
	t.publish(t.receiptUpdate())
	return true
}

// say speaks within the task.
func say(t *turn) bool {
	t.publish(t.words("The warehouse says it is on its way."))
	return true
}

// reply speaks instead of a task: nobody learns that there is one.
func reply(t *turn) bool {
	m := t.words("It is on its way.")
	m.taskID = ""
	t.publish(m)
	return true
}

// raise ends the request with the exception's own text; the task is FAILED, but
// no status update says so.
func raise(t *turn) bool {
	t.job.set(failed)
	t.publish(&rpcError{internalError, "Traceback (most recent call last):\n" +
		"  File \"/srv/shop/executor.py\", line 41, in execute\n" +
		"KeyError: 'WAREHOUSE_DSN'"})
	return true
}

func hang(t *turn) bool { return t.wait(math.MaxInt64) }

// missCancel waits to be cancelled, says so, and works on.
func missCancel(t *turn) bool {
	if t.job.read().status.state == canceled {
		return true
	}
	timer := time.NewTimer(t.config.Stall)
	defer timer.Stop()
	select {
	case <-t.cancels:
		t.publish(t.status(canceled))
	case <-timer.C:
	case <-t.ctx.Done():
		return false
	}
	return true
}

func completeUnlessCanceled(t *turn) bool {
	if t.job.read().status.state == canceled {
		return false
	}
	return complete(t)
}

func die(t *turn) bool {
	t.publish(crash{})
	return true
}

func mumble(t *turn) bool {
	t.publish(junk{})
	return true
}

// stall keeps the connection alive, and nothing else.
func stall(t *turn) bool {
	const comments = 4
	for range comments {
		t.publish(comment{})
		if !t.wait(t.config.Stall / comments) {
			return false
		}
	}
	return true
}

// chunks sends the chunks from up to, not including, to of the report.
func (t *turn) chunks(from, to int) bool {
	for i := from; i < to; i++ {
		if i > from && !t.pause() {
			return false
		}
		t.publish(artifactUpdate{
			taskID: t.job.id, contextID: t.job.contextID,
			artifact:  artifact{id: "report", name: "Order status", parts: []string{t.inquiry.order.report[i%len(t.inquiry.order.report)]}},
			append:    i > 0,
			lastChunk: i == t.config.Chunks-1,
		})
	}
	return true
}

func (t *turn) receiptUpdate() artifactUpdate {
	return artifactUpdate{
		taskID: t.job.id, contextID: t.job.contextID,
		artifact:  artifact{id: "receipt", name: "Receipt", parts: []string{t.inquiry.order.receipt}},
		lastChunk: true,
	}
}

// status makes a status update. In 0.3 the one that ends the agent's turn is
// final (A2A 0.3 §7.2.2), unless the fault is to get that wrong.
func (t *turn) status(s state) statusUpdate {
	return statusUpdate{
		taskID: t.job.id, contextID: t.job.contextID,
		status: status{state: s, since: time.Now()},
		final:  s.settled() != (t.inquiry.fault == WrongFinal),
	}
}

func (t *turn) words(text string) message {
	return message{id: newID("msg"), taskID: t.job.id, contextID: t.job.contextID, text: text}
}
