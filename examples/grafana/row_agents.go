// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/units"
)

// column is one measure of the table of agents.
type column struct {
	title string
	unit  string
	expr  string // one value for each agent
	steps []dashboard.Threshold
}

// agents finds the guilty one: a line for each agent, the worst first.
func agents() row {
	streams := func(ends string) string {
		return `sum by (agent) (increase(a2a_guard_streams_total{` + byMethod + `,end` + ends + `}[$__range]))`
	}
	each := func(metric string) string { return `sum by (agent) (increase(` + metric + `{` + ours + `}[$__range]))` }
	return row{"Which agent is it?", []panel{agentTable([]column{
		{
			title: "Clean ends", unit: units.PercentUnit, steps: betterAbove(0.95, 0.99),
			expr: `1 - (` + streams(`=~"`+unclean+`"`) + ` or 0 * ` + streams(`!=""`) + `) / (` + streams(`!~"`+foreign+`"`) + ` > 0)`,
		},
		{title: "Streams", unit: units.NoUnit, expr: streams(`!=""`)},
		{title: "Calls", unit: units.NoUnit, expr: `sum by (agent) (increase(a2a_guard_requests_total{` + byMethod + `}[$__range]))`},
		{title: "Violations", unit: units.NoUnit, expr: each("a2a_guard_violations_total"), steps: worseAbove(1, 100)},
		{title: "Dropped events", unit: units.NoUnit, expr: each("a2a_guard_events_dropped_total"), steps: worseAbove(1, 100)},
		{
			title: "First event, 95 %", unit: seconds,
			expr: `histogram_quantile(0.95, sum by (le, agent) (rate(a2a_guard_stream_first_event_seconds_bucket{` + ours + `}[$__range])))`,
		},
		{title: "Unanswered", unit: units.NoUnit, expr: each("a2a_guard_upstream_errors_total"), steps: worseAbove(1, 20)},
	})}}
}

func agentTable(columns []column) panel {
	return panel{func(id uint32) cog.Builder[dashboard.Panel] {
		p := table.NewPanelBuilder().Id(id).
			Title("Agents compared").
			Description("Over the time shown. A click on an agent shows it alone.").
			Datasource(source).
			Height(6).Span(24).
			Footer(common.NewTableFooterOptionsBuilder().Show(false).Reducer([]string{})).
			SortBy([]cog.Builder[common.TableSortByFieldState]{
				common.NewTableSortByFieldStateBuilder().DisplayName(columns[0].title),
			})
		names := map[string]string{"agent": "Agent"}
		order := map[string]int{"agent": 0}
		for i, c := range columns {
			p.WithTarget(prometheus.NewDataqueryBuilder().
				Datasource(source).RefId(refID(i)).Expr(c.expr).
				Instant().Format(prometheus.PromQueryFormatTable))
			value := fmt.Sprintf("Value #%s", refID(i))
			names[value], order[value] = c.title, i+1
			p.OverrideByName(c.title, c.properties())
		}
		p.OverrideByName("Agent", []dashboard.DynamicConfigValue{{
			Id: "links", Value: []any{map[string]any{
				"title": "this agent alone",
				"url":   "/d/a2a-guard?var-agent=${__value.text}&${__url_time_range}",
			}},
		}})
		return p.
			WithTransformation(dashboard.DataTransformerConfig{Id: "merge", Options: map[string]any{}}).
			WithTransformation(dashboard.DataTransformerConfig{Id: "organize", Options: map[string]any{
				"excludeByName": map[string]bool{"Time": true}, "indexByName": order, "renameByName": names,
			}})
	}}
}

// properties are how a column looks.
func (c column) properties() []dashboard.DynamicConfigValue {
	decimals := 0
	if c.unit != units.NoUnit {
		decimals = 2
	}
	looks := []dashboard.DynamicConfigValue{{Id: "unit", Value: c.unit}, {Id: "decimals", Value: decimals}}
	if c.steps != nil {
		looks = append(looks,
			dashboard.DynamicConfigValue{Id: "thresholds", Value: map[string]any{"mode": "absolute", "steps": c.steps}},
			dashboard.DynamicConfigValue{Id: "color", Value: map[string]any{"mode": "thresholds"}},
			dashboard.DynamicConfigValue{Id: "custom.cellOptions", Value: map[string]any{"type": "color-background", "mode": "basic"}})
	}
	return looks
}
