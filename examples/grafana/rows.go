// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import "github.com/grafana/grafana-foundation-sdk/go/units"

// latency shows what clients wait for. Its dots are exemplars: each leads to
// the trace of one call.
func latency() row {
	timed := func(title, description string, queries ...query) panel {
		return graph{
			title: title, description: description, width: 8, height: 8,
			unit: seconds, logarithmic: true, exemplars: true, queries: queries,
		}.panel()
	}
	return row{"What do clients wait for?", []panel{
		timed("First event", "From the request to the first event of its stream.",
			spread("a2a_guard_stream_first_event_seconds", ours)...),
		timed("Gap between events", "The longest a client sits before a silent stream; at idle_timeout the guard ends it.",
			spread("a2a_guard_stream_event_gap_seconds", ours)...),
		timed("Calls until a task rests, 95 % by state", "From a call to the state that it left its task in: final, or waiting for the client.",
			query{quantile(0.95, "a2a_guard_task_duration_seconds", ours, ", state"), "{{state}}"}),
		timed("Whole streams", "How long streams were open.",
			spread("a2a_guard_stream_duration_seconds", ours)...),
		timed("Calls, 95 % by method", "A call to its last byte; of streams, to their end.",
			query{quantile(0.95, "a2a_guard_request_duration_seconds", byMethod, ", method"), "{{method}}"}),
		graph{
			title: "Where tasks come to rest", width: 8, height: 8, unit: perMinute, stacked: true,
			colors:  map[string]string{"completed": good, "failed": bad, "canceled": "orange", "rejected": "dark-red", "input-required": "light-blue", "auth-required": "purple"},
			queries: []query{{perMinuteBy("state", `a2a_guard_task_states_total{`+ours+`,state!~"submitted|working"}`), "{{state}}"}},
		}.panel(),
	}}
}

// traffic shows who asks for what.
func traffic() row {
	counted := func(title string, queries ...query) panel {
		return graph{title: title, width: 6, height: 8, unit: perMinute, stacked: true, queries: queries}.panel()
	}
	requests := `a2a_guard_requests_total{` + byMethod + `}`
	return row{"What is asked?", []panel{
		counted("Calls by method", query{perMinuteBy("method", requests), "{{method}}"}),
		counted("Calls by version and binding", query{perMinuteBy("version, binding", requests), "{{version}} {{binding}}"}),
		graph{
			title: "Calls by outcome", width: 6, height: 8, unit: perMinute, stacked: true,
			description: "error: the agent's own. refused: by the guard, before the agent. replaced: the guard answered, or ended the stream, in the agent's place. upstream_error: no usable answer came.",
			colors: map[string]string{
				"ok": good, "error": fair, "refused": "purple", "replaced": "orange", "upstream_error": bad, "client_gone": "#8e8e8e",
			},
			queries: []query{{perMinuteBy("outcome", requests), "{{outcome}}"}},
		}.panel(),
		counted("Events by kind", query{perMinuteBy("kind", `a2a_guard_stream_events_total{`+ours+`}`), "{{kind}}"}),
	}}
}

// remedies shows what the guard did for its clients, and what it could not.
func remedies() row {
	counted := func(title, description string, queries ...query) panel {
		return graph{title: title, description: description, width: 6, height: 8, unit: perMinute, stacked: true, queries: queries}.panel()
	}
	return row{"What did the guard do?", []panel{
		counted("Violations by action", "would_ actions are of rules that are only observed.",
			query{perMinuteBy("action", `a2a_guard_violations_total{`+ours+`}`), "{{action}}"}),
		counted("Dropped events by rule", "Events that clients did not get.",
			query{perMinuteBy("rule", `a2a_guard_events_dropped_total{`+ours+`}`), "{{rule}}"}),
		counted("Written by the guard", "Frames and answers of the guard's own.",
			query{perMinuteBy("kind", `a2a_guard_synthesized_total{`+ours+`}`), "{{kind}}"}),
		counted("Notices by rule", "Rules that official SDKs break in ordinary use: nothing to do.",
			query{perMinuteBy("rule", `a2a_guard_notices_total{`+ours+`}`), "{{rule}}"}),
	}}
}

// ownCost shows what the guard takes, and whether agents can be reached.
func ownCost() row {
	ofGuards := func(metric string) string {
		return metric + `{namespace=~"$namespace",pod=~"$pod"} and on (instance) a2a_guard_tasks_tracked{` + ours + `}`
	}
	return row{"What does it cost, and do agents answer?", []panel{
		graph{
			title: "Guard's own time", width: 6, height: 8, unit: seconds, logarithmic: true,
			description: "What the guard itself takes of a call, all its events included; and on the average of each event.",
			queries: append(spread("a2a_guard_inspect_seconds", ours), query{
				`sum(rate(a2a_guard_inspect_seconds_sum{` + ours + `}[$__rate_interval]))` +
					` / (sum(rate(a2a_guard_stream_events_total{` + ours + `}[$__rate_interval])) + sum(rate(a2a_guard_requests_total{` + ours + `}[$__rate_interval])))`,
				"per event",
			}),
		}.panel(),
		graph{
			title: "CPU", width: 3, height: 8, unit: units.NoUnit,
			description: "Cores that the guard's process uses.",
			queries:     []query{{`sum by (instance) (rate(process_cpu_seconds_total{namespace=~"$namespace",pod=~"$pod"}[$__rate_interval]) and on (instance) a2a_guard_tasks_tracked{` + ours + `})`, "{{instance}}"}},
		}.panel(),
		graph{
			title: "Memory", width: 3, height: 8, unit: units.BytesSI,
			queries: []query{{ofGuards("process_resident_memory_bytes"), "{{instance}}"}},
		}.panel(),
		graph{
			title: "Tasks remembered", width: 3, height: 8, unit: units.NoUnit,
			queries: []query{{`sum by (agent) (a2a_guard_tasks_tracked{` + ours + `})`, "{{agent}}"}},
		}.panel(),
		graph{
			title: "Size of events", width: 3, height: 8, unit: units.BytesSI, logarithmic: true,
			queries: []query{
				{quantile(0.5, "a2a_guard_event_bytes", ours, ""), "median"},
				{quantile(0.99, "a2a_guard_event_bytes", ours, ""), "99 %"},
			},
		}.panel(),
		graph{
			title: "Agents that did not answer", width: 6, height: 8, unit: perMinute, stacked: true,
			description: "Calls for which the guard had no answer of the agent's, by reason.",
			queries:     []query{{perMinuteBy("agent, reason", `a2a_guard_upstream_errors_total{`+ours+`}`), "{{agent}}: {{reason}}"}},
		}.panel(),
	}}
}
