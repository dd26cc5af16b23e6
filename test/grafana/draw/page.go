// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package draw

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"time"
)

// View is a dashboard over a time.
type View struct {
	*Dashboard
	Prometheus
	From, To time.Time
	Rates    time.Duration // the interval of rates
}

// One cell of Grafana's grid, in pixels, and the space between panels.
const (
	cellWidth, cellHeight = 66, 38
	gap                   = 8
	titleHeight           = 30
	legendHeight          = 22
)

// Width is the page's, in pixels.
const Width = 24*cellWidth + gap

// tile is a panel on the page.
type tile struct {
	Kind, Title, Text, Color string
	X, Y, W, H               int
	Graph                    template.HTML
	Lines                    []line
	Head                     []string
	Rows                     [][]cell
}

// cell is a value of a table.
type cell struct{ Text, Color string }

// Write draws the dashboard. It returns the height of the page, in pixels.
func (v View) Write(ctx context.Context, w io.Writer) (height int, err error) {
	var marks []mark
	for _, annotation := range v.Annotations.List {
		times, err := v.Between(ctx, v.fill(annotation.Expr), v.From, v.To, v.step())
		if err != nil {
			return 0, err
		}
		for _, series := range times {
			for _, point := range series.Points {
				marks = append(marks, mark{point.Value / 1000, annotation.IconColor})
			}
		}
	}
	slices.SortFunc(marks, func(a, b mark) int { return cmp.Compare(a.at, b.at) })
	marks = slices.CompactFunc(marks, func(a, b mark) bool { return int(a.at) == int(b.at) })

	const toolbar = 2 * cellHeight
	var tiles []tile
	for _, panel := range v.Panels {
		t := tile{
			Kind: panel.Type, Title: panel.Title,
			X: gap + panel.GridPos.X*cellWidth, Y: toolbar + panel.GridPos.Y*cellHeight,
			W: panel.GridPos.W*cellWidth - gap, H: panel.GridPos.H*cellHeight - gap,
		}
		switch panel.Type {
		case "stat":
			err = v.figure(ctx, panel, &t)
		case "table":
			err = v.table(ctx, panel, &t)
		case "timeseries":
			err = v.graph(ctx, panel, &t, marks)
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %w", panel.Title, err)
		}
		tiles = append(tiles, t)
		height = max(height, t.Y+t.H+gap)
	}
	return height, page.Execute(w, map[string]any{
		"Title": v.Title, "Tiles": tiles, "Height": height, "Width": Width,
		"Variables": v.Templating.List,
		"Time":      v.From.Format("2006-01-02 15:04") + " to " + v.To.Format("15:04"),
	})
}

func (v View) fill(expr string) string { return Fill(expr, v.To.Sub(v.From), v.Rates) }

// step is the time between two points of a line.
func (v View) step() time.Duration {
	return max(time.Second, (v.To.Sub(v.From) / 240).Truncate(time.Second))
}

func (v View) figure(ctx context.Context, panel *Panel, t *tile) error {
	looks := panel.FieldConfig.Defaults
	values, err := v.Now(ctx, v.fill(panel.Targets[0].Expr))
	if err != nil || len(values) == 0 {
		t.Text = looks.NoValue
		return err
	}
	value := values[0].Points[0].Value
	if looks.Unit == "none" && looks.Decimals == nil {
		looks.Decimals = new(0)
	}
	t.Text, t.Color = format(value, looks.Unit, looks.Decimals), judge(value, looks.Thresholds.Steps)
	return nil
}

func (v View) graph(ctx context.Context, panel *Panel, t *tile, marks []mark) error {
	looks := panel.FieldConfig.Defaults
	g := &graph{
		from: v.From, to: v.To, step: v.step(),
		width: float64(t.W - 20), height: float64(t.H - titleHeight),
		unit: looks.Unit, stacked: looks.Custom.Stacking.Mode == "normal", isLog: looks.Custom.ScaleDistribution.Type == "log",
		marks: marks,
	}
	fixed := make(map[string]string)
	for _, override := range panel.FieldConfig.Overrides {
		for _, property := range override.Properties {
			var value struct{ FixedColor string }
			if property.ID == "color" && json.Unmarshal(property.Value, &value) == nil {
				fixed[fmt.Sprint(override.Matcher.Options)] = color(value.FixedColor)
			}
		}
	}
	for _, target := range panel.Targets {
		answer, err := v.Between(ctx, v.fill(target.Expr), v.From, v.To, g.step)
		if err != nil {
			return err
		}
		for _, series := range answer {
			l := line{Name: legend(target.LegendFormat, series.Labels), points: make(map[int]float64)}
			l.Color = cmp.Or(fixed[l.Name], palette[len(g.lines)%len(palette)])
			for _, point := range series.Points {
				l.points[int((point.At-float64(v.From.Unix()))/g.step.Seconds()+0.5)] = point.Value
			}
			g.lines = append(g.lines, l)
		}
	}
	characters := 0
	for _, l := range g.lines {
		characters += len(l.Name) + 5
	}
	g.height -= float64(legendHeight * (1 + characters*7/t.W))
	t.Graph, t.Lines = g.svg(), g.lines
	return nil
}

