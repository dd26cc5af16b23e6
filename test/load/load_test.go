// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// onLinux skips what needs another process's clock.
func onLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the CPU time and memory of another process")
	}
}

func TestEveryLoadIsMeasuredAndReported(t *testing.T) {
	onLinux(t)
	folder := t.TempDir()
	binary, err := build(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	args := []string{"-short", "-window", "100ms", "-json", "-binary", binary, "-profiles", folder}
	if err := run(t.Context(), args, &out, t.Output()); err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("%v in %s", err, out.Bytes())
	}
	if len(r.Rows) != len(scenarios) {
		t.Fatalf("%d of %d scenarios", len(r.Rows), len(scenarios))
	}
	for i, f := range r.Rows {
		if f.Name != scenarios[i].name || f.Ratio.Median <= 0 || f.Limit != scenarios[i].limit {
			t.Errorf("%+v", f)
		}
		for _, h := range [...]half{f.Bare, f.Guarded} {
			if h.Cost <= 0 || h.Count <= 0 || h.Resident <= 0 {
				t.Errorf("%s: %+v", f.Name, h)
			}
			if timed := scenarios[i].kind != idle; timed != (h.P50 > 0) || h.P50 > h.P90 || h.P90 > h.P99 {
				t.Errorf("%s: latencies %+v", f.Name, h)
			}
		}
	}
	saved, err := filepath.Glob(filepath.Join(folder, "*.pprof"))
	if err != nil || len(saved) != 2*len(scenarios) {
		t.Errorf("profiles: %q, %v", saved, err)
	}
}

func TestAProxyThatDoesNotStartIsAnError(t *testing.T) {
	onLinux(t)
	err := run(t.Context(), []string{"-short", "-scenario", "paced", "-binary", "false"}, io.Discard, t.Output())
	if err == nil || !strings.Contains(err.Error(), "starting the bare proxy: it ended") {
		t.Errorf("%v", err)
	}
}

func TestWrongArgumentsAreRefused(t *testing.T) {
	for want, args := range map[string][]string{
		`unexpected argument "now"`:    {"now"},
		"-pairs 0: choose 1 to 1000":   {"-pairs", "0"},
		"-window 1h0m0s: choose 100ms": {"-window", "1h"},
		`-scenario "fast": choose from paced, unpaced, unary, unary-unpaced, rest-paced, rest-unary, mix, idle`: {"-scenario", "idle,fast"},
		"flag provided but not defined": {"-speed"},
	} {
		if err := run(t.Context(), args, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// results are two made-up pairs of one scenario.
func results(bare, guarded float64) []result {
	var latencies histogram
	latencies.add(time.Millisecond)
	one := sample{cost: bare, resident: 60 << 20, count: 1, latencies: latencies}
	other := one
	other.cost = guarded
	return []result{{scenarios[0], []sample{one, one}, []sample{other, one}}}
}

func TestTheTableIsMarkdown(t *testing.T) {
	r := newReport([]string{"-short"}, options{pairs: 2}, results(20e-6, 30e-6))
	r.System, r.CPUs, r.Go = "linux/amd64", 2, "go1.26"
	var out bytes.Buffer
	if err := r.writeTable(&out); err != nil {
		t.Fatal(err)
	}
	const want = "`go run ./test/load -short`: linux/amd64, 2 CPUs, go1.26; median of 2 pairs (smallest to largest).\n" + `
| load | measured | bare Caddy | with a2a_guard | ratio | limit |
|---|---|---:|---:|---:|---:|
| 64 streams, an event of 256 bytes every 5ms | CPU time per event | 20 µs | 25 µs | **1.25** (1.00 to 1.50) | 1.10 |
| | latency p50, p90, p99 | 1.02 ms, 1.02 ms, 1.02 ms | 1.02 ms, 1.02 ms, 1.02 ms | 1.00 | |
| | resident memory | 60 MiB | 60 MiB | 1.00 | |
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestOnlyACheckFailsOverALimit(t *testing.T) {
	if err := newReport(nil, options{}, results(20e-6, 23e-6)).check(); err != nil {
		t.Error(err)
	}
	err := newReport(nil, options{}, results(20e-6, 30e-6)).check()
	if err == nil || err.Error() != "paced: the ratio 1.250 is over its limit of 1.10" {
		t.Error(err)
	}
}
