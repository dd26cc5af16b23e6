// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	// slice is about how long one variant is under load before it is the other's
	// turn: the machine's mood changes with the second.
	slice = 300 * time.Millisecond
	// warmUp goes before each slice: pools fill, stacks grow.
	warmUp = 150 * time.Millisecond
	// idleBatch is how many streams are opened between two collections, so that
	// the garbage of the opening is not taken for memory of open streams.
	idleBatch = 100
	// A process's memory counts once it has kept still.
	stillFor   = 6
	stillPoll  = 100 * time.Millisecond
	stillLimit = 15 * time.Second
)

// sample is what was measured of one process.
type sample struct {
	cpu       time.Duration
	cost      float64 // CPU seconds per event or call, bytes per idle stream
	count     int     // events, calls or streams
	resident  int64   // bytes
	live      float64 // bytes per idle stream that Go holds, stacks included
	latencies histogram
}

// result is all that was measured of one scenario.
type result struct {
	scenario scenario
	bare     []sample
	guarded  []sample
}

// bench runs scenarios.
type bench struct {
	options
	folder   string
	progress io.Writer
	agent    *agent
}

func (b *bench) run(ctx context.Context) (results []result, err error) {
	if b.agent, err = startAgent(); err != nil {
		return nil, err
	}
	defer b.agent.close()
	for _, s := range b.scenarios {
		r, err := b.compare(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		results = append(results, r)
	}
	return results, nil
}

// compare measures pairs of processes.
func (b *bench) compare(ctx context.Context, s scenario) (r result, err error) {
	r.scenario = s
	fmt.Fprintf(b.progress, "%s: %v\n", s.name, s)
	measure := b.pair
	if s.kind == idle {
		measure = b.idlePair
	}
	for i := range b.pairs {
		got, err := measure(ctx, s)
		if err != nil {
			return r, err
		}
		r.bare, r.guarded = append(r.bare, got[0]), append(r.guarded, got[1])
		fmt.Fprintf(b.progress, "%s: pair %d of %d: bare %s, guarded %s per %s, ratio %.2f\n", s.name, i+1, b.pairs,
			quantity(s, got[0].cost), quantity(s, got[1].cost), s.kind.unit(), got[1].cost/got[0].cost)
	}
	return r, nil
}

// pair gives slices of load to a process of each variant in turn, first to the
// one and then to the other.
func (b *bench) pair(ctx context.Context, s scenario) (got [2]sample, err error) {
	var proxies [2]*proxy
	for i, v := range variants {
		if proxies[i], err = b.start(ctx, v); err != nil {
			return got, err
		}
		defer proxies[i].stop()
	}
	profiled := make(chan error, 1)
	go func() { profiled <- b.profileCPU(ctx, s, proxies) }()
	slices := max(int(b.window/slice), 1)
	for n := range 2 * slices {
		i := (n + n/2) % 2 // 0 1 1 0 0 1 1 0
		if err := b.underLoad(ctx, s, proxies[i], b.window/time.Duration(slices), &got[i]); err != nil {
			return got, fmt.Errorf("%s proxy: %w", proxies[i].name, err)
		}
	}
	for i := range got {
		got[i].cost = got[i].cpu.Seconds() / float64(got[i].latencies.count)
		got[i].count = got[i].latencies.count
	}
	return got, <-profiled
}

// idlePair measures a process of each variant, one after the other.
func (b *bench) idlePair(ctx context.Context, s scenario) (got [2]sample, err error) {
	for i, v := range variants {
		if got[i], err = b.openStreams(ctx, s, v); err != nil {
			return got, fmt.Errorf("%s proxy: %w", v.name, err)
		}
	}
	return got, nil
}

func (b *bench) start(ctx context.Context, v variant) (*proxy, error) {
	return startProxy(ctx, v, b.binary, b.folder, b.agent.address())
}

// underLoad adds a slice of load to what was measured of a proxy.
func (b *bench) underLoad(ctx context.Context, s scenario, p *proxy, length time.Duration, got *sample) error {
	load := startClients(ctx, s, 0, p.address)
	defer load.end()
	if err := load.await(ctx, s.clients); err != nil {
		return err
	}
	if err := load.hold(ctx, warmUp); err != nil {
		return err
	}
	before, err := p.cpu()
	if err != nil {
		return err
	}
	load.recording.Store(true)
	if err := load.hold(ctx, length); err != nil {
		return err
	}
	load.recording.Store(false)
	after, err1 := p.cpu()
	resident, err2 := p.memory()
	latencies := load.end()
	if latencies.count == 0 {
		return errors.New("nothing came through")
	}
	got.cpu += after - before
	got.resident = resident
	got.latencies.merge(&latencies)
	return errors.Join(err1, err2)
}

// openStreams measures the memory of streams that wait.
func (b *bench) openStreams(ctx context.Context, s scenario, v variant) (got sample, err error) {
	p, err := b.start(ctx, v)
	if err != nil {
		return got, err
	}
	defer p.stop()
	// The first streams bring code and pools into memory.
	few := s
	few.clients = min(s.clients, idleBatch)
	warm := startClients(ctx, few, 0, p.address)
	err = warm.await(ctx, few.clients)
	warm.end()
	if err != nil {
		return got, err
	}
	emptyLive, empty, err := p.settle(ctx)
	if err != nil {
		return got, err
	}
	var loads []*clients
	defer func() {
		for _, load := range loads {
			load.end()
		}
	}()
	for got.count < s.clients {
		few.clients = min(s.clients-got.count, idleBatch)
		load := startClients(ctx, few, got.count, p.address)
		loads = append(loads, load)
		if err := load.await(ctx, few.clients); err != nil {
			return got, err
		}
		got.count += few.clients
		if _, err := p.collect(ctx); err != nil {
			return got, err
		}
	}
	live, full, err := p.settle(ctx)
	if err != nil {
		return got, err
	}
	for _, load := range loads {
		if err := load.hold(ctx, 0); err != nil {
			return got, err
		}
	}
	got.resident = full
	got.cost = float64(full-empty) / float64(got.count)
	got.live = float64(live-emptyLive) / float64(got.count)
	return got, b.profile(ctx, s, p, "heap", "heap")
}

// settle collects garbage and waits until the process gives no more memory back.
func (p *proxy) settle(ctx context.Context) (live, resident int64, err error) {
	for range 2 { // what pools hold survives the first
		if live, err = p.collect(ctx); err != nil {
			return 0, 0, err
		}
	}
	for still, end := 0, time.Now().Add(stillLimit); still < stillFor && time.Now().Before(end); {
		select {
		case <-time.After(stillPoll):
		case <-ctx.Done():
			return 0, 0, context.Cause(ctx)
		}
		now, err := p.memory()
		if err != nil {
			return 0, 0, err
		}
		if still++; now != resident {
			still, resident = 0, now
		}
	}
	return live, resident, nil
}

// profileCPU saves profiles of both proxies while a pair is measured.
func (b *bench) profileCPU(ctx context.Context, s scenario, proxies [2]*proxy) error {
	path := fmt.Sprintf("profile?seconds=%d", max(int(2*b.window.Seconds()), 1))
	var errs [2]error
	var both sync.WaitGroup
	for i, p := range proxies {
		both.Go(func() { errs[i] = b.profile(ctx, s, p, "cpu", path) })
	}
	both.Wait()
	return errors.Join(errs[:]...)
}

// profile saves a profile of the proxy if that is wanted, over those of earlier
// pairs.
func (b *bench) profile(ctx context.Context, s scenario, p *proxy, name, path string) error {
	if b.profiles == "" {
		return nil
	}
	file, err := os.Create(filepath.Join(b.profiles, fmt.Sprintf("%s-%s.%s.pprof", s.name, p.name, name)))
	if err != nil {
		return fmt.Errorf("saving a profile: %w", err)
	}
	return errors.Join(p.ask(ctx, "/debug/pprof/"+path, file), file.Close())
}
