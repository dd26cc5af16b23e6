// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// checkEnvelope holds a response to JSON-RPC and to the request's id. It reports what
// is broken, notes the repairs in fix, and returns the strongest action. A bare
// payload is judged as if it had an envelope.
func checkEnvelope(request a2a.Token, data []byte, r *a2a.Response, fix *edits, report func(Violation) policy.Action) policy.Action {
	if r.Bare {
		return report(Violation{Rule: policy.EnvelopeBare, Kind: r.Event.Kind})
	}
	if r.Plain {
		return policy.Off
	}
	worst := policy.Off
	note := func(rule policy.Rule) policy.Action {
		a := report(Violation{Rule: rule, Kind: r.Event.Kind})
		worst = max(worst, a)
		return a
	}
	if !r.Version {
		note(policy.EnvelopeVersion)
	}
	if r.HasResult && r.HasError && note(policy.EnvelopeBoth) == policy.Rewrite {
		id := request
		if id == nil {
			id = r.ID
		}
		fix.whole = a2a.AppendErrorOnly(nil, id, r.Error.Of(data))
		return worst
	}
	if request == nil || request.Same(r.ID) || r.ID == nil && r.HasError {
		return worst // an error may say null: its sender could not read the id
	}
	if note(policy.ResponseID) == policy.Rewrite {
		if r.IDAt.End > 0 {
			fix.replace(r.IDAt, string(request))
		} else {
			fix.replace(a2a.Span{Start: r.Open + 1, End: r.Open + 1}, `"id":`+string(request)+`,`)
		}
	}
	return worst
}
