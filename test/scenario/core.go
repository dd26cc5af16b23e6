// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// noon is when every scene begins.
var noon = time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)

// reference is as long as the ones that Caddy gives.
const reference = "00000000-0000-0000-0000-000000000000"

// Cut says in which pieces the core is fed what an agent writes.
type Cut func(chunk []byte) [][]byte

// AsWritten leaves chunks as they are.
func AsWritten(chunk []byte) [][]byte { return [][]byte{chunk} }

// InPieces cuts chunks into pieces of a size.
func InPieces(size int) Cut {
	return func(chunk []byte) [][]byte { return slices.Collect(slices.Chunk(chunk, size)) }
}

// Play plays the scene through the core, as caddymodule would, with a clock of
// its own. Where the scene makes no sense it returns what has come of it so far.
func (s *Scene) Play(cut Cut) ([]*Result, error) {
	compiled, err := policy.New(s.options.Config)
	if err != nil {
		return nil, err
	}
	p := &player{
		scene: s,
		cut:   cut,
		guard: &guard.Guard{
			BasePath: s.options.basePath,
			Name:     "case", Policy: compiled, Tasks: guard.NewTasks(s.options.maxTasks, s.options.taskTTL),
			PublicURL: s.options.publicURL, PushAllow: s.options.pushAllow,
		},
		now:   noon,
		paths: slices.Clone(s.options.rpcPaths),
	}
	for len(p.results) < len(s.Exchanges) {
		if err := p.next(); err != nil {
			return p.results, err
		}
	}
	return p.results, nil
}

// player is one run of a scene.
type player struct {
	scene   *Scene
	cut     Cut
	guard   *guard.Guard
	now     time.Time
	paths   []string // at which the agent is known to take calls
	results []*Result
	card    *a2a.Card // the agent's, once it has passed
}

// next plays the next exchange.
func (p *player) next() error {
	if len(p.results) == len(p.scene.Exchanges) {
		return fmt.Errorf("scene %q has no next call", p.scene.Name)
	}
	c := &call{
		p:     p,
		e:     p.scene.Exchanges[len(p.results)],
		r:     &Result{Exact: true, Core: &CoreResult{}},
		start: p.now,
	}
	p.results = append(p.results, c.r)
	if err := c.play(); err != nil {
		return fmt.Errorf("call of line %d: %w", c.e.Line, err)
	}
	c.r.EndedAt = c.p.now.Sub(c.start)
	p.learn(c)
	if c.x != nil {
		c.report(c.x.Violations)
	}
	if s := c.stream; s != nil {
		c.r.Core.End = s.End().String()
		if settled := s.Settled(); settled != guard.Unsettled {
			c.r.Core.Settled = settled.String()
		}
	}
	return nil
}

// learn keeps the agent's card, as caddymodule does, of an agent at the root.
func (p *player) learn(c *call) {
	if c.x != nil || c.e.Request.Verb != "GET" || c.e.Request.Path != cardPath || c.r.Status != 200 {
		return
	}
	if card, err := a2a.ReadCard(c.r.Body()); err == nil && card.Flaw == a2a.NoFlaw {
		p.card = &card
	}
}

// cardPath is where an agent's card is (A2A 1.0 §8.2).
const cardPath = "/.well-known/agent-card.json"

// request is what the core is told of a call.
func (p *player) request(r *Request) guard.Request {
	path, query, _ := strings.Cut(r.Path, "?")
	in := guard.Request{
		Body:    r.Body,
		Query:   query,
		RPCPath: r.Verb == "POST" && slices.Contains(p.paths, path),
		Ref:     func() string { return reference },
	}
	in.Base, in.Card = path, p.card
	if !in.RPCPath {
		if in.Route = p.guard.Route(r.Verb, path); in.Route.Operation != a2a.Other {
			in.Base = in.Route.Prefix
		}
	}
	if limit := p.scene.options.Limits.MaxRequestBody; len(in.Body) > limit {
		in.Body, in.Truncated = in.Body[:limit+1], true
	}
	for _, f := range r.Header {
		switch strings.ToLower(f.Name) {
		case "content-encoding":
			in.Encoded = true
		case "a2a-version":
			in.Version = f.Value
		case "content-type":
			in.ContentType = f.Value
		case "a2a-extensions", "x-a2a-extensions":
			in.Extensions = append(in.Extensions, f.Value)
		case "authorization", "cookie", "x-api-key":
			in.Principal += f.Name + f.Value
			in.Credentials = in.Credentials || !strings.EqualFold(f.Name, "cookie")
		}
	}
	if values, err := url.ParseQuery(query); err == nil && in.Version == "" {
		in.Version = values.Get("A2A-Version")
	}
	return in
}

// call is one exchange that is being played.
type call struct {
	p      *player
	e      *Exchange
	x      *guard.Exchange // nil for what is no call
	r      *Result
	start  time.Time
	judged bool
	head   guard.Head
	plan   guard.Plan
	body   []byte // of a collected answer
	stream *guard.Stream
	reply  *pending

	over    bool // nothing more reaches the client
	expired bool // the deadline of a call without an answer has passed
}

// pending is an answer on its way.
type pending struct {
	at     time.Time
	answer guard.Answer
}

