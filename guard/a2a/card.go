// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import "errors"

// Card is what the guard reads of an agent's card (A2A 1.0 §4.4.1, A2A 0.3 §5.5).
// It owns its strings, so it outlives the text. A capability that the card does
// not name is not supported.
type Card struct {
	Streaming         bool
	PushNotifications bool
	ExtendedCard      bool
	// Required are the URIs of the extensions that a client must support.
	Required []string
	// Secured is true if the card declares how a client authenticates.
	Secured bool
	// Signed is true if signatures stand over the card: a changed one is invalid.
	Signed bool
	// Interfaces are the places at which the agent says that it can be reached:
	// the preferred one of 0.3, its additional ones, those of 1.0, as they come.
	Interfaces []Interface
	// Flaw is set if an object that the guard reads is ambiguous.
	Flaw Flaw
}

// Interface is one place at which an agent can be reached. Binding, Version and
// Tenant are empty where the card does not say.
type Interface struct {
	URL     string
	At      Span   // where the URL's JSON string stands, its quotes included
	Binding string // "JSONRPC", "HTTP+JSON", "GRPC" or another
	Version string // of the protocol, as the card has it
	Tenant  string
	// Dialect is the form of the card that the interface stands in: a card may
	// have both.
	Dialect Dialect
}

// maxListed bounds how many interfaces and how many extensions a card may list.
const maxListed = 256

var errLongCard = errors.New("the card lists more than the guard reads")

var (
	cardFields = []field{
		{camel: "url"}, {"preferredTransport", "preferred_transport"}, {"protocolVersion", "protocol_version"},
		{"additionalInterfaces", "additional_interfaces"}, {"supportedInterfaces", "supported_interfaces"},
		{camel: "capabilities"}, {"supportsAuthenticatedExtendedCard", "supports_authenticated_extended_card"},
		{"securitySchemes", "security_schemes"}, {camel: "security"}, {"securityRequirements", "security_requirements"},
		{camel: "signatures"},
	}
	interfaceFields = []field{
		{camel: "url"}, {camel: "transport"}, {"protocolBinding", "protocol_binding"},
		{"protocolVersion", "protocol_version"}, {camel: "tenant"},
	}
	capabilityFields = []field{
		{camel: "streaming"}, {"pushNotifications", "push_notifications"},
		{"extendedAgentCard", "extended_agent_card"}, {camel: "extensions"},
	}
	extensionFields = []field{{camel: "uri"}, {camel: "required"}}
)

// ReadCard reads one card. An error means that data is not one JSON object to its
// end, or lists more than can be kept.
func ReadCard(data []byte) (Card, error) {
	var (
		c         cursor
		card      Card
		preferred = Interface{Dialect: V03}
	)
	c.reset(data)
	o, ok := c.open(cardFields)
	if !ok {
		c.fail(errNotObject)
	}
	for ok && o.next() {
		switch o.lenient() {
		case 0:
			preferred.URL, preferred.At = c.place()
		case 1:
			preferred.Binding = c.text()
		case 2:
			preferred.Version = c.text()
		case 3:
			c.interfaces(&card, V03)
		case 4:
			c.interfaces(&card, V10)
		case 5:
			c.capabilities(&card)
		case 6:
			extended, _ := c.flag()
			card.ExtendedCard = card.ExtendedCard || extended
		case 7, 8, 9:
			card.Secured = c.filled() || card.Secured
		case 10:
			card.Signed = c.filled() || card.Signed
		default:
			c.skip()
		}
	}
	c.end()
	if preferred.At.End > 0 {
		card.Interfaces = append(card.Interfaces, preferred)
	}
	card.Flaw = c.flaw
	return card, c.err
}

// lenient is the field that the member is, also for a reader that ignores case,
// as Go's does; -1 if it is none.
func (o *object) lenient() int {
	if o.field < 0 {
		return o.variant
	}
	return o.field
}

// text returns the next value if it is a string, else "".
func (c *cursor) text() string {
	if v := c.value(); v.IsString() {
		return v.Text()
	}
	return ""
}

// place is text with the value's place, which is zero if it is no string.
func (c *cursor) place() (text string, at Span) {
	start := c.offset()
	v := c.value()
	if !v.IsString() {
		return "", Span{}
	}
	return v.Text(), Span{start, start + len(v)}
}

// filled reports whether the next value is an array or an object that holds
// something.
func (c *cursor) filled() bool {
	v := c.value()
	if len(v) < 2 || v[0] != '[' && v[0] != '{' {
		return false
	}
	for _, b := range v[1 : len(v)-1] {
		switch b {
		case ' ', '\t', '\r', '\n':
		default:
			return true
		}
	}
	return false
}

func (c *cursor) interfaces(card *Card, d Dialect) {
	for range c.elements() {
		if len(card.Interfaces) == maxListed {
			c.fail(errLongCard)
			return
		}
		i := Interface{Dialect: d}
		o, ok := c.open(interfaceFields)
		for ok && o.next() {
			switch o.lenient() {
			case 0:
				i.URL, i.At = c.place()
			case 1, 2:
				i.Binding = c.text()
			case 3:
				i.Version = c.text()
			case 4:
				i.Tenant = c.text()
			default:
				c.skip()
			}
		}
		if i.At.End > 0 {
			card.Interfaces = append(card.Interfaces, i)
		}
	}
}

func (c *cursor) capabilities(card *Card) {
	o, ok := c.open(capabilityFields)
	for ok && o.next() {
		switch o.lenient() {
		case 0:
			card.Streaming, _ = c.flag()
		case 1:
			card.PushNotifications, _ = c.flag()
		case 2:
			extended, _ := c.flag()
			card.ExtendedCard = card.ExtendedCard || extended
		case 3:
			c.extensions(card)
		default:
			c.skip()
		}
	}
}

func (c *cursor) extensions(card *Card) {
	for range c.elements() {
		if len(card.Required) == maxListed {
			c.fail(errLongCard)
			return
		}
		var uri string
		required := false
		o, ok := c.open(extensionFields)
		for ok && o.next() {
			switch o.lenient() {
			case 0:
				uri = c.text()
			case 1:
				required, _ = c.flag()
			default:
				c.skip()
			}
		}
		if required && uri != "" {
			card.Required = append(card.Required, uri)
		}
	}
}
