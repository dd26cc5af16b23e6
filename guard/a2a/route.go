// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"strings"
	"unicode/utf8"
)

// Binding is how calls and answers are put into HTTP (A2A 1.0 §5).
type Binding uint8

// The bindings.
const (
	JSONRPC Binding = iota // one URL, the method stands in the body (A2A 1.0 §9)
	REST                   // HTTP+JSON: the method is told by verb and path (A2A 1.0 §11)
)

// String returns the binding as agent cards name it.
func (b Binding) String() string {
	if b == REST {
		return "HTTP+JSON"
	}
	return "JSONRPC"
}

// Route is what a request's verb and path ask for in the HTTP+JSON binding
// (A2A 1.0 §5.3 and §11.3, A2A 0.3 §3.5.6).
type Route struct {
	// Operation is Other where the path is no call's.
	Operation Operation
	// Old is true below a segment "v1", where version 0.3 has its routes.
	Old bool
	// Certain is true if no other application is likely to have the path: it ends
	// in an action, or lies below the agent's base path.
	Certain bool
	// Odd is true for a path that some routers read as this call and others as
	// another one, or as none.
	Odd bool

	// What the path names, decoded; empty where it names none.
	Tenant, TaskID, ConfigID string
	// Prefix is the escaped path in front of the call's own part.
	Prefix string
}

