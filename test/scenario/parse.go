// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Parse reads a case's text.
func Parse(name, text string) (*Case, error) {
	p := parser{file: name, scene: &Scene{Scale: 1}}
	for i, line := range strings.Split(text, "\n") {
		p.line = i + 1
		if err := p.take(strings.TrimRight(line, " \t\r")); err != nil {
			return nil, fmt.Errorf("%s.case:%d: %w", name, p.line, err)
		}
	}
	if err := p.endScene(); err != nil {
		return nil, fmt.Errorf("%s.case:%d: %w", name, p.line, err)
	}
	return &Case{Name: name, Scenes: p.scenes}, nil
}

type parser struct {
	file   string
	line   int
	scenes []*Scene
	common *Scene // what the file says before its first scene's title
	scene  *Scene
	call   *draft // the call that is being read
}

// draft is a call whose lines are not all read.
type draft struct {
	*Exchange
	task, context, params string
	body                  []byte
	answer                []Step
}

func (p *parser) take(line string) error {
	if line == "" || line[0] == '#' {
		return nil
	}
	if title, ok := strings.CutPrefix(line, "== "); ok {
		return p.begin(strings.TrimSpace(title))
	}
	keyword, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	if done, err := p.setting(keyword, rest); done || err != nil {
		return err
	}
	if keyword == "client" && !strings.HasPrefix(rest, "leaves") {
		return p.beginCall(rest)
	}
	if p.call == nil {
		return fmt.Errorf("%q before a client's call", keyword)
	}
	return p.ofCall(keyword, rest)
}

// begin begins a scene. What stands before the first one holds for all.
func (p *parser) begin(title string) error {
	if p.common == nil && len(p.scene.Exchanges) == 0 && p.call == nil {
		p.common = p.scene
	} else if err := p.endScene(); err != nil {
		return err
	}
	p.scene = &Scene{Name: title, Scale: 1}
	if c := p.common; c != nil {
		p.scene.Scale = c.Scale
		p.scene.Options = append(p.scene.Options, c.Options...)
		p.scene.Proxy = append(p.scene.Proxy, c.Proxy...)
		p.scene.Front = append(p.scene.Front, c.Front...)
	}
	return nil
}

// setting reads what belongs to the whole scene.
func (p *parser) setting(keyword, rest string) (done bool, err error) {
	s := p.scene
	switch keyword {
	case "guard":
		s.Options = append(s.Options, rest)
	case "proxy":
		s.Proxy = append(s.Proxy, rest)
	case "caddy":
		s.Front = append(s.Front, rest)
	case "spares":
		for id := range strings.FieldsSeq(rest) {
			if err := knownRule(id); err != nil {
				return true, err
			}
			s.Spares = append(s.Spares, id)
		}
	case "scale":
		divisor, ok := strings.CutPrefix(rest, "1/")
		n, err := strconv.Atoi(divisor)
		if !ok || err != nil || n < 1 {
			return true, fmt.Errorf("%q is no scale such as 1/100", rest)
		}
		s.Scale = 1 / float64(n)
	default:
		return false, nil
	}
	if rest == "" {
		return true, fmt.Errorf("%q wants something behind it", keyword)
	}
	return true, nil
}

// verbs are those of calls in HTTP+JSON, and one that is none.
var verbs = []string{"GET", "POST", "DELETE", "HEAD", "PUT"}

// beginCall reads a client's call: a method, a verb and a path, or POST for a body
// of any kind.
func (p *parser) beginCall(rest string) error {
	if err := p.endCall(); err != nil {
		return err
	}
	words := strings.Fields(rest)
	if len(words) == 0 {
		return errors.New("which method does the client call?")
	}
	d := &draft{Exchange: &Exchange{Line: p.line}}
	d.Request = Request{ID: `"q1"`, Verb: "POST", Path: "/"}
	switch isVerb := slices.Contains(verbs, words[0]); {
	case isVerb && len(words) > 1 && words[1][0] == '/':
		d.Request.Verb, d.Request.Path, d.Request.Plain = words[0], words[1], true
		words = words[1:]
	case !isVerb:
		d.Request.Method = words[0]
	}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "id":
			d.Request.ID = value
		case "task":
			d.task = value
		case "context":
			d.context = value
		default:
			return fmt.Errorf("a call has no %q", name)
		}
	}
	p.call = d
	return nil
}

// ofCall reads a line that belongs to the current call.
func (p *parser) ofCall(keyword, rest string) (err error) {
	d := p.call
	w := d.wire(rest)
	switch keyword {
	case "client":
		_, err = fmt.Sscanf(rest, "leaves after %d events", &d.Request.Leaves)
	case "header":
		d.Request.Header, err = appendField(d.Request.Header, rest)
	case "params":
		d.params = rest
	case "body":
		d.body = []byte{} // not none, if it is empty
		var all []byte
		all, err = w.bytes()
		d.body = append(d.body, all...)
	case "path":
		d.Request.Path = rest
	case "agent":
		if field, ok := strings.CutPrefix(rest, "header "); ok {
			d.Agent.Header, err = appendField(d.Agent.Header, field)
			return err
		}
		if field, ok := strings.CutPrefix(rest, "gets "); ok {
			d.Expect.Reaches, err = appendField(d.Expect.Reaches, field)
			return err
		}
		if rest == "finishes" {
			d.Expect.Finishes = true
			return nil
		}
		var steps []Step
		steps, err = w.answer()
		d.answer = append(d.answer, steps...)
	case "asked":
		err = d.asked(rest)
	case "expect":
		err = d.Expect.take(w)
	case "report":
		d.Expect.Reports, err = appendReports(d.Expect.Reports, rest, 2)
	case "notice":
		d.Expect.Notices, err = appendReports(d.Expect.Notices, rest, 1)
	case "ended":
		d.Expect.End, d.Expect.Settled, _ = strings.Cut(rest, " ")
	default:
		return fmt.Errorf("unknown keyword %q", keyword)
	}
	return err
}

