// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// ownsTasks reports whether tasks have owners. Then no call may pass unread, at
// whatever path: some servers inflate bodies, read other encodings than UTF-8, or do
// not look at the content type.
func (h *Handler) ownsTasks() bool { return h.guard.Policy.Decide(policy.TaskOwner).Do.Acts() }

// isDisguised reports whether a POST that cannot be read may be a call to such a
// server.
func isDisguised(r *http.Request, encoded bool, body []byte) bool {
	if encoded {
		kind := r.Header.Get("Content-Type")
		return kind == "" || strings.Contains(strings.ToLower(kind), "json")
	}
	return isOtherUnicode(body)
}

// isOtherUnicode reports whether a body begins as JSON in UTF-16 or UTF-32 does, or
// with a byte order mark. A gRPC message begins otherwise.
func isOtherUnicode(body []byte) bool {
	begins := func(c byte) bool { return strings.IndexByte("{[ \t\r\n", c) >= 0 }
	switch {
	case bytes.HasPrefix(body, bom), bytes.HasPrefix(body, []byte("\xfe\xff")), bytes.HasPrefix(body, []byte("\xff\xfe")):
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
