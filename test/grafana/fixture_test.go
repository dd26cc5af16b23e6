// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package grafana

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// fixture has every metric that a guard exports, under its own name and labels.
// Each scrape sees a moment of traffic more.
type fixture struct {
	registry *prometheus.Registry
	moments  []func()
}

// sets are label values of each metric, a line for each series.
func sets(lines string) [][]string {
	var all [][]string
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		all = append(all, strings.Fields(line))
	}
	return all
}

func (f *fixture) counter(name, labels, lines string) {
	vec := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "a2a_guard_" + name}, strings.Fields(labels))
	f.registry.MustRegister(vec)
	for _, values := range sets(lines) {
		counter := vec.WithLabelValues(values...)
		counter.Add(0)
		f.moments = append(f.moments, func() { counter.Inc() })
	}
}

func (f *fixture) gauge(name, labels, lines string) {
	vec := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name}, strings.Fields(labels))
	f.registry.MustRegister(vec)
	for _, values := range sets(lines) {
		f.moments = append(f.moments, func() { vec.WithLabelValues(values...).Set(1.7e9) })
	}
}

func (f *fixture) histogram(name, labels, lines string) {
	vec := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "a2a_guard_" + name, Buckets: []float64{0.001, 0.1, 1, 10, 60, 3600}, NativeHistogramBucketFactor: 1.1,
	}, strings.Fields(labels))
	f.registry.MustRegister(vec)
	for _, values := range sets(lines) {
		f.moments = append(f.moments, func() {
			vec.WithLabelValues(values...).Observe(0.05)
			vec.WithLabelValues(values...).Observe(30)
		})
	}
}

// startFixture returns the address at which the metrics can be scraped.
func startFixture(t *testing.T) (address string) {
	t.Helper()
	f := &fixture{registry: prometheus.NewRegistry()}
	f.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	f.gauge("caddy_config_last_reload_success_timestamp_seconds", "site", "example")
	f.counter("requests_total", "agent binding version method outcome",
		"orders jsonrpc 1.0 send_streaming_message ok\nbilling jsonrpc 0.3 send_message upstream_error")
	f.counter("streams_total", "agent method end", `
orders send_streaming_message terminal
orders send_streaming_message missing_final
orders send_streaming_message idle_timeout
orders send_streaming_message upstream_abort
orders send_streaming_message client_gone`)
	f.counter("stream_events_total", "agent kind", "orders task\norders status")
	f.counter("violations_total", "agent rule action", "orders late-artifact drop\norders missing-final-status end")
	f.counter("notices_total", "agent rule", "orders history-length")
	f.counter("events_dropped_total", "agent rule", "orders late-artifact")
	f.counter("synthesized_total", "agent kind", "orders error")
	f.counter("settlements_total", "agent result", "orders error")
	f.counter("task_states_total", "agent state", "orders completed")
	f.counter("upstream_errors_total", "agent reason", "billing refused")
	f.gauge("a2a_guard_streams_active", "agent method", "orders send_streaming_message")
	f.gauge("a2a_guard_tasks_tracked", "agent", "orders\nbilling")
	f.histogram("request_duration_seconds", "agent binding method", "orders jsonrpc send_streaming_message")
	f.histogram("stream_duration_seconds", "agent", "orders")
	f.histogram("stream_first_event_seconds", "agent", "orders")
	f.histogram("stream_event_gap_seconds", "agent", "orders")
	f.histogram("event_bytes", "agent", "orders")
	f.histogram("task_duration_seconds", "agent state", "orders completed")
	f.histogram("inspect_seconds", "agent", "orders")

	handler := promhttp.HandlerFor(f.registry, promhttp.HandlerOpts{EnableOpenMetrics: true})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, moment := range f.moments {
			moment()
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}