// wire reads what stands behind a keyword in the call's binding and version.
func (d *draft) wire(text string) *wire {
	return &wire{text: text, id: d.Request.ID, plain: d.Request.Plain, proto: d.Request.Plain && d.Request.Old()}
}

// asked reads a question of the guard's and the agent's answer to it.
func (d *draft) asked(rest string) error {
	method, answer, ok := strings.Cut(rest, "->")
	if !ok {
		return errors.New("a question wants an answer: asked GetTask -> J(Task(WORKING))")
	}
	w := d.wire(answer)
	steps, err := w.answer()
	if err != nil {
		return err
	}
	if n := len(steps); n > 0 && steps[n-1].Kind == Chunk {
		steps = append(steps, Step{Kind: EOF})
	}
	a, err := complete(steps, "application/json")
	d.Questions = append(d.Questions, Question{strings.TrimSpace(method), Answer{Steps: a}})
	return err
}

// complete gives an answer its head, if it does not say one, and checks its end.
func complete(steps []Step, contentType string) ([]Step, error) {
	for i, s := range steps {
		switch s.Kind {
		case Head:
		case Chunk, EOF, RST, Open:
			steps = append(steps[:i:i], append([]Step{{Kind: Head, Status: 200, ContentType: contentType}}, steps[i:]...)...)
		case Pause, Next, Close:
			continue
		}
		break
	}
	if n := len(steps); n > 0 && slices.Contains([]StepKind{EOF, RST, Open, Close}, steps[n-1].Kind) {
		return steps, nil
	}
	return nil, errors.New("the agent's answer must end in EOF, RST, OPEN or CLOSE")
}

// endCall completes the current call.
func (p *parser) endCall() error {
	d := p.call
	if d == nil {
		return nil
	}
	p.call = nil
	contentType := "application/json"
	if d.Request.Streams() {
		contentType = "text/event-stream"
	}
	if len(d.answer) > 0 {
		var err error
		if d.Agent.Steps, err = complete(d.answer, contentType); err != nil {
			return fmt.Errorf("the call of line %d: %w", d.Line, err)
		}
	}
	if err := d.Expect.check(); err != nil {
		return fmt.Errorf("the call of line %d: %w", d.Line, err)
	}
	d.request()
	p.scene.Exchanges = append(p.scene.Exchanges, d.Exchange)
	return nil
}

// request completes the client's request.
func (d *draft) request() {
	r := &d.Request
	r.Body = d.body
	if r.Body == nil && r.Method != "" {
		if d.params == "" {
			d.params = d.defaultParams()
		}
		r.Body = []byte(`{"jsonrpc":"2.0","id":` + r.ID + `,"method":` + quote(r.Method) + `,"params":` + d.params + `}`)
	}
	if d.body == nil && d.sends() {
		if d.params == "" {
			d.params = d.defaultParams()
		}
		r.Body = []byte(d.params)
	}
	if (r.Method != "" || r.Plain) && !r.Old() {
		r.Header = append([]Field{{"A2A-Version", "1.0"}}, r.Header...)
	}
	r.Header = append([]Field{{"Content-Type", "application/json"}}, r.Header...)
}

// sends reports whether the call is one of HTTP+JSON with a body.
func (d *draft) sends() bool {
	r := &d.Request
	return r.Plain && (d.params != "" || r.Verb == "POST" && strings.Contains(r.Path, "/message:"))
}

// defaultParams are what a call asks for that says no more: to send a message, or
// about task t1.
func (d *draft) defaultParams() string {
	var message string
	switch r := &d.Request; r.Method {
	case "":
		part := "parts"
		if r.Old() {
			part = "content"
		}
		message = `{"message":{"messageId":"u1","role":"ROLE_USER","` + part + `":[{"text":"hello"}]`
	case "SendMessage", "SendStreamingMessage":
		message = `{"message":{"messageId":"u1","role":"ROLE_USER","parts":[{"text":"hello"}]`
	case "message/send", "message/stream":
		message = `{"message":{"kind":"message","messageId":"u1","role":"user","parts":[{"kind":"text","text":"hello"}]`
	default:
		if d.task == "" {
			d.task = "t1"
		}
		return `{"id":` + quote(d.task) + `}`
	}
	if d.task != "" {
		message += `,"taskId":` + quote(d.task)
	}
	if d.context != "" {
		message += `,"contextId":` + quote(d.context)
	}
	return message + `}}`
}

func (p *parser) endScene() error {
	if err := p.endCall(); err != nil {
		return err
	}
	s := p.scene
	if s.Name == "" {
		s.Name = "only"
	}
	if len(s.Exchanges) == 0 {
		return errors.New("nobody calls anything")
	}
	for _, id := range s.Spares {
		if slices.ContainsFunc(s.Exchanges, func(e *Exchange) bool { return e.Expect.breaks(id) }) {
			return fmt.Errorf("the scene spares %s, and expects that it is broken", id)
		}
	}
	var err error
	if s.options, err = parseOptions(s.Options); err != nil {
		return err
	}
	p.scenes = append(p.scenes, s)
	return nil
}

func appendField(fields []Field, line string) ([]Field, error) {
	name, value, ok := strings.Cut(line, ":")
	if !ok {
		return nil, fmt.Errorf("%q is no header such as Name: value", line)
	}
	return append(fields, Field{strings.TrimSpace(name), strings.TrimSpace(value)}), nil
}
