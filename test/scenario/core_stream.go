// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

// do does what a step of the core's says.
func (c *call) do(step guard.Step) {
	for i := range step.Verdicts {
		c.report(step.Verdicts[i].Violations)
	}
	if step.Reply != nil {
		c.replace(step.Reply)
		return
	}
	if step.Commit {
		c.commit()
	}
	if len(step.Out) > 0 {
		c.write(step.Out)
	}
	if step.Need != nil {
		c.ask(step.Need)
	}
	if step.End {
		c.over = true
		c.r.Broken = step.Abort
	}
	if n := c.e.Request.Leaves; n > 0 && !c.r.Left && c.r.Events() >= n {
		c.leave()
	}
}

// leave lets the client go.
func (c *call) leave() {
	c.r.Left = true
	if c.p.scene.options.drains || c.over {
		return
	}
	c.do(c.stream.Close(c.p.now, guard.ClientGone))
}

// ask answers a question of the guard's as the case says.
func (c *call) ask(need *guard.Need) {
	method := need.Operation.Method(a2a.V10)
	if c.e.Request.Old() {
		method = need.Operation.Method(a2a.V03)
	}
	if need.Path != "" {
		_, query, _ := strings.Cut(c.e.Request.Path, "?")
		method = strings.TrimSuffix(need.Verb+" "+need.Path+"?"+query, "?") // where the call went
	}
	c.r.Asked = append(c.r.Asked, method)
	c.reply = &pending{at: c.p.now.Add(need.Wait + need.Limit), answer: guard.Answer{Serial: need.Serial}}
	n := len(c.r.Asked)
	if n > len(c.e.Questions) {
		return
	}
	at := c.p.now.Add(need.Wait)
	answer := guard.Answer{Serial: need.Serial}
	for _, s := range c.e.Questions[n-1].Answer.Steps {
		switch s.Kind {
		case Head:
			answer.Status = s.Status
		case Chunk:
			answer.Body = append(answer.Body, s.Data...)
		case Pause:
			at = at.Add(s.For)
		case RST, Close:
			answer = guard.Answer{Serial: need.Serial}
		case Open:
			return
		case EOF, Next:
		}
	}
	if at.Before(c.reply.at) {
		c.reply = &pending{at, answer}
	}
}

// wait lets time pass: to a moment, or to the call's end if that is zero.
func (c *call) wait(until time.Time) error {
	for steps := 0; !c.over; steps++ {
		at, happen := c.due()
		if happen == nil && until.IsZero() {
			return errors.New("nothing ever ends this call")
		}
		if happen == nil || !until.IsZero() && at.After(until) {
			break
		}
		if steps == maxSteps {
			return fmt.Errorf("%d timers at %v are no end", maxSteps, at)
		}
		if at.After(c.p.now) {
			c.p.now = at
		}
		happen()
	}
	if until.After(c.p.now) && (!c.over || c.r.Left) {
		c.p.now = until
	}
	return nil
}

// maxSteps bounds the timers of one pause.
const maxSteps = 100_000

// due is what happens next by itself, nil for nothing.
func (c *call) due() (at time.Time, happen func()) {
	switch {
	case c.stream != nil:
		if t, ok := c.stream.Deadline(); ok {
			at, happen = t, func() { c.do(c.stream.Expire(c.p.now)) }
		}
		if r := c.reply; r != nil && (happen == nil || !r.at.After(at)) {
			at, happen = r.at, func() {
				c.reply = nil
				c.do(c.stream.Settle(c.p.now, r.answer))
			}
		}
	case c.judged && !c.expired && (c.head.Status == 0 || c.plan == guard.CollectBody):
		if t, ok := c.x.Deadline(); ok {
			at, happen = t, func() {
				c.expired = true
				if reply := c.x.Expire(); reply != nil {
					c.replace(reply)
				}
			}
		}
	}
	if r := c.reply; r != nil && c.stream == nil && (happen == nil || r.at.Before(at)) {
		at, happen = r.at, func() {
			c.reply = nil
			c.judge(c.x.Settle(c.p.now, r.answer))
		}
	}
	return at, happen
}
