// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"sync"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

// pathSet is a bounded set of paths that grows with traffic. It has a path in every
// spelling that some router may take for it.
type pathSet struct {
	mu    sync.RWMutex
	paths map[string]struct{}
}

// maxPaths bounds the paths learned from calls.
const maxPaths = 256

func (s *pathSet) add(paths ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.paths == nil {
		s.paths = make(map[string]struct{})
	}
	for _, path := range paths {
		if len(s.paths) < maxPaths {
			s.paths[path] = struct{}{}
			s.paths[a2a.FoldPath(path)] = struct{}{}
		}
	}
}

func (s *pathSet) has(path string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.paths[path]
	if !ok {
		_, ok = s.paths[a2a.FoldPath(path)]
	}
	return ok
}
