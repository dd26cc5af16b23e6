// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
)

// ours selects the series that the reader has chosen, byMethod those of metrics
// with a method.
const (
	ours     = `agent=~"$agent",namespace=~"$namespace",pod=~"$pod"`
	byMethod = ours + `,method=~"$method"`
)

// An end is one that clients cannot make sense of (unclean), or says nothing of
// the agent since it was not the agent's (foreign).
const (
	unclean = "missing_final|upstream_abort|first_event_timeout|idle_timeout|max_duration"
	foreign = "client_gone|shutdown"
)

// perMinuteBy is the rate of a counter, summed by labels.
func perMinuteBy(labels, selector string) string {
	return fmt.Sprintf("60 * sum by (%s) (rate(%s[$__rate_interval]))", labels, selector)
}

// quantile is one of a classic histogram, which every Prometheus has. labels
// begins with a comma, or is empty.
func quantile(q float64, metric, selector, labels string) string {
	return fmt.Sprintf("histogram_quantile(%g, sum by (le%s) (rate(%s_bucket{%s}[$__rate_interval])))", q, labels, metric, selector)
}

// spread is the median and the tail of a histogram.
func spread(metric, selector string) []query {
	return []query{
		{quantile(0.5, metric, selector, ""), "median"},
		{quantile(0.95, metric, selector, ""), "95 %"},
		{quantile(0.99, metric, selector, ""), "99 %"},
	}
}

func sorted(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
