// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"math/bits"
	"slices"
	"time"
)

// histogram counts durations in buckets about 3 % wide. Its size does not grow.
type histogram struct {
	buckets [bucketCount]uint32
	count   int
}

const (
	stepBits    = 5 // steps in each doubling
	steps       = 1 << stepBits
	bucketCount = 31 * steps // up to half a minute
)

func (h *histogram) add(d time.Duration) {
	h.buckets[min(bucketOf(d), bucketCount-1)]++
	h.count++
}

func (h *histogram) merge(other *histogram) {
	for i, n := range other.buckets {
		h.buckets[i] += n
	}
	h.count += other.count
}

// percentile returns the duration that the share p of all does not exceed, 0 of
// an empty histogram.
func (h *histogram) percentile(p float64) time.Duration {
	rank := int(math.Ceil(p * float64(h.count)))
	for i, n := range h.buckets {
		if rank -= int(n); rank <= 0 && n > 0 {
			return upperBound(i)
		}
	}
	return 0
}

// bucketOf numbers the buckets: below steps by the nanosecond, then steps of
// them for each doubling.
func bucketOf(d time.Duration) int {
	ns := uint64(max(d, 0))
	if ns < steps {
		return int(ns)
	}
	doubling := bits.Len64(ns) - stepBits
	return doubling*steps + int(ns>>(doubling-1)) - steps
}

// upperBound is the largest duration in a bucket.
func upperBound(bucket int) time.Duration {
	if bucket < steps {
		return time.Duration(bucket)
	}
	doubling := bucket / steps
	return time.Duration(bucket%steps+steps+1)<<(doubling-1) - 1
}

// spread is the median of some numbers, and what they range over.
type spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

func spreadOf(values []float64) spread {
	if len(values) == 0 {
		return spread{}
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	median := sorted[middle]
	if len(sorted)%2 == 0 {
		median = (sorted[middle-1] + median) / 2
	}
	return spread{median, sorted[0], sorted[len(sorted)-1]}
}
