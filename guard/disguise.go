// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"bytes"
	"strings"

	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// Wary reports whether tasks have owners. Then no call may pass unread, at whatever
// path: some servers inflate bodies, read other encodings than UTF-8 or more than
// JSON allows, or do not look at the content type.
func (g *Guard) Wary() bool { return g.Policy.Decide(policy.TaskOwner).Do.Acts() }

// disguised reports whether a body that cannot be read, for the reason err if it is
// not compressed, may be a call to such a server.
func (g *Guard) disguised(in *Request, err error) bool {
	switch {
	case !g.Wary() || err == nil && !in.Encoded:
		return false
	case in.ContentType == "" || strings.Contains(strings.ToLower(in.ContentType), "json"):
		return in.Encoded || len(in.Body) > 0 // in UTF-7, behind a comment, or whatever else a server makes JSON of
	}
	return !in.Encoded && (mayBeCall(in.Body) || otherUnicode(in.Body))
}

// otherUnicode reports whether a body begins as JSON in UTF-16 or UTF-32 does, or with
// a byte order mark. A gRPC message begins otherwise.
func otherUnicode(body []byte) bool {
	begins := func(c byte) bool { return strings.IndexByte("{[ \t\r\n", c) >= 0 }
	switch {
	case bytes.HasPrefix(body, []byte("\ufeff")), bytes.HasPrefix(body, []byte("\xfe\xff")), bytes.HasPrefix(body, []byte("\xff\xfe")):
		return true
	case len(body) < 8:
		return false
	case body[0] == 0 && body[1] == 0:
		return bytes.HasPrefix(body[2:], []byte("\xfe\xff")) || body[2] == 0 && begins(body[3]) && bytes.HasPrefix(body[4:], []byte{0, 0, 0})
	case body[0] == 0:
		return begins(body[1])
	}
	return body[1] == 0 && begins(body[0])
}