func (v View) table(ctx context.Context, panel *Panel, t *tile) error {
	byAgent := make(map[string]map[string]float64)
	for _, target := range panel.Targets {
		answer, err := v.Now(ctx, v.fill(target.Expr))
		if err != nil {
			return err
		}
		for _, series := range answer {
			row := series.Labels["agent"]
			if byAgent[row] == nil {
				byAgent[row] = make(map[string]float64)
			}
			byAgent[row]["Value #"+target.RefID] = series.Points[0].Value
		}
	}
	organize := panel.Transformations[len(panel.Transformations)-1].Options
	columns := slices.SortedFunc(maps.Keys(organize.IndexByName), func(a, b string) int {
		return organize.IndexByName[a] - organize.IndexByName[b]
	})
	for _, column := range columns {
		t.Head = append(t.Head, organize.RenameByName[column])
	}
	for _, agent := range slices.Sorted(maps.Keys(byAgent)) {
		row := []cell{{Text: agent}}
		for i, column := range columns[1:] {
			text := cell{Text: ""}
			if value, ok := byAgent[agent][column]; ok {
				looks := panel.looks(t.Head[i+1])
				text = cell{format(value, looks.Unit, looks.Decimals), judge(value, looks.Thresholds.Steps)}
			}
			row = append(row, text)
		}
		t.Rows = append(t.Rows, row)
	}
	return nil
}

// looks are a column's.
func (p *Panel) looks(column string) (f Field) {
	for _, override := range p.FieldConfig.Overrides {
		if override.Matcher.Options != column {
			continue
		}
		for _, property := range override.Properties {
			target := map[string]any{"unit": &f.Unit, "decimals": &f.Decimals, "thresholds": &f.Thresholds}[property.ID]
			if target != nil && json.Unmarshal(property.Value, target) != nil {
				f.Unit = "?"
			}
		}
	}
	return f
}

var page = template.Must(template.New("page").Parse(`<!doctype html>
<meta charset="utf-8"><title>{{.Title}}</title>
<style>
body { margin: 0; background: #111217; color: #ccccdc; font: 13px "DejaVu Sans", sans-serif; width: {{.Width}}px; height: {{.Height}}px; position: relative }
header { position: absolute; left: 8px; right: 8px; top: 14px; display: flex; gap: 10px; align-items: center }
header b { font-size: 18px; margin-right: 14px } header i { margin-left: auto; font-style: normal }
header span { background: #181b1f; border: 1px solid #34363d; padding: 5px 9px; border-radius: 2px }
header em { font-style: normal; color: #6e9fff; margin-right: 7px }
section { position: absolute; background: #181b1f; border: 1px solid #24262d; border-radius: 2px; box-sizing: border-box; overflow: hidden }
section.row { background: none; border: none; font-size: 16px; padding: 2px 2px } section.row h2:before { content: "⌄ "; color: #8e8e9c }
h2 { font-size: 13px; font-weight: 500; margin: 7px 10px; height: 16px; white-space: nowrap } .row h2 { font-size: 16px; margin: 2px; height: auto }
.stat p { position: absolute; inset: 0; margin: 0; display: flex; align-items: center; justify-content: center; font-size: 44px; font-weight: 600; color: #fff; padding-top: 14px }
.stat h2 { position: relative; z-index: 1; color: #fff }
svg { display: block; margin-left: 6px } svg text { fill: #9a9aa8; font-size: 11px } .grid { stroke: #2a2c33 }
ul { list-style: none; margin: 3px 10px; padding: 0; display: flex; flex-wrap: wrap; gap: 2px 12px; font-size: 11px; line-height: 18px }
ul i { display: inline-block; width: 14px; height: 4px; border-radius: 2px; margin-right: 5px; vertical-align: middle }
table { border-collapse: collapse; width: 100% } td, th { text-align: right; padding: 6px 10px; border-top: 1px solid #2a2c33; font-weight: 400 }
th { color: #6e9fff } td:first-child, th:first-child { text-align: left } td.on { color: #fff }
</style>
<header><b>{{.Title}}</b>{{range .Variables}}<span><em>{{.Label}}</em>{{if eq .Type "datasource"}}default{{else}}All{{end}}</span>{{end}}<i>{{.Time}}</i></header>
{{range .Tiles}}<section class="{{.Kind}}" style="left:{{.X}}px;top:{{.Y}}px;width:{{.W}}px;height:{{.H}}px{{if .Color}};background:{{.Color}}{{end}}"><h2>{{.Title}}</h2>
{{- if .Text}}<p>{{.Text}}</p>{{end}}{{.Graph}}
{{- if .Lines}}<ul>{{range .Lines}}<li><i style="background:{{.Color}}"></i>{{.Name}}</li>{{end}}</ul>{{end}}
{{- if .Head}}<table><tr>{{range .Head}}<th>{{.}}</th>{{end}}</tr>{{range .Rows}}<tr>{{range .}}<td{{if .Color}} class="on" style="background:{{.Color}}"{{end}}>{{.Text}}</td>{{end}}</tr>{{end}}</table>{{end}}</section>
{{end}}`))
