// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
	"github.com/grafana/grafana-foundation-sdk/go/units"
)

// row is a headline and the panels below it, left to right; Grafana's grid is
// 24 columns wide.
type row struct {
	title  string
	panels []panel
}

// panel is a panel that has no number yet.
type panel struct {
	numbered func(id uint32) cog.Builder[dashboard.Panel]
}

// query is one question to Prometheus.
type query struct {
	expr   string
	legend string // a template of label names
}

func (q query) over(time bool) *prometheus.DataqueryBuilder {
	target := prometheus.NewDataqueryBuilder().Datasource(source).Expr(q.expr).LegendFormat(q.legend)
	if time {
		return target.Range()
	}
	return target.Instant()
}

// figure is a panel with one number, judged by its thresholds.
type figure struct {
	title, description string
	unit               string
	decimals           float64
	width              uint32
	noValue            string // what an empty answer means
	query              query
	steps              []dashboard.Threshold
}

func (f figure) panel() panel {
	return panel{func(id uint32) cog.Builder[dashboard.Panel] {
		return stat.NewPanelBuilder().Id(id).
			Title(f.title).Description(f.description).
			Datasource(source).
			Height(4).Span(f.width).
			Unit(f.unit).Decimals(f.decimals).NoValue(f.noValue).
			Thresholds(dashboard.NewThresholdsConfigBuilder().Mode(dashboard.ThresholdsModeAbsolute).Steps(f.steps)).
			ColorScheme(dashboard.NewFieldColorBuilder().Mode(dashboard.FieldColorModeIdThresholds)).
			ColorMode(common.BigValueColorModeBackground).
			Orientation(common.VizOrientationAuto).
			GraphMode(common.BigValueGraphModeNone).
			ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"})).
			WithTarget(f.query.over(false).RefId("A"))
	}}
}

// graph is a panel with lines over time.
type graph struct {
	title, description string
	unit               string
	width, height      uint32
	stacked            bool
	logarithmic        bool
	exemplars          bool
	colors             map[string]string // of the series whose colour has a meaning
	queries            []query
}

func (g graph) panel() panel {
	return panel{func(id uint32) cog.Builder[dashboard.Panel] {
		p := timeseries.NewPanelBuilder().Id(id).
			Title(g.title).Description(g.description).
			Datasource(source).
			Height(g.height).Span(g.width).
			Unit(g.unit).
			LineWidth(1).
			FillOpacity(10).
			ShowPoints(common.VisibilityModeNever).
			Legend(common.NewVizLegendOptionsBuilder().
				ShowLegend(true).
				DisplayMode(common.LegendDisplayModeList).
				Placement(common.LegendPlacementBottom)).
			Tooltip(common.NewVizTooltipOptionsBuilder().
				Mode(common.TooltipDisplayModeMulti).
				Sort(common.SortOrderDescending))
		if g.logarithmic {
			p.ScaleDistribution(common.NewScaleDistributionConfigBuilder().Type(common.ScaleDistributionLog).Log(10))
		} else {
			p.Min(0)
		}
		if g.stacked {
			p.Stacking(common.NewStackingConfigBuilder().Mode(common.StackingModeNormal).Group("A")).FillOpacity(60)
		}
		for i, q := range g.queries {
			p.WithTarget(q.over(true).RefId(refID(i)).Exemplar(g.exemplars))
		}
		for _, name := range sorted(g.colors) {
			p.OverrideByName(name, []dashboard.DynamicConfigValue{{
				Id: "color", Value: map[string]any{"mode": "fixed", "fixedColor": g.colors[name]},
			}})
		}
		return p
	}}
}

// refID names a panel's queries A, B, C.
func refID(i int) string { return string(rune('A' + i)) }

// good, fair and bad are the colours of judgements.
const (
	good = "green"
	fair = "yellow"
	bad  = "red"
	calm = "blue"
)

// neutral judges nothing.
func neutral() []dashboard.Threshold { return []dashboard.Threshold{{Color: calm}} }

// worseAbove judges a number that should be low.
func worseAbove(fairAt, badAt float64) []dashboard.Threshold {
	return []dashboard.Threshold{{Color: good}, {Value: &fairAt, Color: fair}, {Value: &badAt, Color: bad}}
}

// betterAbove judges a number that should be high.
func betterAbove(fairAt, goodAt float64) []dashboard.Threshold {
	return []dashboard.Threshold{{Color: bad}, {Value: &fairAt, Color: fair}, {Value: &goodAt, Color: good}}
}

const (
	perMinute = units.OpsPerMinute
	seconds   = units.Seconds
)
