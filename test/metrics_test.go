// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/metrics"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// counted is a site whose guard has a name, with the process's metrics at /metrics.
func counted(address, name string, options ...string) string {
	return "metrics /metrics\n" + reaching(address, append(options, "metrics on", "name "+name)...)
}

// scrape returns the series of the guard with a name: the value of each counter and
// gauge, the count of each histogram.
func (c *client) scrape(name string) map[string]float64 {
	c.t.Helper()
	answer := c.get(http.MethodGet, "/metrics")
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(answer.rest()))
	if err != nil {
		c.t.Fatal(err)
	}
	series := make(map[string]float64)
	for _, family := range families {
		metric, ours := strings.CutPrefix(family.GetName(), "a2a_guard_")
		for _, m := range family.GetMetric() {
			labels, owner := labelsOf(m)
			if !ours || owner != name {
				continue
			}
			value := m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
			series[metric+"{"+labels+"}"] = value
		}
	}
	return series
}

// labelsOf writes a series' labels, but for the agent's.
func labelsOf(m *dto.Metric) (labels, agent string) {
	var pairs []string
	for _, l := range m.GetLabel() {
		if l.GetName() == "agent" {
			agent = l.GetValue()
		} else {
			pairs = append(pairs, l.GetName()+"="+l.GetValue())
		}
	}
	return strings.Join(pairs, ","), agent
}

func TestMetricsTellOfCallsAndOutliveAReload(t *testing.T) {
	a := startAgent(t)
	site := counted(a.address, "metered")
	s := serve(t, site)
	c := s.client(t, h1)
	for range 2 {
		asked := c.asks(streamCall)
		a.next(t).stream().say(taskFrame, doneFrame, frame(`"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"late","parts":[{"text":"x"}]}}`)).end()
		head(t, asked).rest()
		s.load(t, site+"\n#")
		c = s.client(t, h1) // the old server closes its connections
	}
	asked := c.asks(streamCall)
	a.next(t).stream().say(taskFrame).end()
	a.next(t).json(`{"jsonrpc":"2.0","id":"q1","result":` + doneTask + `}`)
	head(t, asked).rest()
	c.post("{bad").rest()
	asked = c.asks(getCall)
	a.next(t).json(`{"jsonrpc":"2.0","id":"q1","error":{"code":-32001,"message":"no such task"}}`)
	head(t, asked).rest()
	open := c.asks(streamCall)
	call := a.next(t).stream().say(taskFrame)
	client := head(t, open)
	client.expect(taskFrame)

	want := map[string]float64{
		"requests_total{binding=jsonrpc,method=send_streaming_message,outcome=ok,version=1.0}":       2,
		"requests_total{binding=jsonrpc,method=send_streaming_message,outcome=replaced,version=1.0}": 1,
		"requests_total{binding=jsonrpc,method=other,outcome=refused,version=0.3}":                   1,
		"requests_total{binding=jsonrpc,method=get_task,outcome=error,version=1.0}":                  1,
		"request_duration_seconds{binding=jsonrpc,method=send_streaming_message}":                    3,
		"request_duration_seconds{binding=jsonrpc,method=other}":                                     1,
		"request_duration_seconds{binding=jsonrpc,method=get_task}":                                  1,
		"inspect_seconds{}": 5,
		"streams_total{end=terminal,method=send_streaming_message}":      2,
		"streams_total{end=missing_final,method=send_streaming_message}": 1,
		"streams_active{method=send_streaming_message}":                  1,
		"stream_duration_seconds{}":                                      3,
		"stream_first_event_seconds{}":                                   4,
		"stream_events_total{kind=task}":                                 4,
		"stream_events_total{kind=status}":                               2,
		"violations_total{action=end,rule=missing-final-status}":         1,
		"violations_total{action=reject,rule=jsonrpc-envelope}":          1,
		"synthesized_total{kind=status}":                                 1,
		"settlements_total{result=real}":                                 1,
		"task_states_total{state=working}":                               4,
		"task_states_total{state=completed}":                             3,
		"task_duration_seconds{state=completed}":                         3,
	}
	got := c.scrape("metered")
	for series, value := range want {
		if got[series] != value {
			t.Errorf("%s is %v, want %v", series, got[series], value)
		}
	}
	if t.Failed() {
		for _, series := range slices.Sorted(maps.Keys(got)) {
			t.Log(series, got[series])
		}
	}
	call.say(doneFrame).end()
	client.rest()
}

