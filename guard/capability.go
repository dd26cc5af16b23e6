// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
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
	places := placesOf(in.Card, in.Base)
	if places == nil {
		return true
	}
	if about := x.admitTenant(places); !about || x.Refusal != nil {
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

// placesOf returns the card's interfaces at the base of a call, nil if the card is
// of an agent elsewhere. A proxy may have taken the beginning of the path off, so
// that the base is the end of what the card says.
func placesOf(card *a2a.Card, base string) (places []a2a.Interface) {
	base = strings.TrimRight(base, "/")
	for _, i := range card.Interfaces {
		_, rest, absolute := strings.Cut(i.URL, "://")
		if !absolute {
			continue
		}
		_, path := splitAuthority(rest)
		if end := strings.IndexAny(path, "?#"); end >= 0 {
			path = path[:end]
		}
		if strings.HasSuffix(strings.TrimRight(path, "/"), base) {
			places = append(places, i)
		}
	}
	return places
}

// admitTenant holds a call to the tenants of the interfaces that serve it (A2A 1.0
// §8.3.2). It returns false if the card does not speak of the call's tenant, which
// may have a card of its own.
func (x *Exchange) admitTenant(places []a2a.Interface) bool {
	if x.Dialect == a2a.V03 {
		return true // knows no tenants
	}
	tenant, tenants, open := x.Tenant.Text(), false, false
	for _, i := range places {
		if i.Dialect != a2a.V10 || !strings.EqualFold(i.Binding, x.Binding.String()) {
			continue
		}
		if i.Tenant == tenant {
			return true
		}
		tenants = tenants || i.Tenant != ""
		open = open || i.Tenant == ""
	}
	if tenants && !open {
		x.refuse(policy.TenantEcho, statusOK, a2a.InvalidParams,
			"the call does not bear the tenant that the agent's card gives for this URL")
	}
	return tenant == ""
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

// breaksWord reports whether the agent's error refuses what its card declares.
func (x *Exchange) breaksWord(code a2a.Code) bool {
	return x.mayStream && code == a2a.UnsupportedOperation
}
