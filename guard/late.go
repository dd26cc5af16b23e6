// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"slices"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// maxLate bounds how many late artifacts of one task are remembered.
const maxLate = 16

// NoteLate implements [TaskStore].
func (t *Tasks) NoteLate(now time.Time, key TaskKey, artifact uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, n := t.find(t.begin(now), key)
	if known := t.late[n]; n != 0 && len(known) < maxLate && !slices.Contains(known, artifact) {
		t.late[n] = append(known, artifact)
	}
}

// lateArtifact deals with an artifact that comes after the terminal state. One that
// the client had no part of before is remembered: many agents keep it.
func (s *Stream) lateArtifact(ev *a2a.Event) {
	if s.report(policy.LateArtifact) != policy.Drop || !s.remembers || ev.Artifact.ID == nil ||
		s.p.Decide(policy.LateArtifactKept).Do == policy.Off {
		return
	}
	if _, begun, sure := s.life.artifacts.begun(ev.Artifact.ID); begun || !sure {
		return
	}
	if key, ok := s.x.key(s.life.taskID); ok {
		s.x.guard.Tasks.NoteLate(s.now, key, digest(ev.Artifact.ID))
	}
}

// checkLate takes artifacts out of the Task that came too late to the caller's own
// stream.
func (u *unary) checkLate(late []uint64, ev *a2a.Event) {
	if len(late) == 0 || !ev.State.Terminal() || u.x.guard.Policy.Decide(policy.LateArtifactKept).Do == policy.Off {
		return
	}
	for i := range ev.Artifacts {
		a := &ev.Artifacts[i]
		if slices.Contains(late, digest(a.ID)) && u.report(policy.LateArtifactKept, ev) == policy.Rewrite {
			u.fix.remove(u.body, a.Object)
		}
	}
}
