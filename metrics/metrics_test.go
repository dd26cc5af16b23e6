// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package metrics_test

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/metrics"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

var began = time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)

func registered(t testing.TB) (*metrics.Set, *prometheus.Registry) {
	set, registry := metrics.New(), prometheus.NewPedanticRegistry()
	for range 2 { // the second configuration of a process finds them there
		if err := set.Register(registry); err != nil {
			t.Fatal(err)
		}
	}
	return set, registry
}

// exercise makes a series of every metric.
func exercise(a *metrics.Agent) {
	a.Call(&metrics.Call{
		Operation: a2a.SendMessage, Binding: a2a.REST, Dialect: a2a.V03, Outcome: metrics.Replaced,
		Took: 1500 * time.Millisecond, Inspected: 3 * time.Microsecond, State: a2a.Completed, Tasks: 7, Trace: "0af7651916cd43dd8448eb211c80319c",
	})
	a.Call(&metrics.Call{Operation: a2a.GetTask, Took: 20 * time.Millisecond, Tasks: 8})
	a.Fault(metrics.BrokenOff)
	a.State(a2a.InputRequired)
	a.State(a2a.Unspecified)
	a.Violation(&guard.Violation{Rule: policy.MissingFinal, Decision: policy.Decision{Do: policy.End, Would: policy.End}})
	a.Violation(&guard.Violation{Rule: policy.LateArtifact, Decision: policy.Decision{Do: policy.Observe, Would: policy.Drop}})
	a.Violation(&guard.Violation{Rule: policy.HistoryLengthSend, Decision: policy.Decision{Do: policy.Observe, Would: policy.Observe}})

	open := a.Stream(began, began.Add(100*time.Millisecond), a2a.SubscribeToTask, "")
	open.Verdict(began.Add(time.Second), &guard.Verdict{Raw: make([]byte, 100), Kind: a2a.Task, State: a2a.Submitted})
	s := a.Stream(began, began.Add(100*time.Millisecond), a2a.SendStreamingMessage, "")
	s.Verdict(began.Add(200*time.Millisecond), &guard.Verdict{Raw: make([]byte, 300), Kind: a2a.StatusUpdate, State: a2a.Working})
	s.Verdict(began.Add(700*time.Millisecond), &guard.Verdict{Raw: make([]byte, 300), Kind: a2a.StatusUpdate, State: a2a.Working})
	s.Verdict(began.Add(900*time.Millisecond), &guard.Verdict{
		Raw: make([]byte, 5000), Kind: a2a.ArtifactUpdate, Action: policy.Drop,
		Violations: []guard.Violation{{Rule: policy.ReturnImmediately, Decision: policy.Decision{Do: policy.Observe, Would: policy.Observe}}, {Rule: policy.LateArtifact, Decision: policy.Decision{Do: policy.Drop, Would: policy.Drop}}},
	})
	s.Verdict(began.Add(900*time.Millisecond), &guard.Verdict{Raw: make([]byte, 14), Action: policy.Drop}) // "[DONE]"
	s.Verdict(began.Add(time.Second), &guard.Verdict{Kind: a2a.Error, Reply: []byte("data: {}\n\n")})
	s.End(began.Add(2*time.Second), guard.EndMissingFinal, guard.SettledError)
	s.End(began.Add(3*time.Second), guard.EndTerminal, guard.Unsettled) // the first end counts
}

const counters = `
# HELP a2a_guard_events_dropped_total Events that were kept from clients, by the rule that they broke.
# TYPE a2a_guard_events_dropped_total counter
a2a_guard_events_dropped_total{agent="orders",rule="late-artifact"} 1
# HELP a2a_guard_notices_total Habits of legitimate agents and clients that depart from the letter of the protocol.
# TYPE a2a_guard_notices_total counter
a2a_guard_notices_total{agent="orders",rule="history-length"} 1
# HELP a2a_guard_requests_total A2A calls, by how they came out: ok, error (the agent's own protocol error), refused (by the guard, before the agent), replaced (the guard answered in the agent's place), upstream_error (no usable answer came), client_gone.
# TYPE a2a_guard_requests_total counter
a2a_guard_requests_total{agent="orders",binding="http_json",method="send_message",outcome="replaced",version="0.3"} 1
a2a_guard_requests_total{agent="orders",binding="jsonrpc",method="get_task",outcome="ok",version="1.0"} 1
# HELP a2a_guard_settlements_total What the guard made of streams without an end: real (the task's own state), canceled, error, failed, observed.
# TYPE a2a_guard_settlements_total counter
a2a_guard_settlements_total{agent="orders",result="error"} 1
# HELP a2a_guard_stream_events_total Events of the agent's on streams.
# TYPE a2a_guard_stream_events_total counter
a2a_guard_stream_events_total{agent="orders",kind="artifact"} 1
a2a_guard_stream_events_total{agent="orders",kind="none"} 1
a2a_guard_stream_events_total{agent="orders",kind="status"} 2
a2a_guard_stream_events_total{agent="orders",kind="task"} 1
# HELP a2a_guard_streams_active Event streams that are open.
# TYPE a2a_guard_streams_active gauge
a2a_guard_streams_active{agent="orders",method="send_streaming_message"} 0
a2a_guard_streams_active{agent="orders",method="subscribe_to_task"} 1
# HELP a2a_guard_streams_total Event streams, by how the agent left them.
# TYPE a2a_guard_streams_total counter
a2a_guard_streams_total{agent="orders",end="missing_final",method="send_streaming_message"} 1
# HELP a2a_guard_synthesized_total Events of the guard's own on streams.
# TYPE a2a_guard_synthesized_total counter
a2a_guard_synthesized_total{agent="orders",kind="error"} 1
# HELP a2a_guard_task_states_total States that tasks came to on event streams, and by messages and cancellations that were answered at once.
# TYPE a2a_guard_task_states_total counter
a2a_guard_task_states_total{agent="orders",state="input-required"} 1
a2a_guard_task_states_total{agent="orders",state="submitted"} 1
a2a_guard_task_states_total{agent="orders",state="working"} 1
# HELP a2a_guard_tasks_tracked Tasks that the guard remembers.
# TYPE a2a_guard_tasks_tracked gauge
a2a_guard_tasks_tracked{agent="orders"} 8
# HELP a2a_guard_upstream_errors_total Calls to which no usable answer came: refused (no connection), timeout, aborted (the connection broke), http_status.
# TYPE a2a_guard_upstream_errors_total counter
a2a_guard_upstream_errors_total{agent="orders",reason="aborted"} 1
# HELP a2a_guard_violations_total Broken protocol rules, by what was done: the action, would_ and the action where it was only observed.
# TYPE a2a_guard_violations_total counter
a2a_guard_violations_total{action="drop",agent="orders",rule="late-artifact"} 1
a2a_guard_violations_total{action="end",agent="orders",rule="missing-final-status"} 1
a2a_guard_violations_total{action="observe",agent="orders",rule="return-immediately"} 1
a2a_guard_violations_total{action="would_drop",agent="orders",rule="late-artifact"} 1
`

