// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
)

// report is what a run tells.
type report struct {
	Command string   `json:"command"`
	System  string   `json:"system"`
	CPUs    int      `json:"cpus"`
	Go      string   `json:"go"`
	Pairs   int      `json:"pairs"`
	Window  string   `json:"window"`
	Rows    []figure `json:"scenarios"`
}

// figure is what came of one scenario. The cost is CPU seconds per event or call,
// or bytes of resident memory per idle stream.
type figure struct {
	Name    string  `json:"name"`
	Load    string  `json:"load"`
	Bare    half    `json:"bare"`
	Guarded half    `json:"guarded"`
	Ratio   spread  `json:"ratio"`
	Limit   float64 `json:"limit"`
	// LiveRatio is that of the memory that Go's runtime itself counts, for idle
	// streams only.
	LiveRatio *spread `json:"live_ratio,omitempty"`

	scenario scenario
}

// half is one side of a comparison: medians over all windows, and latencies, in
// seconds, of all events.
type half struct {
	Cost     float64 `json:"cost"`
	Live     float64 `json:"live,omitempty"`
	Count    int     `json:"count"`
	Resident float64 `json:"resident_bytes"`
	P50      float64 `json:"p50,omitempty"`
	P90      float64 `json:"p90,omitempty"`
	P99      float64 `json:"p99,omitempty"`
}

func newReport(args []string, o options, results []result) report {
	r := report{
		Command: strings.Join(append([]string{"go run ./test/load"}, args...), " "),
		System:  runtime.GOOS + "/" + runtime.GOARCH,
		CPUs:    runtime.NumCPU(),
		Go:      runtime.Version(),
		Pairs:   o.pairs,
		Window:  o.window.String(),
	}
	for _, result := range results {
		r.Rows = append(r.Rows, newFigure(result))
	}
	return r
}

func newFigure(r result) figure {
	f := figure{
		Name:     r.scenario.name,
		Load:     r.scenario.String(),
		Bare:     newHalf(r.bare),
		Guarded:  newHalf(r.guarded),
		Ratio:    ratios(r, func(s sample) float64 { return s.cost }),
		Limit:    r.scenario.limit,
		scenario: r.scenario,
	}
	if r.scenario.kind == idle {
		live := ratios(r, func(s sample) float64 { return s.live })
		f.LiveRatio = &live
	}
	return f
}

// ratios compares the windows pair by pair.
func ratios(r result, of func(sample) float64) spread {
	var values []float64
	for i := range r.bare {
		values = append(values, of(r.guarded[i])/of(r.bare[i]))
	}
	return spreadOf(values)
}

func newHalf(samples []sample) (h half) {
	var costs, lives, residents []float64
	var latencies histogram
	for i := range samples {
		s := &samples[i]
		costs = append(costs, s.cost)
		lives = append(lives, s.live)
		residents = append(residents, float64(s.resident))
		h.Count += s.count
		latencies.merge(&s.latencies)
	}
	h.Cost, h.Live, h.Resident = spreadOf(costs).Median, spreadOf(lives).Median, spreadOf(residents).Median
	h.P50 = latencies.percentile(0.50).Seconds()
	h.P90 = latencies.percentile(0.90).Seconds()
	h.P99 = latencies.percentile(0.99).Seconds()
	return h
}

func (r report) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	return e.Encode(r)
}

// writeTable writes Markdown.
func (r report) writeTable(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "`%s`: %s, %d CPUs, %s; median of %d pairs (smallest to largest).\n\n", r.Command, r.System, r.CPUs, r.Go, r.Pairs)
	b.WriteString("| load | measured | bare Caddy | with a2a_guard | ratio | limit |\n|---|---|---:|---:|---:|---:|\n")
	for _, f := range r.Rows {
		what := "CPU time per " + f.scenario.kind.unit()
		if f.scenario.kind == idle {
			what = "resident memory per stream"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | **%.2f** (%.2f to %.2f) | %.2f |\n", f.Load, what, quantity(f.scenario, f.Bare.Cost),
			quantity(f.scenario, f.Guarded.Cost), f.Ratio.Median, f.Ratio.Min, f.Ratio.Max, f.Limit)
		if f.scenario.kind == idle {
			fmt.Fprintf(&b, "| | of it live, by Go's count | %s | %s | %.2f | |\n", bytesText(f.Bare.Live), bytesText(f.Guarded.Live), f.LiveRatio.Median)
		} else {
			fmt.Fprintf(&b, "| | latency p50, p90, p99 | %s | %s | %.2f | |\n", f.Bare.latencies(), f.Guarded.latencies(), f.Guarded.P50/f.Bare.P50)
		}
		fmt.Fprintf(&b, "| | resident memory | %s | %s | %.2f | |\n", bytesText(f.Bare.Resident), bytesText(f.Guarded.Resident), f.Guarded.Resident/f.Bare.Resident)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// check fails if a ratio is over its limit.
func (r report) check() error {
	var errs []error
	for _, f := range r.Rows {
		if f.Ratio.Median > f.Limit {
			errs = append(errs, fmt.Errorf("%s: the ratio %.3f is over its limit of %.2f", f.Name, f.Ratio.Median, f.Limit))
		}
	}
	return errors.Join(errs...)
}

func (h half) latencies() string {
	return fmt.Sprintf("%s, %s, %s", secondsText(h.P50), secondsText(h.P90), secondsText(h.P99))
}

// quantity renders what a scenario costs.
func quantity(s scenario, cost float64) string {
	if s.kind == idle {
		return bytesText(cost)
	}
	return secondsText(cost)
}

func secondsText(s float64) string {
	switch {
	case s < 1e-3:
		return fmt.Sprintf("%.3g µs", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.3g ms", s*1e3)
	}
	return fmt.Sprintf("%.3g s", s)
}

func bytesText(n float64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%.1f KiB", n/(1<<10))
	}
	return fmt.Sprintf("%.0f MiB", n/(1<<20))
}
