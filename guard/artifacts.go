// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"bytes"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

// Bounds of what a stream remembers of its artifacts. Past them it stops
// judging chunks and takes no artifact for whole.
const (
	maxArtifacts       = 1024
	maxArtifactIDBytes = 64 << 10
)

// artifacts is what one stream has carried of each artifact.
type artifacts struct {
	byID  map[string]artifactState
	bytes int
	full  bool // the bounds were reached: what is not known may have been carried

	// The last one noted, by its raw id, for its next chunk.
	last      a2a.Token
	lastRoom  [40]byte
	lastState artifactState
}

func (a *artifacts) begin() { a.last = a.lastRoom[:0] }

func (a *artifacts) isLast(id a2a.Token) bool { return len(id) > 0 && bytes.Equal(id, a.last) }

type artifactState struct {
	whole  bool // nothing of what the agent has said of it is missing
	sealed bool // its last chunk was carried
}

// begun reports whether any of the artifact was carried; sure is false if the
// stream no longer knows.
func (a *artifacts) begun(id a2a.Token) (state artifactState, begun, sure bool) {
	if a.isLast(id) {
		return a.lastState, true, true
	}
	var scratch [128]byte
	state, begun = a.byID[string(id.AppendText(scratch[:0]))]
	return state, begun, begun || !a.full
}

// note takes in what an artifact update, or an artifact in a Task, carried.
func (a *artifacts) note(id a2a.Token, state artifactState) {
	if id == nil || state == a.lastState && a.isLast(id) {
		return
	}
	var scratch [128]byte
	name := id.AppendText(scratch[:0])
	switch before, known := a.byID[string(name)]; {
	case known && before == state:
		return
	case known:
	case len(a.byID) == maxArtifacts || a.bytes+len(name) > maxArtifactIDBytes:
		a.full = true
		return
	default:
		a.bytes += len(name)
	}
	if a.byID == nil {
		a.byID = make(map[string]artifactState)
	}
	a.byID[string(name)] = state
	a.last, a.lastState = append(a.last[:0], id...), state
}

// whole reports whether the client has all of the artifact already.
func (a *artifacts) whole(id a2a.Token) bool {
	state, _, _ := a.begun(id)
	return state.whole
}

// rebase starts afresh from a Task, which carries all there is so far. Its
// artifacts may still grow.
func (a *artifacts) rebase(ev *a2a.Event) {
	clear(a.byID)
	a.bytes, a.full, a.last = 0, ev.MoreArtifacts, a.last[:0]
	for i := range ev.Artifacts {
		a.note(ev.Artifacts[i].ID, artifactState{whole: true})
	}
}
