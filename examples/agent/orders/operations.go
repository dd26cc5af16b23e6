// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"encoding/json"
	"net/http"
	"strings"
)

// sendParams are the params of SendMessage and SendStreamingMessage in both
// versions (A2A 1.0 §3.1.1, A2A 0.3 §7.1.1).
type sendParams struct {
	Message struct {
		MessageID string `json:"messageId"`
		TaskID    string `json:"taskId"`
		ContextID string `json:"contextId"`
		Parts     []struct {
			Text string `json:"text"`
		} `json:"parts"`
	} `json:"message"`
	Configuration struct {
		ReturnImmediately bool  `json:"returnImmediately"` // 1.0
		Blocking          *bool `json:"blocking"`          // 0.3, its opposite
	} `json:"configuration"`
}

// inquiry is a message, understood.
type inquiry struct {
	taskID, contextID string // as the client gave them; a task id makes it a follow-up
	fault             Fault
	order             order
	script            script
	returnImmediately bool
}

func (a *Agent) sendMessage(w http.ResponseWriter, r *http.Request, c *call) *rpcError {
	t, failure := a.begin(w, c)
	if t == nil {
		return failure
	}
	answer := t.await(r.Context())
	switch answer := answer.(type) {
	case nil: // the client left
	case *rpcError:
		return answer
	case crash:
		w.Header().Set("Content-Type", "application/json")
		abort(w, []byte(`{"jsonrpc":"2.0","id":`))
	default:
		c.answer(w, "result", c.dialect.payload(answer))
	}
	return nil
}

func (a *Agent) sendStreamingMessage(w http.ResponseWriter, r *http.Request, c *call) *rpcError {
	t, failure := a.begin(w, c)
	if t == nil {
		return failure
	}
	c.openStream(w).follow(r.Context(), t, 0)
	return nil
}

// begin starts the work on a message. The turn is nil if there is none: an error
// is to be answered, or the fault was to answer otherwise, which is done.
func (a *Agent) begin(w http.ResponseWriter, c *call) (*turn, *rpcError) {
	in, failure := a.understand(c)
	if failure != nil {
		return nil, failure
	}
	if answer, ok := answers[in.fault]; ok {
		answer(w, c)
		return nil, nil
	}
	j := a.store.find(in.taskID)
	switch {
	case in.taskID == "":
		j = a.store.add(in.contextID)
	case j == nil:
		return nil, &rpcError{taskNotFound, "no such task"}
	case in.contextID != "" && in.contextID != j.contextID:
		return nil, &rpcError{invalidParams, "the task belongs to another context"}
	}
	return a.start(j, in)
}

// understand reads the params of a message and decides what to do about it.
func (a *Agent) understand(c *call) (in inquiry, failure *rpcError) {
	var p sendParams
	if json.Unmarshal(c.params, &p) != nil || p.Message.MessageID == "" || len(p.Message.Parts) == 0 {
		return in, &rpcError{invalidParams, "a message needs a messageId and parts"}
	}
	var text strings.Builder
	for _, part := range p.Message.Parts {
		text.WriteString(part.Text + " ")
	}
	in = inquiry{
		taskID: p.Message.TaskID, contextID: p.Message.ContextID,
		fault:             a.config.Fault,
		returnImmediately: p.Configuration.ReturnImmediately || p.Configuration.Blocking != nil && !*p.Configuration.Blocking,
	}
	for word := range strings.FieldsSeq(text.String()) {
		if name, ok := strings.CutPrefix(word, "fault="); ok {
			f, err := ParseFault(name)
			if err != nil {
				return in, &rpcError{invalidParams, err.Error()}
			}
			in.fault = f
		}
	}
	var known bool
	if in.order, known = lookUp(text.String()); !known {
		in.fault, in.script = None, askForOrder
		return in, nil
	}
	in.script = scripts[in.fault]
	return in, nil
}

// taskParams are those of the operations on a task.
type taskParams struct {
	ID string `json:"id"`
}

// named finds the task that the params name.
func (a *Agent) named(c *call) (*job, *rpcError) {
	var p taskParams
	if json.Unmarshal(c.params, &p) != nil || p.ID == "" {
		return nil, &rpcError{invalidParams, "the params need a task's id"}
	}
	if j := a.store.find(p.ID); j != nil {
		return j, nil
	}
	return nil, &rpcError{taskNotFound, "no such task"}
}

func (a *Agent) getTask(w http.ResponseWriter, _ *http.Request, c *call) *rpcError {
	j, failure := a.named(c)
	if failure != nil {
		return failure
	}
	c.answer(w, "result", c.dialect.bareTask(j.read()))
	return nil
}

// subscribeToTask sends the task as it is and then what follows (A2A 1.0 §3.1.6).
func (a *Agent) subscribeToTask(w http.ResponseWriter, r *http.Request, c *call) *rpcError {
	j, failure := a.named(c)
	if failure != nil {
		return failure
	}
	j.mu.Lock()
	now, t, from := j.task.clone(), j.turn, 0
	if t != nil {
		from = len(t.log)
	}
	j.mu.Unlock()
	if now.status.state.terminal() {
		return &rpcError{unsupportedOperation, "the task has ended; use GetTask"}
	}
	stream := c.openStream(w)
	if stream.write(now) == nil && t != nil {
		stream.follow(r.Context(), t, from)
	}
	return nil
}

func (a *Agent) cancelTask(w http.ResponseWriter, r *http.Request, c *call) *rpcError {
	j, failure := a.named(c)
	if failure != nil {
		return failure
	}
	now, failure := j.cancel(r.Context())
	if failure == nil {
		c.answer(w, "result", c.dialect.bareTask(now))
	}
	return failure
}
