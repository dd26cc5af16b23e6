// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// side is one of the two ways to the agent.
type side int

const (
	direct side = iota
	guarded
)

// row is a scenario that is being played, and its outcome.
type row struct {
	*scenario
	accounts [2]account // by side
	finished bool

	rules  map[string]int // how often the guard acted on which rule
	faults []string       // what is not as the guard promises
}

// board holds the rows while their calls run.
type board struct {
	mu   sync.Mutex
	rows []*row
}

func newBoard(chosen []*scenario) *board {
	b := new(board)
	for _, s := range chosen {
		b.rows = append(b.rows, &row{scenario: s})
	}
	return b
}

// look calls f with a row while nobody changes it.
func (b *board) look(i int, f func(*row)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f(b.rows[i])
}

// play plays all rows at once and calls finished with the number of each row
// that is through. It returns when all are.
func (b *board) play(ctx context.Context, s *stage, patience time.Duration, finished func(int)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	clients := [2]*client{
		direct:  {&http.Client{Transport: transport}, s.agentURL, patience},
		guarded: {&http.Client{Transport: transport}, s.guardURL, patience},
	}
	var rows sync.WaitGroup
	for i := range b.rows {
		rows.Go(func() {
			if err := b.playRow(ctx, i, clients, s); err != nil {
				cancel(fmt.Errorf("%s: %w", b.rows[i].fault, err))
				return
			}
			finished(i)
		})
	}
	rows.Wait()
	return context.Cause(ctx)
}

func (b *board) playRow(ctx context.Context, i int, clients [2]*client, s *stage) error {
	var calls sync.WaitGroup
	var errs [2]error
	for side, client := range clients {
		calls.Go(func() {
			show := func(a account) { b.look(i, func(r *row) { r.accounts[side] = a }) }
			errs[side] = client.play(ctx, b.rows[i].scenario, show)
		})
	}
	calls.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	log, err := s.log()
	if err != nil {
		return err
	}
	rules := actedRules(log, b.rows[i].contextID())
	b.look(i, func(r *row) {
		r.rules = rules
		r.faults = r.check(&r.accounts[direct], &r.accounts[guarded], rules)
		r.finished = true
	})
	return nil
}

// actedRules finds in the guard's log how often it acted on which rule in the
// calls of one context.
func actedRules(log []byte, contextID string) map[string]int {
	rules := make(map[string]int)
	for text := range bytes.Lines(log) {
		var line struct {
			Rule, Action, Context string
		}
		if json.Unmarshal(text, &line) != nil || line.Context != contextID {
			continue
		}
		switch line.Action {
		case "rewrite", "drop", "end", "reject", "answer":
			rules[line.Rule]++
		}
	}
	return rules
}