func TestCountersAndGauges(t *testing.T) {
	set, registry := registered(t)
	exercise(set.Agent("orders"))
	var names []string
	for line := range strings.Lines(counters) {
		if name, ok := strings.CutPrefix(line, "# HELP "); ok {
			names = append(names, name[:strings.Index(name, " ")])
		}
	}
	if err := testutil.GatherAndCompare(registry, strings.NewReader(counters), names...); err != nil {
		t.Error(err)
	}
}

func TestHistogramsAreNativeAndClassic(t *testing.T) {
	set, registry := registered(t)
	exercise(set.Agent("orders"))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]struct {
		count uint64
		sum   float64
	}{
		"a2a_guard_request_duration_seconds":   {2, 1.52},
		"a2a_guard_inspect_seconds":            {2, 3e-6},
		"a2a_guard_task_duration_seconds":      {1, 1.5},
		"a2a_guard_stream_duration_seconds":    {1, 1.9},
		"a2a_guard_stream_first_event_seconds": {2, 1.2},
		"a2a_guard_stream_event_gap_seconds":   {2, .7},
		"a2a_guard_event_bytes":                {5, 5714},
	}
	exemplars := 0
	for _, f := range families {
		expected, ok := want[f.GetName()]
		if !ok {
			continue
		}
		delete(want, f.GetName())
		var count uint64
		var sum float64
		for _, m := range f.GetMetric() {
			h := m.GetHistogram()
			count, sum = count+h.GetSampleCount(), sum+h.GetSampleSum()
			if h.Schema == nil || len(h.GetBucket()) < 9 {
				t.Errorf("%s has %d classic buckets, native schema %v", f.GetName(), len(h.GetBucket()), h.Schema)
			}
			for _, b := range h.GetBucket() {
				if e := b.GetExemplar(); e != nil && e.GetLabel()[0].GetName() == "trace_id" && e.GetLabel()[0].GetValue() == "0af7651916cd43dd8448eb211c80319c" {
					exemplars++
				}
			}
		}
		if count != expected.count || sum < expected.sum*.9999 || sum > expected.sum*1.0001 {
			t.Errorf("%s: %d values of %v together, want %d of %v", f.GetName(), count, sum, expected.count, expected.sum)
		}
	}
	if len(want) > 0 || exemplars != 2 {
		t.Errorf("missing: %v; %d exemplars lead to the trace, want 2", want, exemplars)
	}
}

func TestPrometheusHasNothingToSayAboutTheMetrics(t *testing.T) {
	set, registry := registered(t)
	exercise(set.Agent("orders"))
	problems, err := testutil.GatherAndLint(registry)
	if err != nil || len(problems) > 0 {
		t.Errorf("%v %v", problems, err)
	}
}

func TestNothingIsCountedWithoutAnAgent(t *testing.T) {
	var none *metrics.Agent
	if n := testing.AllocsPerRun(10, func() { exercise(none) }); n > 20 { // the verdicts that it makes
		t.Errorf("%v allocations", n)
	}
}

func TestCountingAllocatesNothing(t *testing.T) {
	set, _ := registered(t)
	a := set.Agent("orders")
	s := a.Stream(began, began, a2a.SendStreamingMessage, "")
	verdict := guard.Verdict{Raw: make([]byte, 300), Kind: a2a.ArtifactUpdate}
	call := metrics.Call{Operation: a2a.GetTask, Took: time.Millisecond, Inspected: time.Microsecond}
	once := func() {
		s.Verdict(began.Add(time.Millisecond), &verdict)
		a.Call(&call)
	}
	once() // series begin
	if n := testing.AllocsPerRun(100, once); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkEvent(b *testing.B) {
	set, _ := registered(b)
	s := set.Agent("orders").Stream(began, began, a2a.SendStreamingMessage, "")
	verdict := guard.Verdict{Raw: make([]byte, 300), Kind: a2a.ArtifactUpdate}
	b.ReportAllocs()
	for b.Loop() {
		s.Verdict(began.Add(time.Millisecond), &verdict)
	}
}

func BenchmarkCall(b *testing.B) {
	set, _ := registered(b)
	a := set.Agent("orders")
	call := metrics.Call{Operation: a2a.GetTask, Took: time.Millisecond, Inspected: time.Microsecond}
	b.ReportAllocs()
	for b.Loop() {
		a.Call(&call)
	}
}
