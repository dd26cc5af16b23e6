// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

// report logs and counts a call that is over.
func (c *call) report() {
	for _, v := range c.x.Violations {
		c.logViolation(v)
	}
	c.count()
	c.tell()
	c.endSpan()
}

// report logs and counts what the core made of a stream's events.
func (f *follower) report(now time.Time, verdicts []guard.Verdict) {
	for i := range verdicts {
		for _, v := range verdicts[i].Violations {
			f.w.c.logViolation(v)
		}
		f.tally.Verdict(now, &verdicts[i])
		f.w.c.span.Verdict(&verdicts[i])
	}
}

// logViolation writes one line, without any text of the agent's or the client's
// but ids. Notices are not logged.
func (c *call) logViolation(v guard.Violation) {
	if v.Withheld.Bytes > 0 {
		c.logWithheld(v)
		return
	}
	if v.Rule.Info().Notice {
		return
	}
	held, ok := c.h.limiter.allow(v.Rule.String(), time.Now())
	if !ok {
		return
	}
	fields := make([]zap.Field, 0, 15)
	fields = append(fields,
		zap.String("agent", c.h.Name),
		zap.Stringer("rule", v.Rule),
		zap.Stringer("action", v.Decision),
		zap.Stringer("method", c.x.Operation),
		zap.Stringer("version", c.x.Dialect),
		zap.String("task", clip(c.taskID())),
		zap.String("context", clip(c.contextID())),
		zap.String("ref", c.x.Ref()),
	)
	if v.Frame > 0 {
		fields = append(fields, zap.Stringer("event", v.Kind), zap.Int("frame", v.Frame), zap.Int("bytes", v.Bytes))
	}
	if v.State != a2a.Unspecified {
		fields = append(fields, zap.Stringer("state", v.State))
	}
	if v.ArtifactID != "" {
		fields = append(fields, zap.String("artifact", clip(v.ArtifactID)))
	}
	if v.SinceTerminal > 0 {
		fields = append(fields, zap.Int64("since_terminal_ms", v.SinceTerminal.Milliseconds()))
	}
	if held > 0 {
		fields = append(fields, zap.Int("held_back", held))
	}
	c.h.logger.Warn("protocol violation", fields...)
	c.emit(&v)
}

// emit gives a violation that was logged to whoever subscribes to Caddy's event
// a2a_violation. Subscribers may take their time, so the call does not wait.
func (c *call) emit(v *guard.Violation) {
	const name = "a2a_violation"
	if !c.h.events.ShouldEmit(name) {
		return
	}
	data := map[string]any{
		"agent": c.h.Name, "rule": v.Rule.String(), "action": v.Decision.String(),
		"method": c.x.Operation.String(), "version": c.x.Dialect.String(),
		"task": clip(c.taskID()), "context": clip(c.contextID()), "ref": c.x.Ref(),
	}
	ctx := c.h.ctx // a replaced configuration's is over, its calls are not
	ctx.Context = context.WithoutCancel(ctx.Context)
	go c.h.events.Emit(ctx, name, data)
}

// logWithheld leads from the reference that a client got in the place of an error's
// text to that text, which only the agent's own log has. There is a line for each.
func (c *call) logWithheld(v guard.Violation) {
	c.h.logger.Warn("withheld an error text; the agent's own log has it at this time, or by the trace",
		zap.String("agent", c.h.Name),
		zap.Stringer("rule", v.Rule),
		zap.Stringer("method", c.x.Operation),
		zap.String("task", clip(c.taskID())),
		zap.String("context", clip(c.contextID())),
		zap.String("ref", c.x.Ref()),
		zap.Int("text_bytes", v.Withheld.Bytes),
		zap.String("text_sha256", v.Withheld.Hash),
	)
}

// taskID is the task that the exchange is about, as far as it is known.
func (c *call) taskID() string {
	if s := c.stream(); s != nil && s.TaskID() != nil {
		return s.TaskID().Text()
	}
	return c.x.TaskID.Text()
}

// contextID is the context that the exchange is about, as far as it is known.
func (c *call) contextID() string {
	if s := c.stream(); s != nil && s.ContextID() != nil {
		return s.ContextID().Text()
	}
	return c.x.ContextID.Text()
}

// stream is the exchange's event stream, nil if it has none.
func (c *call) stream() *guard.Stream {
	if c.out == nil || c.out.follow == nil {
		return nil
	}
	return c.out.follow.stream
}

// clip bounds an id that comes from the wire.
func clip(id string) string {
	const most = 128
	if len(id) > most {
		return id[:most]
	}
	return id
}

// logLimiter bounds the lines of one rule.
type logLimiter struct {
	mu    sync.Mutex
	rules map[string]*logWindow
}

type logWindow struct {
	since time.Time
	lines int
	held  int
}

// One rule's lines in one window.
const (
	logLines  = 20
	logPeriod = 10 * time.Second
)

// allow reports whether a line of the rule may be written, and how many were
// held back before it.
func (l *logLimiter) allow(rule string, now time.Time) (held int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	window := l.rules[rule]
	if window == nil {
		if l.rules == nil {
			l.rules = make(map[string]*logWindow)
		}
		window = &logWindow{since: now}
		l.rules[rule] = window
	}
	if now.Sub(window.since) >= logPeriod {
		window.since, window.lines = now, 0
	}
	if window.lines == logLines {
		window.held++
		return 0, false
	}
	window.lines++
	held, window.held = window.held, 0
	return held, true
}
