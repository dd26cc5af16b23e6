// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

func TestTimestampsAreCompared(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{`"2026-11-02T12:00:00Z"`, `"2026-11-02T12:00:01Z"`, true},
		{`"2026-11-02T12:00:01Z"`, `"2026-11-02T12:00:00Z"`, false},
		{`"2026-11-02T12:00:00Z"`, `"2026-11-02T12:00:00.5Z"`, true},
		{`"2026-11-02T12:00:00.5Z"`, `"2026-11-02T12:00:00Z"`, false},
		{`"2026-11-02T12:00:00.09Z"`, `"2026-11-02T12:00:00.1Z"`, true},
		{`"2026-11-02T12:00:00.1Z"`, `"2026-11-02T12:00:00.100Z"`, false},
		{`"2026-11-02T12:00:00.000Z"`, `"2026-11-02T12:00:00Z"`, false},
		{`"2026-11-02T12:00:00Z"`, `"2026-11-02T12:00:00Z"`, false},
		{`"2026-11-02T13:00:00+02:00"`, `"2026-11-02T12:00:00Z"`, true},
		{`"2026-11-02T13:00:00+01:00"`, `"2026-11-02T12:00:00Z"`, false},
		{`"yesterday"`, `"2026-11-02T12:00:00Z"`, false},
		{`"2026-11-02T12:00:00Z"`, `"tomorrow"`, false},
		{``, `"2026-11-02T12:00:00Z"`, false},
		{`"2026-11-02T12:00:00Z"`, ``, false},
	}
	for _, tt := range tests {
		if got := earlier(a2a.Token(tt.a), a2a.Token(tt.b)); got != tt.want {
			t.Errorf("%s before %s: %v", tt.a, tt.b, got)
		}
	}
	const same, other = `"2026-11-02T12:00:00.123Z"`, `"2026-11-02T12:00:00.1Z"`
	if n := testing.AllocsPerRun(100, func() { earlier(a2a.Token(same), a2a.Token(other)) }); n > 0 {
		t.Errorf("comparing allocates %v times", n)
	}
}
