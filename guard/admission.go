// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"strings"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// admit runs the request's own rules, the first that acts refusing it. Their order
// is that of what a caller may learn: who is not known learns nothing of the agent,
// who speaks another version nothing of its capabilities.
func (x *Exchange) admit(now time.Time, in *Request, r *a2a.Request, err error) {
	switch {
	case !x.admitCaller(in):
	case !x.admitRoute(in):
	case !x.admitBody(in, r, err):
		x.admitUnread(now, r)
	case !r.Known:
		x.refuse(policy.UnknownMethod, statusOK, a2a.MethodNotFound,
			"the method is not part of A2A")
	case !x.doubtful && !(x.admitVersion(in) && x.admitOneTenant(in, r) && x.admitCapability(in)):
	default:
		x.admitTask(now, r)
		x.admitPush(r)
	}
}

// challenge tells a caller without credentials how to come back (RFC 6750 §3).
const challenge = `Bearer realm="a2a"`

// admitCaller refuses calls without credentials (A2A 1.0 §7.4). Whether they are
// good is for others to say.
func (x *Exchange) admitCaller(in *Request) bool {
	if !in.Credentials {
		x.refuse(policy.AuthnRequired, statusUnauthorized, a2a.Unauthenticated,
			"the call bears no credentials; authenticate as the agent's card says")
	}
	if x.Refusal != nil {
		x.Refusal.Challenge = challenge
		return false
	}
	return true
}

// admitBody refuses what cannot be read in one way only. A body that it reports is
// not looked at any further, even if it passes.
func (x *Exchange) admitBody(in *Request, r *a2a.Request, err error) bool {
	switch {
	case in.Encoded:
		x.refuse(policy.RequestEncoded, statusUnsupportedMediaType, a2a.InvalidRequest,
			"the request body is compressed; send it without Content-Encoding")
	case in.Late:
		x.refuse(policy.RequestBodyTimeout, statusRequestTimeout, a2a.InvalidRequest,
			"the request body did not arrive in time; send the call again")
	case in.Truncated:
		x.refuse(policy.RequestTooLarge, statusTooLarge, a2a.InvalidRequest,
			"the request body is larger than this server accepts; send large content as a URL")
	case r.Batch:
		x.refuse(policy.RequestBatch, statusOK, a2a.InvalidRequest,
			"batches are not part of A2A; send one call in one request")
	case err != nil || in.Broken:
		text := "the request body is not valid JSON"
		if x.Binding == a2a.REST {
			text = "the request body is not a JSON object"
		}
		x.refuse(policy.RequestMalformed, statusOK, a2a.ParseError, text)
	case r.BadID:
		x.refuse(policy.RequestMalformed, statusOK, a2a.InvalidRequest,
			"the request id must be a string or a number")
	case !r.RPC && !r.Method && x.Binding == a2a.JSONRPC:
		x.refuse(policy.RequestMalformed, statusOK, a2a.InvalidRequest,
			"the request body is not a JSON-RPC request object")
	case r.Flaw == a2a.DuplicateKeys && r.Known:
		x.refuse(policy.RequestDuplicateKeys, statusOK, a2a.InvalidRequest,
			"the request holds one key twice")
	case r.Flaw == a2a.CaseVariantKeys && r.Known:
		x.refuse(policy.RequestCaseVariantKeys, statusOK, a2a.InvalidRequest,
			"the request holds two spellings of one field")
	default:
		return !r.Known || x.doubtful || len(in.Body) == 0 || x.admitContentType(in.ContentType)
	}
	return false
}

// admitContentType refuses bodies that say to be no JSON. Both types are good for
// either binding (A2A 1.0 §9.1, §11.1), and no type says nothing.
func (x *Exchange) admitContentType(value string) bool {
	if value == TypeJSON || value == "" {
		return true
	}
	t, _, _ := strings.Cut(value, ";")
	if t = strings.TrimSpace(t); strings.EqualFold(t, TypeJSON) || strings.EqualFold(t, typeA2A) {
		return true
	}
	x.refuse(policy.RequestContentType, statusUnsupportedMediaType, a2a.InvalidRequest,
		"the request's Content-Type is not application/json")
	return x.Refusal == nil
}

// admitVersion refuses calls of versions that are not accepted, be it by their
// A2A-Version or by their method, and calls of 1.0 that do not say so (A2A 1.0
// §3.6.2).
func (x *Exchange) admitVersion(in *Request) bool {
	p, spoken := x.guard.Policy, x.Dialect.String()
	if version := a2a.MajorMinor(in.Version); version != "" && !p.Accepts(version) || !p.Accepts(spoken) {
		x.refuse(policy.VersionSupported, statusOK, x.code(a2a.VersionNotSupported),
			"this server does not take calls of that protocol version; it takes "+strings.Join(p.Versions(), " and "))
	} else if version == "" && x.Dialect == a2a.V10 {
		x.refuse(policy.VersionHeader, statusOK, a2a.VersionNotSupported,
			"a call without A2A-Version is one of 0.3, which has no such method; send A2A-Version: "+spoken)
	}
	return x.Refusal == nil
}

// When a caller who is at its limit may come back, in seconds. Calls come and go,
// streams last.
const (
	retryCall   = 1
	retryStream = 10
)

// TooMany is the answer to a call beyond the caller's limit of open streams or of
// calls in flight, nil if it passes nonetheless.
func (x *Exchange) TooMany() *Reply {
	rule, wait, text := policy.CallLimit, retryCall, "too many calls of yours are in flight; wait for one to be answered"
	if x.Operation.Streams() {
		rule, wait, text = policy.StreamLimit, retryStream, "too many streams of yours are open; end one, or call GetTask"
	}
	reply := x.refuseFault(rule, statusTooManyRequests, a2a.InternalError, text)
	if reply != nil {
		reply.RetryAfter = wait
	}
	return reply
}

// code is the error code in the caller's dialect: 0.3 has none for what 1.0 added.
func (x *Exchange) code(c a2a.Code) a2a.Code {
	if x.Dialect == a2a.V03 && (c == a2a.ExtensionRequired || c == a2a.VersionNotSupported) {
		return a2a.InvalidRequest
	}
	return c
}
