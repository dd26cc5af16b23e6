// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package draw

import (
	"math"
	"testing"
	"time"
)

func TestValuesReadAsGrafanaWritesThem(t *testing.T) {
	for _, test := range []struct {
		value    float64
		unit     string
		decimals *int
		want     string
	}{
		{0.98765, "percentunit", new(2), "98.77%"},
		{0.00002, "s", nil, "20 µs"},
		{0.25, "s", nil, "250 ms"},
		{1.5, "s", new(2), "1.50 s"},
		{90, "s", nil, "1.5 min"},
		{0, "s", nil, "0 s"},
		{1500, "opm", nil, "1.5 K/min"},
		{52_000_000, "decbytes", nil, "52 MB"},
		{1203.4, "none", new(0), "1203"},
	} {
		if got := format(test.value, test.unit, test.decimals); got != test.want {
			t.Errorf("%g in %s: got %q, want %q", test.value, test.unit, got, test.want)
		}
	}
}

func TestThresholdsBeginAtTheirValue(t *testing.T) {
	steps := []Step{{nil, "red"}, {new(0.95), "yellow"}, {new(0.99), "green"}}
	for value, want := range map[float64]string{0.5: "red", 0.95: "yellow", 0.98: "yellow", 1: "green"} {
		if got := judge(value, steps); got != color(want) {
			t.Errorf("%g is judged %s, want %s", value, got, want)
		}
	}
}

func TestStackedLinesLieOnEachOther(t *testing.T) {
	from := time.Unix(0, 0)
	g := &graph{
		from: from, to: from.Add(2 * time.Second), step: time.Second, width: 200, height: 100, stacked: true,
		lines: []line{
			{points: map[int]float64{0: 1, 1: 1, 2: 1}},
			{points: map[int]float64{0: 3, 2: 3}},
		},
	}
	g.svg()
	if g.top < 4 || g.bottom != 0 {
		t.Errorf("the axis runs from %g to %g, want 0 to 4 or more", g.bottom, g.top)
	}
}

func TestLogarithmicAxesEndAtPowersOfTen(t *testing.T) {
	g := &graph{height: 100, isLog: true, bottom: 0.03, top: 20}
	if ticks := g.scale(); math.Abs(ticks[0]-0.01) > 1e-9 || math.Abs(ticks[len(ticks)-1]-100) > 1e-9 {
		t.Errorf("ticks are %v", ticks)
	}
}
