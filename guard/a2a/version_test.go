// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a_test

import (
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

func TestOnlyMajorAndMinorCount(t *testing.T) {
	for version, want := range map[string]string{
		"": "", "1.0": "1.0", "1.0.3": "1.0", "1.0.x": "1.0", "0.3": "0.3", "0.3.0": "0.3", "0.2.6": "0.3", "1": "1.0", "0": "0.0",
		" 1.0 ": "1.0", "2.1": "2.1", "10.0": "10.0", "1.": "1.", ".3": ".3", "v1.0": "v1.0", "1.0, 0.3": "1.0, 0.3", "1.x": "1.x", "one": "one",
	} {
		if got := a2a.MajorMinor(version); got != want {
			t.Errorf("%q: got %q, want %q", version, got, want)
		}
	}
}
