// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import "sync"

// pathSet is a bounded set of paths that grows with traffic.
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
		}
	}
}

func (s *pathSet) has(path string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.paths[path]
	return ok
}
