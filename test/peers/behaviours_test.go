// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers_test

import "github.com/a2aguard/caddy-a2a-guard/test/peers"

// wellBehaved are scenes in which nobody breaks a rule.
var wellBehaved = []scene{
	{"answers in parts", func(c *caller) {
		parts := chunks("report", "It is ", "half past ", "nine. 🕤")
		answer := c.stream(append(begin(parts...), final("completed", ""))...)
		c.about("get", answer)
	}},
	{"answers in one piece", func(c *caller) {
		answer := c.send(begin(whole("report", "It is half past nine."), final("completed", "Done."))...)
		c.about("get", answer)
	}},
	{"asks back and goes on", func(c *caller) {
		question := c.stream(begin(final("input-required", "Which town?"))...)
		c.again("stream", question, task("working"), whole("report", "Rain."), final("completed", ""))
	}},
	{"asks back in a unary call", func(c *caller) {
		question := c.send(begin(final("input-required", "Which town?"))...)
		c.again("send", question, task("working"), whole("report", "Rain."), final("completed", ""))
	}},
	{"answers with a message", func(c *caller) {
		c.stream(message("Hello."))
		c.send(message("Hello."))
	}},
	{"fails in order", func(c *caller) {
		c.stream(begin(final("failed", "The oracle is silent."))...)
		c.send(begin(final("failed", "The oracle is silent."))...)
	}},
	{"rejects", func(c *caller) {
		c.stream(task("submitted"), final("rejected", "Not on Sundays."))
	}},
	{"is canceled", func(c *caller) {
		canceled := c.during("cancel", begin(hang())...)
		c.about("get", canceled)
	}},
	{"has a second listener", func(c *caller) {
		// A listener that comes too late finds no task: then the agent takes longer.
		for millis := 250; millis <= 4000; millis *= 2 {
			c.calls = nil
			c.during("subscribe", begin(wait(millis), whole("report", "Late but whole."), final("completed", ""))...)
			if len(c.calls) == 2 && c.calls[1].End.How == "ok" {
				return
			}
		}
	}},
	{"refuses calls on a finished task", func(c *caller) {
		finished := c.stream(begin(final("completed", ""))...)
		c.again("stream", finished, begin(final("completed", ""))...)
		c.again("send", finished, begin(final("completed", ""))...)
		c.about("cancel", finished)
		c.about("subscribe", finished)
	}},
	{"knows no such task", func(c *caller) {
		for _, verb := range []string{"get", "cancel", "subscribe"} {
			c.do(peers.Call{Verb: verb, Task: "no-such-task"}, nil)
		}
	}},
}

// misbehaved are scenes in which the agent breaks a rule, as far as its SDK lets
// it. Each ends with a look at the task that is left.
var misbehaved = []scene{
	{"returns without a final status", func(c *caller) {
		c.about("get", c.stream(begin(whole("report", "Half an answer."))...))
	}},
	{"never returns", func(c *caller) {
		c.about("get", c.stream(begin(hang())...))
	}},
	{"never says a word", func(c *caller) {
		c.stream(hang())
	}},
	{"sends an artifact at once after completion", func(c *caller) {
		c.about("get", c.stream(begin(final("completed", ""), whole("report", "Too late."))...))
	}},
	{"sends an artifact 0.3 s after completion", func(c *caller) {
		c.about("get", c.stream(begin(final("completed", ""), wait(300), whole("report", "Too late."))...))
	}},
	{"sends an artifact at once after a completed Task", func(c *caller) {
		c.about("get", c.stream(task("completed"), whole("report", "Too late.")))
	}},
	{"sends an artifact 0.3 s after a completed Task", func(c *caller) {
		c.about("get", c.stream(task("completed"), wait(300), whole("report", "Too late.")))
	}},
	{"completes without the final flag, then sends an artifact", func(c *caller) {
		c.about("get", c.stream(begin(status("completed"), whole("report", "Too late."))...))
	}},
	{"completes without the final flag, then sends an artifact 0.3 s later", func(c *caller) {
		c.about("get", c.stream(begin(status("completed"), wait(300), whole("report", "Too late."))...))
	}},
	{"completes without the final flag, then stays", func(c *caller) {
		c.about("get", c.stream(begin(status("completed"), hang())...))
	}},
	{"flags work as final", func(c *caller) {
		c.about("get", c.stream(task("submitted"), final("working", "")))
	}},
	{"changes a terminal state", func(c *caller) {
		c.about("get", c.stream(begin(status("completed"), status("failed"))...))
	}},
	{"throws after submission", func(c *caller) {
		c.about("get", c.stream(begin(wait(400), throw("secret at /srv/agent"))...))
	}},
	{"throws at once", func(c *caller) {
		c.stream(throw("secret at /srv/agent"))
	}},
	{"throws at a cancellation", func(c *caller) {
		c.about("get", c.during("cancel", begin(onCancel("throw"), hang())...))
	}},
	{"ignores a cancellation", func(c *caller) {
		c.about("get", c.during("cancel", begin(onCancel("ignore"), hang())...))
	}},
	{"works on after a cancellation", func(c *caller) {
		c.about("get", c.during("cancel", begin(hang(), whole("report", "Too late."), final("completed", ""))...))
	}},
	{"updates before it sends a Task", func(c *caller) {
		c.about("get", c.stream(status("working"), whole("report", "Fine."), final("completed", "")))
	}},
	{"sends a message inside a task's stream", func(c *caller) {
		c.about("get", c.stream(begin(message("By the way."), whole("report", "Fine."), final("completed", ""))...))
	}},
	{"sends two messages", func(c *caller) {
		c.stream(message("One."), message("Two."))
	}},
	{"returns without a final status in a unary call", func(c *caller) {
		c.about("get", c.send(begin(whole("report", "Half an answer."))...))
	}},
	{"never returns from a unary call", func(c *caller) {
		c.send(begin(hang())...)
	}},
	{"throws in a unary call", func(c *caller) {
		c.send(begin(wait(400), throw("secret at /srv/agent"))...)
	}},
}
