// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"bytes"
	"testing"
)

// BenchmarkTrace looks through texts of 1 MiB that come close to a trace all along.
func BenchmarkTrace(b *testing.B) {
	for _, word := range []string{"The order was shipped already. ", "ErrorError", ".py:", "a.b.Xerror:1 ", "/x.go :9", "::::"} {
		text := bytes.Repeat([]byte(word), (1<<20)/len(word))
		b.Run(word, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if isTrace(text) {
					b.Fatal("it is taken for a trace")
				}
			}
		})
	}
}