// play runs the exchange to its end.
func (c *call) play() error {
	in := c.p.request(&c.e.Request)
	isPlain := in.Route.Operation != a2a.Other
	if !isPlain && c.e.Request.Verb != "POST" {
		c.x = nil // what caddymodule leaves alone
	} else if c.x = c.p.guard.Inspect(c.start, in); c.x != nil {
		if c.x.Refusal != nil {
			c.replace(c.x.Refusal)
			return nil
		}
		c.judged = c.x.Judged()
	}
	if c.judged && !in.RPCPath && !isPlain {
		c.p.paths = append(c.p.paths, c.e.Request.Path)
	}
	if len(c.e.Agent.Steps) == 0 {
		return fmt.Errorf("the call reaches the agent, who has no answer")
	}
	for _, step := range c.e.Agent.Steps {
		if c.over {
			c.r.Cut = true
			return nil
		}
		c.r.Core.Before = append(c.r.Core.Before, c.r.Mark())
		if err := c.step(step); err != nil {
			return err
		}
	}
	if !c.over {
		return c.wait(time.Time{})
	}
	return nil
}

// step takes one thing that the agent does.
func (c *call) step(s Step) error {
	switch s.Kind {
	case Head:
		c.head = guard.Head{Status: s.Status, ContentType: s.ContentType}
		for _, f := range c.e.Agent.Header {
			if strings.EqualFold(f.Name, "Content-Encoding") {
				c.head.Encoding = f.Value
			}
		}
		c.respond()
	case Chunk:
		for _, piece := range c.p.cut(s.Data) {
			if !c.over {
				c.chunk(piece)
			}
		}
	case Pause:
		return c.wait(c.p.now.Add(s.For))
	case EOF, RST, Close:
		c.end(s.Kind)
	case Next:
		at := c.p.now
		if err := c.p.next(); err != nil {
			return err
		}
		if !c.p.now.Equal(at) {
			return fmt.Errorf("a call within another must take no time")
		}
	case Open:
	}
	return nil
}

// respond plans what becomes of the agent's body.
func (c *call) respond() {
	var reply *guard.Reply
	c.plan = guard.PassBody
	if c.judged {
		c.plan, reply = c.x.Respond(c.head)
	}
	switch c.plan {
	case guard.RefuseBody:
		c.replace(reply)
	case guard.PassBody:
		c.commit()
	case guard.FollowBody:
		c.stream = c.x.Stream(c.p.now)
		if c.stream.Committed() {
			c.commit()
		}
	case guard.CollectBody:
	}
}

// chunk takes a piece of the agent's body.
func (c *call) chunk(b []byte) {
	switch c.plan {
	case guard.FollowBody:
		c.do(c.stream.Feed(c.p.now, b))
	case guard.CollectBody:
		c.body = append(c.body, b...)
		if len(c.body) <= c.x.Policy().Limits.MaxEvent {
			return
		}
		if reply := c.x.Oversize(); reply != nil {
			c.replace(reply)
			return
		}
		c.plan = guard.PassBody
		c.write(c.body)
	default:
		c.write(b)
	}
}

// end takes the end of the agent's answer.
func (c *call) end(kind StepKind) {
	switch {
	case c.plan == guard.FollowBody && c.stream != nil:
		cause := guard.EOF
		if c.r.Left {
			cause = guard.ClientGone
		} else if kind == RST {
			cause = guard.Aborted
		}
		c.do(c.stream.Close(c.p.now, cause))
	case c.judged && (kind == Close || kind == RST && c.plan == guard.CollectBody):
		c.judge(c.x.Failed(502))
	case c.plan == guard.CollectBody:
		c.judge(c.x.Judge(c.p.now, c.head, c.body))
	default:
		c.over, c.r.Broken = true, kind != EOF
	}
}

// judge gives the client the agent's whole answer, or the guard's.
func (c *call) judge(j guard.Judgement) {
	switch {
	case j.Need != nil:
		c.ask(j.Need)
		return
	case j.Reply != nil:
		c.replace(j.Reply)
		return
	case c.head.Status == 0:
		c.over, c.r.Broken = true, true
		return
	case j.Body != nil:
		c.body = j.Body
	}
	c.write(c.body)
	c.over = true
}

// replace gives the client an answer of the guard's.
func (c *call) replace(reply *guard.Reply) {
	c.r.Status, c.r.ContentType = reply.Status, reply.ContentType
	c.r.Committed, c.r.CommittedAt = true, c.p.now.Sub(c.start)
	c.r.Writes = []Write{{c.p.now.Sub(c.start), slices.Clone(reply.Body)}}
	c.over = true
}

func (c *call) commit() {
	if !c.r.Committed && !c.r.Left {
		c.r.Committed, c.r.CommittedAt = true, c.p.now.Sub(c.start)
		c.r.Status, c.r.ContentType = c.head.Status, c.head.ContentType
	}
}

func (c *call) write(b []byte) {
	c.commit()
	if len(b) > 0 && !c.r.Left {
		c.r.Writes = append(c.r.Writes, Write{c.p.now.Sub(c.start), slices.Clone(b)})
	}
}

// report notes violations and notices.
func (c *call) report(violations []guard.Violation) {
	c.r.Core.Broken = append(c.r.Core.Broken, violations...)
	for _, v := range violations {
		if v.Rule.Info().Notice {
			c.r.Core.Notices = append(c.r.Core.Notices, v.Rule.String())
		} else {
			c.r.Reports = append(c.r.Reports, v.Rule.String()+" "+v.Decision.String())
		}
	}
}
