// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package metrics counts what the guard sees for Prometheus. Labels come from closed
// sets: nothing that a client or an agent sends becomes one.
//
//	metrics.go  the metrics: names, labels, buckets
//	agent.go    what is counted of one agent's calls
//	stream.go   what is counted of one event stream
//	table.go    a metric's series of one agent, found without a search
package metrics
