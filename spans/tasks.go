// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"hash/maphash"
	"sync"

	"go.opentelemetry.io/otel/trace"
)

// maxCreators is how many tasks' first spans are remembered.
const maxCreators = 8192

// Creators remembers which span a task was first seen in, so that later ones can lead
// there. The zero value is ready; it keeps digests, and the latest tasks alone.
type Creators struct {
	mu     sync.Mutex
	seed   maphash.Seed
	spans  map[uint64]trace.SpanContext
	oldest []uint64 // a ring
	next   int
}

// note remembers the first span of a task.
func (c *Creators) note(task string, span trace.SpanContext) {
	if task == "" || !span.IsValid() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.spans == nil {
		c.seed, c.spans = maphash.MakeSeed(), make(map[uint64]trace.SpanContext)
	}
	key := maphash.String(c.seed, task)
	if _, known := c.spans[key]; known {
		return
	}
	if len(c.oldest) < maxCreators {
		c.oldest = append(c.oldest, key)
	} else {
		delete(c.spans, c.oldest[c.next])
		c.oldest[c.next] = key
		c.next = (c.next + 1) % maxCreators
	}
	c.spans[key] = span
}

// links leads to the first span of a task, if that is known.
func (c *Creators) links(task string) []trace.Link {
	if task == "" {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.spans == nil {
		return nil
	}
	span, known := c.spans[maphash.String(c.seed, task)]
	if !known {
		return nil
	}
	return []trace.Link{{SpanContext: span}}
}
