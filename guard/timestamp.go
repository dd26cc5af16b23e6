// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"bytes"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

// parseTimestamp reads an RFC 3339 timestamp (A2A 1.0 §5.6.1).
func parseTimestamp(token a2a.Token) (t time.Time, ok bool) {
	if token == nil {
		return t, false
	}
	err := t.UnmarshalText(token.AppendText(nil))
	return t, err == nil
}

// badTimestamp reports whether a status bears a time that is not UTC
// (A2A 1.0 §5.6.1).
func badTimestamp(ev *a2a.Event) bool {
	return ev.Timestamp != nil && !bytes.HasSuffix(ev.Timestamp, []byte(`Z"`))
}

// earlier reports whether timestamp a is before b. What is no timestamp is not.
func earlier(a, b a2a.Token) bool {
	if len(a) == 0 || len(b) == 0 || bytes.Equal(a, b) {
		return false
	}
	if wholeA, fractionA, ok := splitUTC(a); ok {
		if wholeB, fractionB, ok := splitUTC(b); ok {
			if order := bytes.Compare(wholeA, wholeB); order != 0 {
				return order < 0
			}
			return bytes.Compare(fractionA, fractionB) < 0
		}
	}
	// Times of other zones compare by value alone.
	timeA, okA := parseTimestamp(a)
	timeB, okB := parseTimestamp(b)
	return okA && okB && timeA.Before(timeB)
}

// splitUTC splits a timestamp in UTC into its text up to the seconds and that of
// its fraction without trailing zeros: the two compare as the times do.
func splitUTC(token a2a.Token) (whole, fraction []byte, ok bool) {
	const seconds = len(`"2006-01-02T15:04:05`)
	text, ok := bytes.CutSuffix(token, []byte(`Z"`))
	if !ok || len(text) < seconds || len(text) > seconds && text[seconds] != '.' {
		return nil, nil, false
	}
	return text[:seconds], bytes.TrimRight(text[seconds:], ".0"), true
}
