// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"bytes"
	"slices"
	"strings"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// admitCapability holds a call to what the agent's card says (A2A 1.0 §3.3.4). What
// the card does not say for certain breaks no rule.
func (x *Exchange) admitCapability(in *Request) bool {
	c := x.demand(in.Card)
	if in.Card == nil {
		x.NeedsCard = in.AskCard && (!c.declared && x.acts(c.rule) || x.Dialect == a2a.V10 && x.acts(policy.TenantEcho) ||
			x.Operation.Sends() && x.acts(policy.ExtensionRequired))
		return !x.NeedsCard
	}
	if about := x.admitTenant(in); !about || x.Refusal != nil {
		return x.Refusal == nil
	}
	if x.Operation.Sends() && !offersAll(in.Extensions, in.Card.Required) {
		x.refuse(policy.ExtensionRequired, statusOK, x.code(a2a.ExtensionRequired),
			"the agent demands an extension that the call does not name in A2A-Extensions; its card tells which")
	}
	// The extended card, which only some callers get, may declare more.
	if x.Refusal == nil && !c.declared && (!in.Card.ExtendedCard || c.rule == policy.ExtendedCard) {
		x.refuse(c.rule, statusOK, c.code, c.text)
	}
	x.mayStream = in.Card.Streaming && x.Operation == a2a.SendStreamingMessage && x.TaskID == nil
	return x.Refusal == nil
}

func (x *Exchange) acts(r policy.Rule) bool { return x.guard.Policy.Decide(r).Do.Acts() }

// demand is what a call demands of the agent.
type demand struct {
	declared bool // by the card, or nothing is demanded
	rule     policy.Rule
	code     a2a.Code
	text     string
}

func (x *Exchange) demand(card *a2a.Card) demand {
	if card == nil {
		card = new(a2a.Card)
	}
	switch op := x.Operation; {
	case op.Streams():
		return demand{card.Streaming, policy.CapabilityStreaming, a2a.UnsupportedOperation,
			"the agent's card declares no streaming; call SendMessage or GetTask"}
	case op.Pushes():
		return demand{card.PushNotifications, policy.PushCapability, a2a.PushNotSupported,
			"the agent's card declares no push notifications; call GetTask or subscribe"}
	case op == a2a.GetExtendedCard && x.Dialect == a2a.V03:
		return demand{card.ExtendedCard, policy.ExtendedCard, a2a.ExtendedCardNotConfigured, "the agent's card declares no extended card"}
	case op == a2a.GetExtendedCard:
		return demand{card.ExtendedCard, policy.ExtendedCard, a2a.UnsupportedOperation, "the agent's card declares no extended card"}
	}
	return demand{declared: true}
}

// admitTenant holds a call to the tenants of the card's interfaces at its place (A2A
// 1.0 §8.3.2). It returns false if the card does not speak of the call: it is of an
// agent elsewhere, or of another tenant's.
func (x *Exchange) admitTenant(in *Request) (about bool) {
	var here, echoed, tenants, open bool
	for i := range in.Card.Interfaces {
		at := &in.Card.Interfaces[i]
		path, absolute := interfacePath(at.URL)
		base, echoes := x.placeFor(in, path, at.Tenant)
		if !absolute || !strings.HasSuffix(path, base) {
			continue // a proxy may have taken the beginning of the path off, but no more
		}
		here = true
		if at.Dialect == a2a.V03 || !strings.EqualFold(at.Binding, x.Binding.String()) {
			continue
		}
		echoed = echoed || echoes
		tenants = tenants || at.Tenant != ""
		open = open || at.Tenant == ""
	}
	switch {
	case !here || echoed || x.Dialect == a2a.V03: // which knows no tenants
		return here
	case tenants && !open:
		x.refuse(policy.TenantEcho, statusOK, a2a.InvalidParams,
			"the call does not bear the tenant that the agent's card gives for this URL")
	}
	return x.Tenant == nil || x.Binding == a2a.REST
}

// placeFor is the path at which the call is made, as an interface with a path and a
// tenant would have it, and whether the call bears that tenant. In HTTP+JSON it is a
// part of the call's path, and so may be the version of 0.3.
func (x *Exchange) placeFor(in *Request, path, tenant string) (base string, echoes bool) {
	base = strings.TrimRight(in.Base, "/")
	if x.Binding == a2a.JSONRPC {
		return base, x.Tenant.Text() == tenant
	}
	if in.Route.Old && !strings.HasSuffix(path, "/v1") {
		base = strings.TrimSuffix(base, "/v1")
	}
	if tenant == "" {
		return base, false
	}
	return strings.CutSuffix(base, "/"+tenant)
}

// interfacePath is the path of a URL without a slash at its end.
func interfacePath(url string) (path string, absolute bool) {
	_, rest, absolute := strings.Cut(url, "://")
	_, path = splitAuthority(rest)
	if end := strings.IndexAny(path, "?#"); end >= 0 {
		path = path[:end]
	}
	return strings.TrimRight(path, "/"), absolute
}

// admitOneTenant refuses a call whose path and body name two tenants. What stands in
// front of a call's path is a tenant for certain only below the agent's base path.
func (x *Exchange) admitOneTenant(in *Request, r *a2a.Request) bool {
	base := strings.TrimRight(x.guard.BasePath, "/")
	if r.TwoTenants && x.guard.BasePath != "" && strings.HasPrefix(in.Route.Prefix+"/", base+"/") {
		x.refuse(policy.TenantEcho, statusOK, a2a.InvalidParams, "the call's path and its body name two tenants")
	}
	return x.Refusal == nil
}

// offersAll reports whether a caller's lists of extensions name all that are
// required (A2A 1.0 §3.2.6).
func offersAll(lists, required []string) bool {
	return !slices.ContainsFunc(required, func(uri string) bool {
		return !slices.ContainsFunc(lists, func(list string) bool {
			for name := range strings.SplitSeq(list, ",") {
				if strings.TrimSpace(name) == uri {
					return true
				}
			}
			return false
		})
	})
}

// breaksWord reports whether the agent's error refuses what its card declares. Over
// HTTP+JSON it tells so by a reason, in 0.3 by its status alone.
func (x *Exchange) breaksWord(r *a2a.Response, body []byte, status int) bool {
	switch {
	case !x.mayStream || !r.HasError:
		return false
	case x.Binding == a2a.JSONRPC:
		return r.Code == a2a.UnsupportedOperation
	}
	return status == statusNotImplemented || bytes.Contains(r.Error.Of(body), []byte(a2a.UnsupportedOperation.Reason()))
}