// closed are the values that labels may have, but for the agent's.
var closed = map[string]map[string]bool{
	"binding": {"jsonrpc": true, "http_json": true},
	"version": {"1.0": true, "0.3": true},
	"method":  names(a2a.OperationCount),
	"kind":    names(a2a.KindCount),
	"state":   names(a2a.StateCount),
	"rule":    names(policy.RuleCount),
	"end":     names(guard.EndCount),
	"result":  names(guard.SettlementCount),
	"outcome": names(metrics.ClientGone + 1),
	"reason":  names(metrics.HTTPStatus + 1),
	"action":  decisionNames(),
}

func names[E interface {
	~uint8
	fmt.Stringer
}](count E) map[string]bool {
	all := make(map[string]bool)
	for i := range count {
		all[i.String()] = true
	}
	return all
}

func decisionNames() map[string]bool {
	all := names(policy.Action(policy.ActionCount))
	for would := range policy.Action(policy.ActionCount) {
		all[policy.Decision{Do: policy.Observe, Would: would}.String()] = true
	}
	return all
}

func TestNoSeriesIsBornOfWhatIsSent(t *testing.T) {
	a := answering(t, func(w http.ResponseWriter, r *http.Request) {
		odd := r.Header.Get("X-Odd")
		w.Header().Set("Content-Type", "text/event-stream")
		for _, payload := range []string{
			`"task":{"id":"` + odd + `","contextId":"` + odd + `","status":{"state":"` + odd + `"}}`,
			`"` + odd + `":{}`,
			`"artifactUpdate":{"taskId":"` + odd + `","contextId":"` + odd + `","artifact":{"artifactId":"` + odd + `","parts":[{"text":"` + odd + `"}]}}`,
			`"statusUpdate":{"taskId":"` + odd + `","contextId":"` + odd + `","status":{"state":"TASK_STATE_FAILED"}}`,
		} {
			_, _ = io.WriteString(w, frame(payload))
		}
	})
	s := serve(t, counted(a.address, "besieged"))
	c := s.client(t, h1)
	for i := range 30 {
		odd := fmt.Sprintf("odd-%d", i)
		set := func(r *http.Request) {
			r.Header.Set("X-Odd", odd)
			r.Header.Set("A2A-Version", "9."+odd)
			r.Header.Set("traceparent", odd)
			r.Header.Set("X-Request-Id", odd)
		}
		for _, call := range []string{
			streamCall,
			strings.Replace(streamCall, "m1", odd, 1),
			`{"jsonrpc":"2.0","id":"` + odd + `","method":"` + odd + `","params":{}}`,
			`{"jsonrpc":"2.0","id":"` + odd + `","method":"GetTask","params":{"id":"` + odd + `","tenant":"` + odd + `"}}`,
			`{"jsonrpc":"` + odd + `","id":{"` + odd + `":1},"method":"tasks/get"`,
		} {
			c.post(call, set).rest()
		}
	}
	series := c.scrape("besieged")
	if len(series) < 10 || len(series) > 60 {
		t.Errorf("there are %d series", len(series))
	}
	for name := range series {
		_, labels, _ := strings.Cut(strings.TrimSuffix(name, "}"), "{")
		for _, pair := range strings.FieldsFunc(labels, func(r rune) bool { return r == ',' }) {
			label, value, _ := strings.Cut(pair, "=")
			if !closed[label][value] {
				t.Errorf("%s has %s=%q", name, label, value)
			}
		}
	}
}

func TestNothingIsCountedUnlessItIsWanted(t *testing.T) {
	a := startAgent(t)
	s := serve(t, "metrics /metrics\n"+reaching(a.address, "name unmetered"))
	c := s.client(t, h1)
	c.post("{bad").rest()
	if series := c.scrape("unmetered"); len(series) > 0 {
		t.Errorf("%v", series)
	}
}
