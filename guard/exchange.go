// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// Guard holds what all exchanges of one guard share. It does not change.
type Guard struct {
	Name   string // keeps the tasks of two guards in one process apart
	Policy *policy.Policy
	Tasks  TaskStore // nil if nothing is remembered across calls
	// PublicURL is where the cards of agents are to lead clients, nil to leave them.
	PublicURL *PublicURL
	// BasePath is where agents are mounted that speak HTTP+JSON, empty if unknown.
	BasePath string
	// PushAllow are the webhooks that need not be public, nil for none.
	PushAllow *PushAllow
}

// Request is what the caller knows of one request: of a POST, or of one that has a
// route.
type Request struct {
	// Route is what [Guard.Route] found. Where it found nothing, the body tells.
	Route a2a.Route
	Query string // raw, of a request with a route
	Body  []byte
	// Truncated is true if the body is longer than Body, which then holds at
	// least max_request_body bytes; Late if it did not arrive in time; Broken if
	// it broke off.
	Truncated bool
	Late      bool
	Broken    bool
	// RPCPath is true where malformed bodies are refused instead of passed on.
	RPCPath bool
	// Encoded is true if the body bears a Content-Encoding.
	Encoded bool
	// Version is the A2A-Version that the call bears, empty if none.
	Version string
	// ContentType is the request's.
	ContentType string
	// Principal stands for whoever calls, empty if nobody can be told apart.
	Principal string
	// Credentials is true if the caller bears any, good or bad. Looked at only by
	// the rule on them.
	Credentials bool
	// Ref gives the name of the exchange in logs and errors. Most calls need none,
	// so it is asked once at most. Nil for no name.
	Ref func() string
	// Host is the host that the client asked, with its port if it named one.
	Host string
	// Base is the path at which the agent is called: in JSON-RPC the request's own, in
	// HTTP+JSON the guard's BasePath.
	Base string
	// Card is what the agent says of itself there, nil if that is not known; then
	// AskCard is true if the agent can be asked.
	Card    *a2a.Card
	AskCard bool
	// Extensions are the values of A2A-Extensions and X-A2A-Extensions, which count
	// only where a card is known.
	Extensions []string
}

// Exchange is one call: what was asked, and what its answer must look like.
type Exchange struct {
	Binding   a2a.Binding
	Operation a2a.Operation
	Dialect   a2a.Dialect
	ID        a2a.Token // raw JSON-RPC id, nil for null or none
	TaskID    a2a.Token // the task that the request names, nil if none
	ContextID a2a.Token
	Tenant    a2a.Token
	// HistoryLength is how many messages of a task the caller wants, -1 if it does
	// not say.
	HistoryLength    int
	IncludeArtifacts bool
	Blocking         bool

	// Violations are the request's own.
	Violations []Violation
	// Refusal, if set, is the answer: the request must not reach the agent.
	Refusal *Reply
	// NeedsCard is true if a rule that acts wants the agent's card, which can be had:
	// the exchange is none yet, the request must be inspected again.
	NeedsCard bool

	guard     *Guard
	principal string
	owner     bool   // the task that the request names is known to be the caller's
	prefix    string // of the path of a call with a route
	doubtful  bool   // only the look of its path says that it is a call
	host      string
	mayStream bool // the agent's card declares what the call asks for, a new stream
	judged    bool // false for methods that A2A does not have and bodies that cannot be read
	start     time.Time
	poll      poll
	naming    func() string // nil once ref is known
	ref       string
}

// Inspect reads a request. It returns nil for what is no A2A call: that passes
// untouched, as does its answer.
func (g *Guard) Inspect(now time.Time, in Request) *Exchange {
	reader := requestReaders.Get().(*requestReader)
	defer reader.release()
	r := &reader.request
	err := in.read(&reader.RequestReader, r)
	if !in.RPCPath && !r.Known && !isCall(in, r, err) && !g.disguised(&in, err) {
		return nil
	}
	if !r.Named {
		r.Dialect = a2a.VersionDialect(in.Version)
	}
	x := &Exchange{
		Binding:          in.binding(),
		Operation:        r.Operation,
		Dialect:          r.Dialect,
		ID:               r.ID.Clone(),
		TaskID:           r.TaskID.Clone(),
		ContextID:        r.ContextID.Clone(),
		Tenant:           r.Tenant.Clone(),
		Blocking:         r.Blocking,
		HistoryLength:    r.HistoryLength,
		IncludeArtifacts: r.IncludeArtifacts,
		naming:           in.Ref,
		guard:            g,
		principal:        boundPrincipal(in.Principal),
		host:             in.Host,
		prefix:           in.Route.Prefix,
		judged:           r.Known && !r.Batch && err == nil && !in.Truncated && !in.Late && !in.Broken,
		start:            now,
	}
	if (err != nil || in.Broken) && !in.Late && !in.Truncated {
		x.ID = nil // it may be anything's
	}
	x.doubtful = x.doubts(&in)
	x.admit(now, &in, r, err)
	return x
}

// Ref names the exchange in logs and errors. Whoever calls methods of an exchange
// from several goroutines calls this one first.
func (x *Exchange) Ref() string {
	if x.naming != nil {
		x.ref, x.naming = x.naming(), nil
	}
	return x.ref
}

// Judged reports whether the guard looks at the answer at all.
func (x *Exchange) Judged() bool { return x.judged && x.Refusal == nil }

// Policy returns the policy that the exchange is held to.
func (x *Exchange) Policy() *policy.Policy { return x.guard.Policy }

// refuse reports the rule and, if it acts, makes the refusal.
func (x *Exchange) refuse(rule policy.Rule, status int, code a2a.Code, text string) {
	if x.report(Violation{Rule: rule}).Acts() {
		x.Refusal = x.reply(status, a2a.Fault{Code: code, Message: text, Rule: rule.String(), TaskID: x.TaskID})
	}
}

// report notes a violation and returns what is done about it.
func (x *Exchange) report(v Violation) policy.Action {
	v.Decision = x.guard.Policy.Decide(v.Rule)
	if v.Decision.Do != policy.Off {
		x.Violations = append(x.Violations, v)
	}
	return v.Decision.Do
}

// isCall reports whether a body without a known method is taken for a call where
// none is expected: if it says that it is one, or is too large to tell.
func isCall(in Request, r *a2a.Request, err error) bool {
	if in.Truncated || in.Late {
		return mayBeCall(in.Body)
	}
	return r.RPC && err == nil && !r.BadID && !in.Broken
}

// mayBeCall reports whether the beginning of a body too large to read could be
// that of a call: an object, as far as it goes.
func mayBeCall(body []byte) bool {
	for _, b := range body {
		switch b {
		case ' ', '\t', '\r', '\n':
		default:
			return b == '{' || b == '['
		}
	}
	return false
}
