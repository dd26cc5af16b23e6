// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Command load measures what the guard costs. It runs an A2A agent and many
// clients, and between them one program twice: Caddy's reverse_proxy with
// a2a_guard before it, and bare. Short slices of load go to the two in turn, so
// that whatever else the machine does meets both. Each pair of processes gives
// one ratio; the table shows the median of them and the span.
//
//	go run ./test/load
//	go run ./test/load -short -scenario paced,idle
//	go run ./test/load -binary bin/caddy-a2a-guard -json
//
// CPU time is the proxy process's own, of user and kernel, from its process
// clock. Latency runs from the agent's write to the client's read; for unary
// calls it is that of the whole call. It needs Linux.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// options are what the command line chooses.
type options struct {
	binary    string
	profiles  string
	pairs     int
	window    time.Duration
	short     bool
	asJSON    bool
	check     bool
	scenarios []scenario
}

// maxRun bounds a whole run, whatever hangs.
const maxRun = 20 * time.Minute

// run measures and writes the report to stdout, its progress to stderr. Without
// -check, an error means that something could not be measured.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, maxRun, fmt.Errorf("gave up after %v", maxRun))
	defer cancel()
	folder, err := os.MkdirTemp("", "a2a-guard-load-")
	if err != nil {
		return fmt.Errorf("making a folder for the proxies: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	if o.binary == "" {
		fmt.Fprintln(stderr, "building the proxy")
		if o.binary, err = build(ctx, folder); err != nil {
			return err
		}
	}
	b := &bench{options: o, folder: folder, progress: stderr}
	results, err := b.run(ctx)
	if err != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	r := newReport(args, o, results)
	if o.asJSON {
		err = r.writeJSON(stdout)
	} else {
		err = r.writeTable(stdout)
	}
	if err == nil && o.check {
		err = r.check()
	}
	return err
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	names := make([]string, len(scenarios))
	for i, s := range scenarios {
		names[i] = s.name
	}
	flags := flag.NewFlagSet("load", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.binary, "binary", "", "Caddy with the guard; built if empty")
	flags.IntVar(&o.pairs, "pairs", 7, "pairs of processes for each scenario, 1 to 1000")
	flags.DurationVar(&o.window, "window", 3*time.Second, "how long each process is under load, 100ms to 1m")
	flags.BoolVar(&o.short, "short", false, "a quick look: one short pair each, fewer streams")
	flags.BoolVar(&o.asJSON, "json", false, "write JSON instead of a table")
	flags.BoolVar(&o.check, "check", false, "fail if a ratio is over its limit")
	flags.StringVar(&o.profiles, "profiles", "", "a folder for CPU and heap profiles of both proxies; taking them costs CPU time too")
	chosen := flags.String("scenario", strings.Join(names, ","), "what to measure, separated by commas")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.pairs < 1 || o.pairs > 1000:
		return o, fmt.Errorf("-pairs %d: choose 1 to 1000", o.pairs)
	case o.window < 100*time.Millisecond || o.window > time.Minute:
		return o, fmt.Errorf("-window %v: choose 100ms to 1m", o.window)
	}
	for name := range strings.SplitSeq(*chosen, ",") {
		i := slices.Index(names, name)
		if i < 0 {
			return o, fmt.Errorf("-scenario %q: choose from %s", name, strings.Join(names, ", "))
		}
		o.scenarios = append(o.scenarios, scenarios[i])
	}
	if o.short {
		o.pairs, o.window = 1, min(o.window, 300*time.Millisecond)
		for i := range o.scenarios {
			o.scenarios[i].clients = max(o.scenarios[i].clients/20, 4)
		}
	}
	return o, nil
}
