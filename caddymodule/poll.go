// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard"
)

// settle asks the agent what the core wants to know before the call is answered.
// It runs on the handler's goroutine. The mutex is given up meanwhile: the call's
// deadline and the process's exit end the wait.
func (w *responseWriter) settle(j guard.Judgement) guard.Judgement {
	a := newAsker(w.c)
	defer a.withdraw()
	w.waits = a
	w.register()
	for j.Need != nil && !w.over && !w.c.gone() {
		need := j.Need
		w.mu.Unlock()
		answer := a.askLater(need)
		w.mu.Lock()
		if !w.c.protect(func() { j = w.c.x.Settle(time.Now(), answer) }) {
			j = guard.Judgement{Reply: w.c.x.Internal()}
		}
	}
	w.waits = nil
	switch {
	case w.late:
		if reply := w.c.x.Expire(); reply != nil {
			j.Reply = reply
		}
	case w.over:
		j.Reply = w.reply
	}
	return j
}

// askLater asks once the need's time has come, unless the wait is over before.
func (a *asker) askLater(need *guard.Need) guard.Answer {
	timer := time.NewTimer(need.Wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return a.ask(need)
	case <-a.ctx.Done():
		return guard.Answer{Serial: need.Serial}
	}
}

// endWait lets a call that waits for its task go on to its end.
func (w *responseWriter) endWait() {
	if w.waits != nil {
		w.waits.withdraw()
	}
}