// FindRoute finds the call that a request is, by its verb and its escaped path;
// base is the path that the agent is mounted below. What official clients send is
// read to the letter. What a router might take for a call beyond that, because it
// ignores case, resolves dots, cuts matrix parameters off or splits at an encoded
// slash, is found too, and is odd.
func FindRoute(verb, path, base string) Route {
	if verb != "POST" && verb != "GET" && verb != "DELETE" {
		return Route{}
	}
	var room [16]segment
	segments := splitPath(room[:0], path)
	if len(segments) == 0 {
		return Route{}
	}
	p := pathReader{verb: verb, path: path, base: base}
	r := p.read(segments)
	p.loose = true
	if p.mayFold() {
		p.compare(&r, segments)
	}
	if strings.ContainsAny(path, `%;\`) || strings.Contains(path, "/.") || strings.HasPrefix(path, ".") {
		for h := range habits {
			p.compare(&r, h.split(path))
		}
	}
	return r
}

// mayFold reports whether the path may say more to who ignores case: it has a capital
// letter, or what a word with capitals is to them.
func (p *pathReader) mayFold() bool {
	return hasCapital(p.path) || hasCapital(p.base) ||
		strings.Contains(p.path, "extendedagentcard") || strings.Contains(p.path, "pushnotificationconfigs")
}

func hasCapital(text string) bool {
	for i := range len(text) {
		if c := text[i]; 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf {
			return true
		}
	}
	return false
}

// compare reads the path in another way. A route that is found only so, or not the
// same so, is odd.
func (p *pathReader) compare(r *Route, segments []segment) {
	switch other := p.read(segments); {
	case other.Operation == Other || r.same(&other):
	case r.Operation == Other:
		*r = other
		r.Odd = true
	default:
		r.Odd = true
	}
}

// same reports whether two readings are of one and the same call.
func (r *Route) same(s *Route) bool {
	return r.Operation == s.Operation && r.Old == s.Old && r.Tenant == s.Tenant && r.TaskID == s.TaskID && r.ConfigID == s.ConfigID
}

// pathReader reads one request's path.
type pathReader struct {
	verb, path, base string
	loose            bool // ignore case
}

// read finds the call that the segments are. Routes without a prefix come first:
// a tenant may be named "tasks".
func (p *pathReader) read(segments []segment) Route {
	below, ok := p.below(segments)
	for i, from := range [...]int{below, below + 1, 0, 1} {
		if from > len(segments) || i > 1 && below == 0 {
			continue
		}
		if r := p.plain(segments[from:]); r.Operation != Other {
			r.Certain = ok && from >= below
			return p.placed(r, segments, from, below)
		}
	}
	r, from := p.action(segments)
	r.Certain = true
	return p.placed(r, segments, from, below)
}

// below counts the segments of the base path, if the path lies below it.
func (p *pathReader) below(segments []segment) (n int, ok bool) {
	if p.base == "" {
		return 0, false
	}
	var room [8]segment
	base := splitPath(room[:0], p.base)
	if len(base) > len(segments) {
		return 0, false
	}
	for i := range base {
		if !p.is(segments[i].text, base[i].text) {
			return 0, false
		}
	}
	return len(base), true
}

func (p *pathReader) is(text, word string) bool {
	return text == word || p.loose && strings.EqualFold(text, word)
}

// plain reads a whole route that does not end in an action.
func (p *pathReader) plain(s []segment) (r Route) {
	old := len(s) > 0 && p.is(s[0].text, "v1")
	if old {
		s = s[1:]
	}
	r.Old = old
	switch {
	case len(s) == 1 && p.verb == "GET" && (p.is(s[0].text, "extendedAgentCard") || old && p.is(s[0].text, "card")):
		r.Operation = GetExtendedCard
		return r
	case len(s) == 0 || !p.is(s[0].text, "tasks"):
		return Route{}
	}
	if len(s) > 1 {
		r.TaskID = s[1].text
	}
	if len(s) > 2 && !p.is(s[2].text, "pushNotificationConfigs") {
		return Route{}
	}
	switch len(s) {
	case 1:
		r.Operation = p.verbs(ListTasks, Other, Other)
	case 2:
		if _, op := p.taskAction(r.TaskID); op != Other {
			return Route{}
		}
		r.Operation = p.verbs(GetTask, Other, Other)
	case 3:
		r.Operation = p.verbs(ListPushConfigs, CreatePushConfig, Other)
	case 4:
		r.ConfigID = s[3].text
		r.Operation = p.verbs(GetPushConfig, Other, DeletePushConfig)
	}
	return r
}

// verbs picks an operation by the request's verb.
func (p *pathReader) verbs(get, post, del Operation) Operation {
	switch p.verb {
	case "GET":
		return get
	case "POST":
		return post
	}
	return del
}

// action reads a route that ends in an action, below whatever prefix, and where
// it begins.
func (p *pathReader) action(s []segment) (r Route, from int) {
	last := len(s) - 1
	if last < 0 {
		return r, 0
	}
	if p.verb == "POST" {
		switch text := s[last].text; {
		case p.is(text, "message:send"):
			r.Operation = SendMessage
		case p.is(text, "message:stream"):
			r.Operation = SendStreamingMessage
		}
	}
	if r.Operation == Other && last > 0 && p.is(s[last-1].text, "tasks") {
		r.TaskID, r.Operation = p.taskAction(s[last].text)
		last--
	}
	r.Old = last > 0 && p.is(s[last-1].text, "v1")
	if r.Old {
		last--
	}
	return r, last
}

// taskAction cuts the action off a task's id, which may hold colons of its own.
func (p *pathReader) taskAction(text string) (id string, op Operation) {
	colon := strings.LastIndexByte(text, ':')
	if colon < 0 {
		return "", Other
	}
	switch verb := text[colon+1:]; {
	case p.verb == "POST" && p.is(verb, "cancel"):
		return text[:colon], CancelTask
	case p.verb != "DELETE" && p.is(verb, "subscribe"):
		return text[:colon], SubscribeToTask
	}
	return "", Other
}

// placed completes a route whose own part begins at a segment, or at the "v1" in
// front of it.
func (p *pathReader) placed(r Route, s []segment, from, below int) Route {
	if r.Operation == Other {
		return Route{}
	}
	first := min(below, from)
	for _, t := range s[first:from] {
		if r.Tenant != "" {
			r.Tenant += "/"
		}
		r.Tenant += t.text
	}
	if r.Old {
		from++
	}
	if start := s[from].start; start >= 0 {
		r.Prefix = p.path[:start]
		return r
	}
	for _, t := range s[:from] {
		r.Prefix = AppendSegment(r.Prefix, t.text)
	}
	return r
}
