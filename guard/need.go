// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import "github.com/a2aguard/caddy-a2a-guard/guard/a2a"

// need is a question about a task: GetTask or CancelTask.
func (x *Exchange) need(op a2a.Operation, task a2a.Token, serial int) *Need {
	n := x.rpcNeed(op, task)
	if x.Binding == a2a.REST {
		n = x.plainNeed(op, task)
	}
	n.Operation, n.Limit, n.Serial = op, x.guard.Policy.Limits.Lookup, serial
	return &n
}

// rpcNeed puts a question in JSON-RPC.
func (x *Exchange) rpcNeed(op a2a.Operation, task a2a.Token) Need {
	id := x.ID
	if id == nil {
		id = a2a.Token(`"a2a-guard"`) // without an id nobody would answer
	}
	return Need{Verb: "POST", Body: a2a.AppendTaskCall(nil, op, x.Dialect, id, task, x.Tenant)}
}

// answered reads the Task that answers a question, in a wrapper or not; ok is false
// if none does.
func (x *Exchange) answered(a Answer, reader *a2a.ResponseReader) (ev a2a.Event, ok bool) {
	var r a2a.Response
	reader.For(x.Binding, x.Dialect)
	if a.Status < 200 || a.Status >= 300 || reader.Read(a.Body, &r) != nil || r.Flaw != a2a.NoFlaw ||
		r.Event.Kind != a2a.Task || !r.Event.HasState {
		return a2a.Event{}, false
	}
	return r.Event, true
}
