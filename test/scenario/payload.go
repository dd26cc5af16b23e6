// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// arguments are those of one macro, in their order.
type arguments struct {
	words []string
	named []Field
}

// word returns the n-th argument without a name; an absent one is empty.
func (a *arguments) word(n int) string {
	if n < len(a.words) {
		return a.words[n]
	}
	return ""
}

// take returns a named argument and removes it.
func (a *arguments) take(name, otherwise string) string {
	for i, f := range a.named {
		if f.Name == name {
			a.named = append(a.named[:i:i], a.named[i+1:]...)
			return f.Value
		}
	}
	return otherwise
}

// member is the member of a JSON-RPC response that carries what a macro says:
// its result, or for E its error.
type member struct{ name, value string }

// macro describes a payload: how many words it takes, and how it is rendered.
type macro struct {
	least, most int
	render      func(a *arguments) string
}

var macros = map[string]macro{
	"T":    {1, 1, func(a *arguments) string { return `{"task":` + task(a) + `}` }},
	"Task": {1, 1, task},
	"S": {1, 2, func(a *arguments) string {
		return `{"statusUpdate":{` + ids(a, "taskId") + `,"status":` + status(a, "TASK_STATE_"+a.word(0), a.word(1)) + `}}`
	}},
	"A": {4, 4, func(a *arguments) string {
		return `{"artifactUpdate":{` + ids(a, "taskId") + `,"artifact":` + artifact(a.word(0), text(a.word(1))) +
			`,"append":` + a.word(2) + `,"lastChunk":` + a.word(3) + `}}`
	}},
	"M": {1, 1, func(a *arguments) string { return `{"message":` + message(a, `"contextId":"c1",`, a.word(0)) + `}` }},
	"t": {1, 1, func(a *arguments) string {
		return `{"kind":"task",` + ids(a, "id") + `,"status":` + oldStatus(a, "") + artifacts(a, oldText) + `}`
	}},
	"s": {1, 3, func(a *arguments) string {
		final := ""
		if a.word(1) != "" {
			final = `,"final":` + a.word(1)
		}
		return `{"kind":"status-update",` + ids(a, "taskId") + `,"status":` + oldStatus(a, a.word(2)) + final + `}`
	}},
	"a": {4, 4, func(a *arguments) string {
		return `{"kind":"artifact-update",` + ids(a, "taskId") + `,"artifact":` + artifact(a.word(0), oldText(a.word(1))) +
			`,"append":` + a.word(2) + `,"lastChunk":` + a.word(3) + `}`
	}},
	"m": {1, 1, func(a *arguments) string { return oldMessage(a, `"contextId":"c1",`, a.word(0)) }},
}

// protoMacros are those of 0.3 in HTTP+JSON.
var protoMacros = map[string]macro{
	"t": {1, 1, func(a *arguments) string {
		return `{"task":{` + ids(a, "id") + `,"status":` + status(a, protoState(a.word(0)), "") + artifacts(a, text) + `}}`
	}},
	"s": {1, 2, func(a *arguments) string {
		final := ""
		if a.word(1) != "" {
			final = `,"final":` + a.word(1)
		}
		return `{"statusUpdate":{` + ids(a, "taskId") + `,"status":` + status(a, protoState(a.word(0)), "") + final + `}}`
	}},
	"a": {4, 4, macros["A"].render},
	"m": {1, 1, func(a *arguments) string {
		return `{"message":{"messageId":` + quote(a.take("id", "m1")) + `,"contextId":"c1","role":"ROLE_AGENT","content":[` + text(a.word(0)) + `]}}`
	}},
}

// protoState is a state of 0.3 as its proto has it.
func protoState(state string) string {
	if state == "canceled" {
		return "TASK_STATE_CANCELLED"
	}
	return "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(state, "-", "_"))
}

// render turns a macro's arguments into the member of a response.
func render(name string, a *arguments, w *wire) (member, error) {
	if name == "E" {
		if len(a.words) != 2 || len(a.named) > 0 {
			return member{}, errors.New("an error, E, takes a code and a message")
		}
		value := `{"code":` + a.word(0) + `,"message":` + quote(a.word(1)) + `}`
		if w.plain && !w.proto {
			value = `{"error":` + value + `}`
		}
		return member{"error", value}, nil
	}
	m, ok := macros[name]
	if proto, both := protoMacros[name]; both && w.proto {
		m = proto
	}
	if !ok {
		return member{}, fmt.Errorf("unknown macro %s", name)
	}
	if n := len(a.words); n < m.least || n > m.most {
		return member{}, fmt.Errorf("%s takes %d to %d arguments, not %d", name, m.least, m.most, n)
	}
	value := m.render(a)
	if len(a.named) > 0 {
		return member{}, fmt.Errorf("%s knows no argument %s", name, a.named[0].Name)
	}
	if !json.Valid([]byte(value)) {
		return member{}, fmt.Errorf("%s makes no JSON: %s", name, value)
	}
	return member{"result", value}, nil
}

// envelope is a JSON-RPC response.
func envelope(id string, m member) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"` + m.name + `":` + m.value + `}`
}

func ids(a *arguments, task string) string {
	return `"` + task + `":` + quote(a.take("task", "t1")) + `,"contextId":` + quote(a.take("context", "c1"))
}

// task is a Task of 1.0 without a wrapper. Arguments with another name than
// those of ids and status are artifacts.
func task(a *arguments) string {
	return `{` + ids(a, "id") + `,"status":` + status(a, "TASK_STATE_"+a.word(0), "") + artifacts(a, text) + `}`
}

func status(a *arguments, state, said string) string {
	s := `{"state":` + quote(state)
	if said != "" {
		s += `,"message":` + message(a, "", said)
	}
	return s + timestamp(a) + `}`
}

func oldStatus(a *arguments, said string) string {
	s := `{"state":` + quote(a.word(0))
	if said != "" {
		s += `,"message":` + oldMessage(a, "", said)
	}
	return s + timestamp(a) + `}`
}

func timestamp(a *arguments) string {
	if at := a.take("at", ""); at != "" {
		return `,"timestamp":` + quote(at)
	}
	return ""
}

func message(a *arguments, context, said string) string {
	return `{"messageId":` + quote(a.take("id", "m1")) + `,` + context + `"role":"ROLE_AGENT","parts":[` + text(said) + `]}`
}

func oldMessage(a *arguments, context, said string) string {
	return `{"kind":"message","messageId":` + quote(a.take("id", "m1")) + `,` + context + `"role":"agent","parts":[` + oldText(said) + `]}`
}

func artifacts(a *arguments, part func(string) string) string {
	if len(a.named) == 0 {
		return ""
	}
	list := make([]string, 0, len(a.named))
	for _, f := range a.named {
		list = append(list, artifact(f.Name, part(f.Value)))
	}
	a.named = nil
	return `,"artifacts":[` + strings.Join(list, ",") + `]`
}

func artifact(id, part string) string {
	return `{"artifactId":` + quote(id) + `,"parts":[` + part + `]}`
}

func text(said string) string { return `{"text":` + quote(said) + `}` }

func oldText(said string) string { return `{"kind":"text","text":` + quote(said) + `}` }

// quote renders a JSON string.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // no string fails
	}
	return strings.TrimSuffix(b.String(), "\n")
}
