// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package scenario_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/test/scenario"
)

// byteByByte is the largest answer that is fed in pieces of one byte.
const byteByByte = 1 << 20

func TestTheCoreHoldsTheCases(t *testing.T) {
	cases, err := scenario.Load("../testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			for _, s := range c.Scenes {
				t.Run(s.Name, func(t *testing.T) {
					whole := play(t, s, scenario.AsWritten)
					piece := 1
					if size(s) > byteByByte {
						piece = 1 << 10
					}
					pieces := play(t, s, scenario.InPieces(piece))
					for i := range whole {
						if a, b := content(whole[i]), content(pieces[i]); !bytes.Equal(a, b) {
							t.Errorf("call %d: in pieces of %d bytes the client gets %.300q, else %.300q", i+1, piece, b, a)
						}
					}
				})
			}
		})
	}
}

// Whatever a case is about, the observing profile lets all of it pass.
func TestObserveChangesNoByteOfAnyCase(t *testing.T) {
	cases, err := scenario.Load("../testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		for _, s := range c.Scenes {
			if slices.ContainsFunc(s.Exchanges, func(e *scenario.Exchange) bool { return len(e.Agent.Steps) == 0 }) {
				continue // a guard that refuses nothing would need an answer
			}
			t.Run(c.Name+"/"+s.Name, func(t *testing.T) {
				observed, err := s.Under("profile observe", "first_event_timeout off", "idle_timeout off", "call_timeout off")
				if err != nil {
					t.Fatal(err)
				}
				results, err := observed.Play(scenario.AsWritten)
				if err != nil && !strings.Contains(err.Error(), "nothing ever ends this call") {
					t.Fatal(err)
				}
				for i, r := range results {
					checkUntouched(t, s.Exchanges[i], r)
				}
			})
		}
	}
}

func checkUntouched(t *testing.T, e *scenario.Exchange, r *scenario.Result) {
	t.Helper()
	got, want := r.Body(), e.Agent.Body()
	if r.Left {
		want = want[:min(len(got), len(want))]
	}
	if !bytes.Equal(got, want) {
		t.Errorf("call of line %d: the client gets %.300q, not %.300q", e.Line, got, want)
	}
	if head, ok := e.Agent.Head(); ok && (r.Status != head.Status || r.ContentType != head.ContentType) {
		t.Errorf("call of line %d: the head is %d %q, not %d %q", e.Line, r.Status, r.ContentType, head.Status, head.ContentType)
	}
	if len(r.Asked) > 0 {
		t.Errorf("call of line %d: the guard asks %q", e.Line, r.Asked)
	}
}

// play runs a scene and holds what came of it to the case.
func play(t *testing.T, s *scenario.Scene, cut scenario.Cut) []*scenario.Result {
	t.Helper()
	results, err := s.Play(cut)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		for _, err := range s.Check(s.Exchanges[i], r) {
			t.Error(err)
		}
	}
	return results
}

func size(s *scenario.Scene) (n int) {
	for _, e := range s.Exchanges {
		n += len(e.Agent.Body())
	}
	return n
}

// content is a body without the line ends at its end: whether a last CR has a LF
// behind it cannot be known where a stream ends.
func content(r *scenario.Result) []byte {
	return bytes.TrimRight(slices.Concat(r.Body()), "\r\n")
}
