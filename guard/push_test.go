// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"encoding/json"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

func quoted(t testing.TB, s string) a2a.Token {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// public are webhooks that pass, hidden are those that do not, by what would be
// reached.
var (
	public = []string{
		"https://hooks.example.com/a2a?x=1#y", "HTTPS://Hooks.Example.COM:8443/", "https://hooks.example.com.", "https://8.8.8.8/", "https://8.8.8.8:65535",
		"https://[2606:4700:4700::1111]/x", "https://[2606:4700:4700:0:0:0:8.8.8.8]", "https://xn--bcher-kva.example.com/", "https://my_hook.example.com/",
		"https://10.example.com/", "https://127.0.0.1.example.com/", "https://hooks.example.com/http://10.0.0.1/@x", "https://hooks.example.com/%31?u=a%20b",
		"https://hooks.example.com/ключ", "https://local.example.com/", "https://1.1.1.1.example.com", "https://a.0x7fa.com",
	}
	hidden = map[string][]string{
		"not https":                {"http://hooks.example.com/", "ftp://hooks.example.com/", "file:///etc/passwd", "gopher://hooks.example.com:70/", "javascript:alert(1)", "data:,x", "ws://hooks.example.com/"},
		"no URL":                   {"", "hooks.example.com", "/hook", "//hooks.example.com/", "https:", "https:/", "https://", "https:///", "https://?x", "https://#x", "https://:443/"},
		"loopback":                 {"https://127.0.0.1/", "https://127.255.255.254", "https://[::1]/", "https://localhost/", "https://LOCALHOST:8443", "https://localhost./", "https://a.localhost/"},
		"unspecified":              {"https://0.0.0.0/", "https://0.1.2.3/", "https://[::]/"},
		"private":                  {"https://10.0.0.1/", "https://172.16.0.1/", "https://172.31.255.255/", "https://192.168.1.1/", "https://[fc00::1]/", "https://[fd12:3456::1]/"},
		"link-local and metadata":  {"https://169.254.169.254/latest/meta-data/", "https://[fe80::1]/", "https://[fd00:ec2::254]/", "https://100.100.100.200/", "https://192.0.0.192/", "https://168.63.129.16/", "https://metadata.google.internal/", "https://metadata/"},
		"shared and reserved":      {"https://100.64.0.1/", "https://198.18.0.1/", "https://192.0.2.1/", "https://198.51.100.1/", "https://203.0.113.1/", "https://192.88.99.1/", "https://240.0.0.1/", "https://255.255.255.255/", "https://[fec0::1]/", "https://[2001:db8::1]/", "https://[3fff::1]/", "https://[100::1]/"},
		"multicast":                {"https://224.0.0.1/", "https://239.255.255.250/", "https://[ff02::1]/"},
		"IPv4 within IPv6":         {"https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/", "https://[::127.0.0.1]/", "https://[::ffff:0:127.0.0.1]/", "https://[64:ff9b::7f00:1]/", "https://[64:ff9b::10.0.0.1]/", "https://[64:ff9b:1::7f00:1]/", "https://[2002:7f00:1::]/", "https://[2001:0:7f00:1::]/", "https://[::ffff:8.8.8.8]/"},
		"decimal":                  {"https://2130706433/", "https://3232235777:443/", "https://134744072/"},
		"octal":                    {"https://0177.0.0.1/", "https://017700000001/", "https://010.0.0.1/", "https://00000127.0.0.1/", "https://8.8.8.08/"},
		"hexadecimal":              {"https://0x7f.0.0.1/", "https://0x7f000001/", "https://0X7F.1/", "https://127.0.0.0x1/", "https://0x/", "https://hooks.0x1/"},
		"short forms":              {"https://127.1/", "https://127.0.1/", "https://10.1/", "https://0/", "https://8.8/"},
		"too many parts":           {"https://127.0.0.1.1/", "https://1.2.3.256/", "https://example.com.1/"},
		"a dot at the end":         {"https://127.0.0.1./", "https://0x7f.1./", "https://hooks.example.com../", "https://./", "https://.example.com/", "https://a..example.com/"},
		"a user":                   {"https://hooks.example.com@127.0.0.1/", "https://user:pass@hooks.example.com/", "https://127.0.0.1:80@hooks.example.com/", "https://@hooks.example.com/", "https://a@b@hooks.example.com/"},
		"a zone":                   {"https://[fe80::1%25eth0]/", "https://[fe80::1%eth0]/", "https://[2606:4700::1%25x]/"},
		"brackets":                 {"https://[127.0.0.1]/", "https://[::1/", "https://::1/", "https://[]/", "https://[::1]x/", "https://[::1]127.0.0.1/", "https://[hooks.example.com]/", "https://[[::1]]/"},
		"other letters":            {"https://127。0。0。1/", "https://１２７.0.0.1/", "https://ⓛocalhost.example.com/", "https://hooks．example.com/", "https://127.0.0.①/", "https://hoo\u212as.example.com/", "https://bücher.example.com/", "https://hooks\u00ad.example.com/", "https://ex\u200bample.com/", "https://\ufffd.example.com/"},
		"letters that hide others": {"https://xn--localhost-.com/", "https://a.XN--127-/", "https://xn--.example.com-/", "https://xn---.example.com/"},
		"escapes":                  {"https://%31%32%37.0.0.1/", "https://127%2e0.0.1/", "https://hooks%2eexample.com/", "https://hooks.example.com%00.x.com/", "https://%68ooks.example.com/"},
		"what is repaired":         {"https:hooks.example.com/", "https:/hooks.example.com/", `https:\\hooks.example.com/`, `https://127.0.0.1\@hooks.example.com/`, `https://hooks.example.com\.x.com/`, "https:////hooks.example.com/", " https://hooks.example.com/", "https://hooks.example.com/ ", "ht\ttps://hooks.example.com/", "https://127\n.0.0.1/", "https://hooks.exa\tmple.com/", "https://hooks.example.com/\r\nX: y", "https://hooks.example.com/a b", "\x00https://hooks.example.com/", "\ufeffhttps://hooks.example.com/"},
		"ports":                    {"https://hooks.example.com:/", "https://hooks.example.com:0/", "https://hooks.example.com:65536/", "https://hooks.example.com:443:80/", "https://hooks.example.com:+443/", "https://hooks.example.com:https/", "https://hooks.example.com:000443/", "https://[2606:4700::1]:x/"},
		"names of one's own":       {"https://redis/", "https://redis:6379/", "https://db.internal/", "https://printer.local/", "https://nas.lan/", "https://wiki.corp/", "https://pi.home.arpa/", "https://orders.shop.svc/", "https://orders.shop.svc.cluster.local/", "https://a.localdomain/", "https://DB.INTERNAL./"},
		"length":                   {"https://" + strings.Repeat("a", 64) + ".example.com/", "https://" + strings.Repeat("abc.", 70) + "com/", "https://hooks.example.com/" + strings.Repeat("x", 8<<10)},
	}
)

func TestWebhooksMustBePublic(t *testing.T) {
	var none *PushAllow
	for _, hook := range public {
		if !none.permits(quoted(t, hook)) {
			t.Errorf("%q does not pass", hook)
		}
	}
	for kind, hooks := range hidden {
		for _, hook := range hooks {
			if none.permits(quoted(t, hook)) {
				t.Errorf("%s: %q passes", kind, hook)
			}
		}
	}
	for _, value := range []a2a.Token{a2a.Token(`7`), a2a.Token(`["https://hooks.example.com/"]`), a2a.Token(`{"url":"https://hooks.example.com/"}`), a2a.Token(`true`), a2a.Token(`"https://\ud800.example.com/"`)} {
		if none.permits(value) {
			t.Errorf("%s passes", value)
		}
	}
	if !none.permits(a2a.Token(`"https:\/\/hooks.\u0065xample.com\/"`)) {
		t.Error("a URL spelt with JSON's escapes does not pass")
	}
}

func TestAllowedWebhooksPassAsWell(t *testing.T) {
	allow, err := ParsePushAllow([]string{"Hooks.Internal.", "localhost", "10.1.2.3/8", "192.168.7.7", "fd12::/16", "::1", "[fd00::7]"})
	if err != nil {
		t.Fatal(err)
	}
	for hook, want := range map[string]bool{
		"http://hooks.internal/x": true, "https://HOOKS.internal:8443/": true, "http://localhost:9999/hook": true, "http://10.9.8.7/": true,
		"http://192.168.7.7:80/": true, "https://[fd12::9]/": true, "http://[::1]:8080/": true, "http://[fd00::7]/": true, "http://[::ffff:10.0.0.1]/": true,
		"https://hooks.example.com/": true,
		"http://hooks.example.com/":  false, "http://192.168.7.8/": false, "https://a.hooks.internal/": false, "https://hooks.internal.example/x y": false,
		"http://user@localhost/": false, "http://010.9.8.7/": false, "http://10.1/": false, "ftp://localhost/": false, `http://localhost\@evil.example.com/`: false,
	} {
		if got := allow.permits(quoted(t, hook)); got != want {
			t.Errorf("%s: %t", hook, got)
		}
	}
	for _, entry := range []string{"", "10.0.0.0/33", "10.0.0.256", "https://hooks.internal", "hooks.internal:80", "*.internal", "fe80::1%eth0", "a b", "bücher.example.com"} {
		if _, err := ParsePushAllow([]string{entry}); err == nil {
			t.Errorf("%q can be allowed", entry)
		}
	}
}

// FuzzWebhook: whatever passes is read by Go's parser as the same https URL with a
// plain host, which is no private address however numbers are spelt.
func FuzzWebhook(f *testing.F) {
	for _, hook := range public {
		f.Add(hook)
	}
	for _, hooks := range hidden {
		for _, hook := range hooks {
			f.Add(hook)
		}
	}
	f.Fuzz(func(t *testing.T, hook string) {
		var none *PushAllow
		if !none.permits(quoted(t, hook)) {
			return
		}
		u, err := url.Parse(hook)
		if err != nil {
			return // nor does whoever calls the webhook read it
		}
		host := u.Hostname()
		if u.Scheme != "https" || u.User != nil || u.Opaque != "" || host == "" {
			t.Fatalf("%q passes as %+v", hook, u)
		}
		if address, err := netip.ParseAddr(host); err == nil {
			if !address.IsGlobalUnicast() || address.IsPrivate() || address.Is4In6() || address.Zone() != "" {
				t.Fatalf("%q passes with %v", hook, address)
			}
			return
		}
		labels := strings.Split(strings.ToLower(strings.TrimSuffix(host, ".")), ".")
		last := labels[len(labels)-1]
		if len(labels) < 2 || strings.ContainsAny(last[:1], "0123456789") || last == "localhost" || last == "internal" || last == "local" {
			t.Fatalf("%q passes with the name %q", hook, host)
		}
		for _, r := range host {
			if r > 0x7e || strings.ContainsRune("%[]@\\ ", r) {
				t.Fatalf("%q passes with %q in its host", hook, r)
			}
		}
	})
}
