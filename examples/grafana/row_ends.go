// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import "github.com/grafana/grafana-foundation-sdk/go/units"

// endColors tell at a glance what a stream's end means: green and blue are
// fine, red and orange are the agent's fault, grey and purple nobody's.
var endColors = map[string]string{
	"terminal": "green", "message": "light-green", "interrupted": "blue", "error": "yellow",
	"missing_final": "red", "upstream_abort": "dark-red",
	"first_event_timeout": "orange", "idle_timeout": "dark-orange", "max_duration": "light-orange",
	"client_gone": "#8e8e8e", "shutdown": "purple",
}

// cleanEnds answers the question that operators are asked: do clients get ends
// that they can work with?
func cleanEnds() row {
	return row{"Are clients getting clean ends?", []panel{
		figure{
			title: "Clean ends", width: 6, unit: units.PercentUnit, decimals: 2, noValue: "no streams",
			description: "Streams that the agent ended as the protocol wants, of all that it ended. Clients that left and shutdowns do not count.",
			query: query{expr: `1 - (sum(increase(a2a_guard_streams_total{` + byMethod + `,end=~"` + unclean + `"}[$__range])) or vector(0))` +
				` / (sum(increase(a2a_guard_streams_total{` + byMethod + `,end!~"` + foreign + `"}[$__range])) > 0)`},
			steps: betterAbove(0.95, 0.99),
		}.panel(),
		figure{
			title: "Unclean ends", width: 6, unit: units.NoUnit, noValue: "0",
			description: "Streams that the agent left without an end, in the time shown. The guard has settled them: clients got the task's real state or an error.",
			query:       query{expr: `sum(increase(a2a_guard_streams_total{` + byMethod + `,end=~"` + unclean + `"}[$__range])) or vector(0)`},
			steps:       worseAbove(1, 20),
		}.panel(),
		figure{
			title: "Violations", width: 6, unit: units.NoUnit, noValue: "0",
			description: "Broken rules, in the time shown.",
			query:       query{expr: `sum(increase(a2a_guard_violations_total{` + ours + `}[$__range])) or vector(0)`},
			steps:       worseAbove(1, 100),
		}.panel(),
		figure{
			title: "Streams in flight", width: 6, unit: units.NoUnit, noValue: "0",
			query: query{expr: `sum(a2a_guard_streams_active{` + byMethod + `})`},
			steps: neutral(),
		}.panel(),
		graph{
			title: "Ends of streams", width: 12, height: 9, unit: perMinute, stacked: true, colors: endColors,
			description: "How agents left their streams. Green and blue: a clean end. Red and orange: none, so the guard settled the stream. Grey: the client left.",
			queries:     []query{{perMinuteBy("end", `a2a_guard_streams_total{`+byMethod+`}`), "{{end}}"}},
		}.panel(),
		graph{
			title: "Violations by rule", width: 12, height: 9, unit: perMinute, stacked: true,
			description: "Rules and what they spare: docs/rules.md.",
			queries:     []query{{perMinuteBy("rule", `a2a_guard_violations_total{`+ours+`}`), "{{rule}}"}},
		}.panel(),
		graph{
			title: "Streams in flight", width: 12, height: 7, unit: units.NoUnit,
			queries: []query{{`sum by (method) (a2a_guard_streams_active{` + byMethod + `})`, "{{method}}"}},
		}.panel(),
		graph{
			title: "Unfinished and settled", width: 12, height: 7, unit: perMinute,
			description: "Streams without an end, and what the guard made of them after it had asked the agent.",
			queries: []query{
				{`60 * sum(rate(a2a_guard_streams_total{` + byMethod + `,end=~"` + unclean + `"}[$__rate_interval]))`, "unfinished"},
				{perMinuteBy("result", `a2a_guard_settlements_total{`+ours+`}`), "settled: {{result}}"},
			},
			colors: map[string]string{"unfinished": bad},
		}.panel(),
	}}
}
