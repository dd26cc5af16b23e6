// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// PushAllow are the webhooks that a push configuration may name although they are
// neither public nor reached by https.
type PushAllow struct {
	hosts    []string
	networks []netip.Prefix
}

// ParsePushAllow reads host names, addresses and networks (CIDR).
func ParsePushAllow(entries []string) (*PushAllow, error) {
	allow := new(PushAllow)
	for _, entry := range entries {
		if network, err := netip.ParsePrefix(entry); err == nil {
			allow.networks = append(allow.networks, network.Masked())
			continue
		}
		host, address, ok := readHost(entry)
		if !ok { // an IPv6 address wants no brackets here
			var err error
			address, err = netip.ParseAddr(entry)
			ok = err == nil && address.Zone() == ""
		}
		switch {
		case !ok:
			return nil, fmt.Errorf("%q is no host name, address or network", entry)
		case address.IsValid():
			allow.networks = append(allow.networks, netip.PrefixFrom(address, address.BitLen()))
		default:
			allow.hosts = append(allow.hosts, host)
		}
	}
	return allow, nil
}

// admitPush holds the webhooks that a request names to what an agent may call
// (A2A 1.0 §13.2).
func (x *Exchange) admitPush(r *a2a.Request) {
	for _, config := range r.Push {
		if x.Refusal != nil {
			return
		}
		if config.Inline != x.Operation.Sends() || !config.Inline && x.Operation != a2a.CreatePushConfig {
			continue // it stands where no agent looks for one
		}
		if config.TaskID != nil && !config.TaskID.Same(x.TaskID) {
			x.refuse(policy.PushConfigTask, statusOK, a2a.InvalidParams,
				"the push configuration names another task than the call; leave its taskId out")
		}
		if config.URL != nil && !x.guard.PushAllow.permits(config.URL) {
			x.refuse(policy.PushURL, statusOK, a2a.InvalidParams,
				"the webhook of a push configuration must be an https URL with a public host, spelt plainly; ask the operator to allow another one")
		}
	}
}

// permits reports whether a webhook's URL may reach the agent. Of a URL that two
// parsers read differently, one of them may reach what the other would not have:
// it is not permitted, whatever host it means.
func (p *PushAllow) permits(url a2a.Token) bool {
	if !url.IsString() {
		return false
	}
	scheme, host, ok := splitWebhook(url.Text())
	if !ok {
		return false
	}
	name, address, ok := readHost(host)
	switch {
	case !ok:
		return false
	case p.allows(name, address):
		return true
	case scheme != "https":
		return false
	case address.IsValid():
		return isPublic(address)
	}
	return isPublicName(name)
}

// allows reports whether a host is on the list. A nil list is empty.
func (p *PushAllow) allows(name string, address netip.Addr) bool {
	if p == nil {
		return false
	}
	if !address.IsValid() {
		return slices.Contains(p.hosts, name)
	}
	address = address.Unmap()
	return slices.ContainsFunc(p.networks, func(n netip.Prefix) bool { return n.Contains(address) })
}

// splitWebhook takes scheme and host out of an absolute http or https URL. ok is
// false for one that a lenient parser (WHATWG URL) repairs, or that says more than
// scheme, host, port and what follows them.
func splitWebhook(url string) (scheme, host string, ok bool) {
	const maxURL = 8 << 10
	if len(url) > maxURL || strings.ContainsFunc(url, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }) {
		return "", "", false
	}
	scheme, rest, found := strings.Cut(url, "://")
	scheme = strings.ToLower(scheme)
	if !found || scheme != "https" && scheme != "http" {
		return "", "", false
	}
	authority, _ := splitAuthority(rest)
	host, port := splitPort(authority)
	if strings.HasSuffix(authority, ":") || !isPort(port) {
		return "", "", false
	}
	return scheme, host, true
}

// isPort reports whether a port, without its colon, is left out or a number above
// zero that fits.
func isPort(port string) bool {
	n := 0
	for _, c := range []byte(port) {
		if c < '0' || c > '9' || len(port) > 5 {
			return false
		}
		n = n*10 + int(c-'0')
	}
	return port == "" || n > 0 && n <= 65535
}

// readHost reads a host as it stands in a URL: an IPv6 address in brackets, an IPv4
// address, or a name, which comes back in lower case without the dot at its end. ok
// is false for every other spelling, among them those that some readers take for an
// address ("0x7f.1", "2130706433", "010.0.0.1").
func readHost(host string) (name string, address netip.Addr, ok bool) {
	if inner, bracketed := strings.CutPrefix(host, "["); bracketed {
		inner, closed := strings.CutSuffix(inner, "]")
		address, err := netip.ParseAddr(inner)
		return "", address, closed && err == nil && address.Is6() && address.Zone() == ""
	}
	last := ""
	for label := range strings.SplitSeq(strings.TrimSuffix(host, "."), ".") {
		if last = label; !isLabel(label) || len(host) > 253 {
			return "", netip.Addr{}, false
		}
	}
	name = strings.ToLower(strings.TrimSuffix(host, "."))
	if last[0] < '0' || last[0] > '9' {
		return name, netip.Addr{}, true
	}
	address, err := netip.ParseAddr(name)
	return "", address, err == nil && name == host
}

// isLabel reports whether a part of a name is plain. Other letters than ASCII's are
// not: some readers turn them into dots, digits and letters.
func isLabel(label string) bool {
	for _, c := range []byte(label) {
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	// "xn--localhost-" is "localhost" to some readers.
	return len(label) > 0 && len(label) <= 63 && (len(label) < 4 || !strings.EqualFold(label[:4], "xn--") || label[len(label)-1] != '-')
}

// private are the names below which no public host lies.
var private = []string{
	"localhost", "local", "localdomain", "internal", "intranet", "private", "corp", "home", "lan", "home.arpa",
	"svc", "test", "invalid", "onion",
}

// isPublicName reports whether a name may be that of a public host. What it
// resolves to is not known here, and may change.
func isPublicName(name string) bool {
	return strings.Contains(name, ".") && !slices.ContainsFunc(private, func(suffix string) bool {
		return strings.HasSuffix(name, "."+suffix)
	})
}

// reserved are networks within the unicast space that are not the public's.
var reserved = func() (networks []netip.Prefix) {
	for _, s := range []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
		"192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
		"224.0.0.0/4", "240.0.0.0/4",
		"168.63.129.16/32", // a cloud's own service, by a public address
		// Of IPv6, what carries another address within it, or is for documentation.
		"2001::/23", "2001:db8::/32", "2002::/16", "3ffe::/16", "3fff::/20",
	} {
		networks = append(networks, netip.MustParsePrefix(s))
	}
	return networks
}()

var globalUnicast = netip.MustParsePrefix("2000::/3")

// isPublic reports whether an address is of the public internet. An IPv4 address
// within an IPv6 one never is: mapped, compatible and translated ones (NAT64) lie
// outside the global unicast space.
func isPublic(address netip.Addr) bool {
	if address.Is6() && !globalUnicast.Contains(address) {
		return false
	}
	return !slices.ContainsFunc(reserved, func(n netip.Prefix) bool { return n.Contains(address) })
}
