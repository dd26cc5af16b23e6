// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Set is the guard's metrics. There is one for a process, so that counts outlive the
// configurations that they were made under.
type Set struct {
	requests   *prometheus.CounterVec
	took       *prometheus.HistogramVec
	inspect    *prometheus.HistogramVec
	violations *prometheus.CounterVec
	notices    *prometheus.CounterVec
	upstream   *prometheus.CounterVec
	tasks      *prometheus.GaugeVec
	states     *prometheus.CounterVec
	lasted     *prometheus.HistogramVec

	active      *prometheus.GaugeVec
	streams     *prometheus.CounterVec
	open        *prometheus.HistogramVec
	first       *prometheus.HistogramVec
	gap         *prometheus.HistogramVec
	events      *prometheus.CounterVec
	size        *prometheus.HistogramVec
	dropped     *prometheus.CounterVec
	synthesized *prometheus.CounterVec
	settled     *prometheus.CounterVec
}

// The buckets of histograms. Agents take from a millisecond to an hour.
var (
	agentSeconds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600}
	guardSeconds = []float64{1e-6, 2.5e-6, 5e-6, 1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, .001, .0025, .005, .01}
	eventBytes   = prometheus.ExponentialBuckets(64, 4, 9) // to 4 MiB
)

// New makes the metrics.
func New() *Set {
	return &Set{
		requests: counter("requests_total", "A2A calls, by how they came out: ok, error (the agent's own protocol error), "+
			"refused (by the guard, before the agent), replaced (the guard answered in the agent's place), upstream_error (no usable answer came), client_gone.",
			"binding", "version", "method", "outcome"),
		took:       histogram("request_duration_seconds", "How long calls took, until their answer was written; streams to their end.", agentSeconds, "binding", "method"),
		inspect:    histogram("inspect_seconds", "Time that the guard itself took to judge a call, all its events included.", guardSeconds),
		violations: counter("violations_total", "Broken protocol rules, by what was done: the action, would_ and the action where it was only observed.", "rule", "action"),
		notices:    counter("notices_total", "Habits of legitimate agents and clients that depart from the letter of the protocol.", "rule"),
		upstream:   counter("upstream_errors_total", "Calls to which no usable answer came: refused (no connection), timeout, aborted (the connection broke), http_status.", "reason"),
		tasks:      gauge("tasks_tracked", "Tasks that the guard remembers."),
		states:     counter("task_states_total", "States that tasks came to on event streams, and by messages and cancellations that were answered at once.", "state"),
		lasted:     histogram("task_duration_seconds", "How long a call took to bring its task to a state in which it rests.", agentSeconds, "state"),

		active:      gauge("streams_active", "Event streams that are open.", "method"),
		streams:     counter("streams_total", "Event streams, by how the agent left them.", "method", "end"),
		open:        histogram("stream_duration_seconds", "How long event streams were open.", agentSeconds),
		first:       histogram("stream_first_event_seconds", "Time from the call to the agent's first event.", agentSeconds),
		gap:         histogram("stream_event_gap_seconds", "Time between two arrivals of events of the agent's on one stream.", agentSeconds),
		events:      counter("stream_events_total", "Events of the agent's on streams.", "kind"),
		size:        histogram("event_bytes", "Size of the agent's events on the wire.", eventBytes),
		dropped:     counter("events_dropped_total", "Events that were kept from clients, by the rule that they broke.", "rule"),
		synthesized: counter("synthesized_total", "Events of the guard's own on streams.", "kind"),
		settled:     counter("settlements_total", "What the guard made of streams without an end: real (the task's own state), canceled, error, failed, observed.", "result"),
	}
}

// Register puts the metrics into a registry, unless they are there.
func (s *Set) Register(registry prometheus.Registerer) error {
	var errs []error
	for _, c := range []prometheus.Collector{
		s.requests, s.took, s.inspect, s.violations, s.notices, s.upstream, s.tasks, s.states, s.lasted,
		s.active, s.streams, s.open, s.first, s.gap, s.events, s.size, s.dropped, s.synthesized, s.settled,
	} {
		err := registry.Register(c)
		if _, there := errors.AsType[prometheus.AlreadyRegisteredError](err); !there {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

const namespace = "a2a_guard"

// Each metric has the agent for its first label.

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, withAgent(labels))
}

func gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, withAgent(labels))
}

// histogram has native buckets for servers that take them, and classic ones.
func histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: namespace, Name: name, Help: help, Buckets: buckets,
		NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 100, NativeHistogramMinResetDuration: time.Hour,
	}, withAgent(labels))
}

func withAgent(labels []string) []string { return append([]string{"agent"}, labels...) }
