// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

// PublicURL is where clients reach the guard, as an agent's card must say it.
type PublicURL struct {
	origin    string // scheme and authority, "https://agents.example.com"
	authority string // host and port, "agents.example.com:443"
	path      string // before every path, without a slash at its end
}

// ParsePublicURL reads an http or https URL without user, query and fragment.
func ParsePublicURL(s string) (*PublicURL, error) {
	scheme, rest, found := strings.Cut(s, "://")
	scheme = strings.ToLower(scheme)
	if !found || defaultPort(scheme) == "" {
		return nil, errors.New("it must begin with https:// or http://")
	}
	authority, path := splitAuthority(rest)
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }) || strings.ContainsAny(s, "?#@") {
		return nil, errors.New("it must be scheme, host and path alone")
	}
	host, port := splitPort(authority)
	if host == "" || strings.HasSuffix(authority, ":") {
		return nil, errors.New("it names no host")
	}
	if port == "" {
		port = defaultPort(scheme)
	}
	return &PublicURL{
		origin:    scheme + "://" + authority,
		authority: host + ":" + port,
		path:      strings.TrimRight(path, "/"),
	}, nil
}

// CardFlaw is why an agent's card is not as clients behind a guard need it.
type CardFlaw uint8

// The flaws.
const (
	CardFine       CardFlaw = iota
	CardElsewhere           // it leads clients round the guard
	CardSigned              // the same, and its signature forbids to change it
	CardUnreadable          // it is no JSON object, or two parsers read it differently
)

// CardReport is what the guard made of an agent's card.
type CardReport struct {
	Card a2a.Card
	Flaw CardFlaw
	// Body is the text with every interface led to the public URL, nil if it
	// passes as it came.
	Body []byte
}

// ReadCard reads the card that stands at a place of a text, asked for at a host.
// With a public URL the card is rewritten, but under profile observe.
func (g *Guard) ReadCard(text []byte, at a2a.Span, host string) CardReport {
	card, err := a2a.ReadCard(at.Of(text))
	report := CardReport{Card: card}
	public := g.PublicURL
	if g.Policy.Observes() {
		public = nil
	}
	switch {
	case err != nil || card.Flaw != a2a.NoFlaw:
		report.Flaw = CardUnreadable
	case public == nil:
		if host != "" && slices.ContainsFunc(card.Interfaces, func(i a2a.Interface) bool { return !leadsTo(i.URL, host) }) {
			report.Flaw = CardElsewhere
		}
	default:
		report.Body, report.Flaw = public.rewrite(text, at.Start, card.Interfaces)
		if card.Signed && report.Body != nil {
			report.Body, report.Flaw = nil, CardSigned
		}
	}
	return report
}

// judgeCard looks at the extended card that stands at a place of an answer.
func (x *Exchange) judgeCard(j *Judgement, body []byte, at a2a.Span) {
	if j.Body != nil { // a repair may have moved it
		var reader a2a.ResponseReader
		var r a2a.Response
		if reader.Read(body, &r) != nil {
			return
		}
		at = r.Result
	}
	report := x.guard.ReadCard(body, at, x.host)
	j.Card = &report
	if report.Body != nil {
		j.Body = report.Body
	}
}

// rewrite leads every interface to the public URL. It returns nil if none needs
// it, and CardElsewhere if one has a form that it cannot lead anywhere.
func (p *PublicURL) rewrite(text []byte, offset int, interfaces []a2a.Interface) (body []byte, flaw CardFlaw) {
	ordered := slices.SortedFunc(slices.Values(interfaces), func(a, b a2a.Interface) int { return a.At.Start - b.At.Start })
	done := 0
	for _, i := range ordered {
		url, ok := p.lead(i)
		switch {
		case !ok:
			flaw = CardElsewhere
			continue
		case url == i.URL:
			continue
		}
		body = append(body, text[done:offset+i.At.Start]...)
		body, _ = jsontext.AppendQuote(body, url) // it was a string before
		done = offset + i.At.End
	}
	if body == nil {
		return nil, flaw
	}
	return append(body, text[done:]...), flaw
}

// lead is the interface's URL with the public origin, and the public path where
// it is not there already. A gRPC address without a scheme stays without one. ok
// is false for what is neither.
func (p *PublicURL) lead(i a2a.Interface) (url string, ok bool) {
	scheme, rest, found := strings.Cut(i.URL, "://")
	switch {
	case found && defaultPort(strings.ToLower(scheme)) != "":
	case strings.EqualFold(i.Binding, "GRPC"):
		return p.authority, true
	default:
		return "", false
	}
	_, path := splitAuthority(rest)
	if below, inside := strings.CutPrefix(path, p.path); !inside || below != "" && !strings.ContainsRune("/?#", rune(below[0])) {
		path = p.path + path
	}
	return p.origin + path, true
}

// leadsTo reports whether a URL leads to the host that a request named. A host
// without a port may stand behind one that ends TLS: it has the scheme's.
func leadsTo(url, host string) bool {
	scheme, rest, found := strings.Cut(url, "://")
	if !found {
		scheme, rest = "", url
	}
	authority, _ := splitAuthority(rest)
	authority = authority[strings.LastIndexByte(authority, '@')+1:]
	name, port := splitPort(authority)
	wantName, wantPort := splitPort(host)
	if !strings.EqualFold(strings.TrimSuffix(name, "."), strings.TrimSuffix(wantName, ".")) {
		return false
	}
	usual := defaultPort(strings.ToLower(scheme))
	return port == wantPort || port == "" && wantPort == usual || wantPort == "" && (port == usual || port == "443")
}

// defaultPort is the port of a scheme that the guard can lead to, else "".
func defaultPort(scheme string) string {
	switch scheme {
	case "https":
		return "443"
	case "http":
		return "80"
	}
	return ""
}

// splitAuthority cuts what follows a URL's "://" behind its authority.
func splitAuthority(rest string) (authority, path string) {
	if i := strings.IndexAny(rest, `/?#\`); i >= 0 {
		return rest[:i], rest[i:]
	}
	return rest, ""
}

// splitPort cuts a port off a host, which may be an IPv6 address in brackets.
func splitPort(authority string) (host, port string) {
	if i := strings.LastIndexByte(authority, ':'); i > strings.LastIndexByte(authority, ']') {
		return authority[:i], authority[i+1:]
	}
	return authority, ""
}
