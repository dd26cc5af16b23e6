// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import "github.com/a2aguard/caddy-a2a-guard/guard/a2a"

// ids keeps what every event of a stream is compared with inside the stream:
// where each id lies elsewhere, finding them costs more than comparing them.
type ids struct {
	room [160]byte // a few UUIDs; a longer id gets memory of its own
	used int
}

// keep returns a copy of the token.
func (k *ids) keep(t a2a.Token) a2a.Token {
	if len(t) == 0 || len(t) > len(k.room)-k.used {
		return t.Clone()
	}
	start := k.used
	k.used += copy(k.room[start:], t)
	return a2a.Token(k.room[start:k.used:k.used])
}
