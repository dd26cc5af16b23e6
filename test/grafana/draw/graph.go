// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package draw

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"time"
)

// line is a series with its looks.
type line struct {
	Name, Color string
	points      map[int]float64 // by step
}

// graph is a panel with lines.
type graph struct {
	lines            []line
	from, to         time.Time
	step             time.Duration
	width, height    float64
	unit             string
	stacked, isLog   bool
	marks            []mark
	bottom, top      float64
	left, foot, head float64
}

// mark is a moment that the dashboard annotates.
type mark struct {
	at    float64
	color string
}

// svg draws the graph.
func (g *graph) svg() template.HTML {
	g.left, g.foot, g.head = 58, 20, 6
	steps := int(g.to.Sub(g.from) / g.step)
	base := make([]float64, steps+1)
	type shape struct{ over, under []float64 }
	shapes := make([]shape, len(g.lines))
	g.bottom, g.top = math.Inf(1), 0
	for i, l := range g.lines {
		over, under := make([]float64, steps+1), make([]float64, steps+1)
		for at := range over {
			value, ok := l.points[at]
			if !ok {
				over[at] = math.NaN()
				if g.stacked {
					over[at], under[at] = base[at], base[at]
				}
				continue
			}
			if g.stacked {
				under[at] = base[at]
				base[at] += value
				value = base[at]
			}
			over[at] = value
			g.top = max(g.top, value)
			if value > 0 {
				g.bottom = min(g.bottom, value)
			}
		}
		shapes[i] = shape{over, under}
	}
	ticks := g.scale()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg width="%.0f" height="%.0f">`, g.width, g.height)
	for _, tick := range ticks {
		y := g.y(tick)
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" class="grid"/><text x="%.1f" y="%.1f" text-anchor="end">%s</text>`,
			g.left, g.width, y, y, g.left-6, y+4, template.HTMLEscapeString(format(tick, g.unit, nil)))
	}
	every := max(1, int(g.to.Sub(g.from).Minutes()/max(2, math.Floor((g.width-g.left)/90))+0.5))
	for at := g.from.Truncate(time.Minute).Add(time.Minute); at.Before(g.to); at = at.Add(time.Minute) {
		if at.Minute()%every != 0 {
			continue
		}
		x := g.x(float64(at.Unix()))
		if x > g.width-16 {
			continue
		}
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" class="grid"/><text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`,
			x, x, g.head, g.height-g.foot, x, g.height-4, at.Format("15:04"))
	}
	for i, s := range shapes {
		b.WriteString(g.path(s.over, s.under, g.lines[i].Color))
	}
	for _, m := range g.marks {
		if x := g.x(m.at); x >= g.left {
			fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" stroke="%s" stroke-dasharray="4 3"/>`,
				x, x, g.head, g.height-g.foot, color(m.color))
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// path draws a line, and the area below it.
func (g *graph) path(over, under []float64, color string) string {
	opacity := 0.1
	if g.stacked {
		opacity = 0.6
	}
	var b strings.Builder
	for begin := 0; begin < len(over); {
		if math.IsNaN(over[begin]) {
			begin++
			continue
		}
		end := begin
		var there, back []string
		for ; end < len(over) && !math.IsNaN(over[end]); end++ {
			x := g.x(float64(g.from.Unix()) + float64(end)*g.step.Seconds())
			floor := under[end]
			if g.isLog {
				floor = g.bottom
			}
			there = append(there, fmt.Sprintf("%.1f,%.1f", x, g.y(over[end])))
			back = append(back, fmt.Sprintf("%.1f,%.1f", x, g.y(floor)))
		}
		slices.Reverse(back)
		line := strings.Join(there, " ")
		fmt.Fprintf(&b, `<polygon points="%s %s" fill="%s" fill-opacity="%.1f"/><polyline points="%s" fill="none" stroke="%s" stroke-width="1.3"/>`,
			line, strings.Join(back, " "), color, opacity, line, color)
		begin = end
	}
	return b.String()
}

// scale chooses the axis' ends and returns its ticks.
func (g *graph) scale() []float64 {
	if math.IsInf(g.bottom, 1) {
		g.bottom, g.top = 0.1, 1
	}
	var ticks []float64
	if g.isLog {
		low, high := math.Floor(math.Log10(g.bottom)), math.Ceil(math.Log10(g.top)+0.01)
		g.bottom, g.top = math.Pow(10, low), math.Pow(10, high)
		for e := low; e <= high; e++ {
			ticks = append(ticks, math.Pow(10, e))
		}
		return ticks
	}
	g.bottom = 0
	raw := max(g.top, 1e-9) * 1.1 / max(2, math.Floor((g.height-g.foot)/40))
	size := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, factor := range []float64{1, 2, 5, 10} {
		if size*factor >= raw {
			size *= factor
			break
		}
	}
	g.top = math.Ceil(g.top*1.05/size) * size
	for i := 0; float64(i)*size <= g.top*1.001; i++ {
		ticks = append(ticks, float64(i)*size)
	}
	return ticks
}

func (g *graph) x(at float64) float64 {
	from, to := float64(g.from.Unix()), float64(g.to.Unix())
	return g.left + (at-from)/(to-from)*(g.width-g.left)
}

func (g *graph) y(value float64) float64 {
	share := (value - g.bottom) / (g.top - g.bottom)
	if g.isLog {
		share = (math.Log10(max(value, g.bottom)) - math.Log10(g.bottom)) / (math.Log10(g.top) - math.Log10(g.bottom))
	}
	return g.height - g.foot - share*(g.height-g.foot-g.head)
}
