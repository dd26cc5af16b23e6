// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// clients are the clients of one load on one proxy.
type clients struct {
	scenario scenario
	url      string
	http     *http.Client

	recording atomic.Bool
	ready     chan struct{} // one for each client that has its first answer
	failed    chan error    // the first failure
	running   sync.WaitGroup
	stop      context.CancelFunc
	latencies []histogram // one for each client
}

// startClients begins a load of clients numbered from first on. It is over once
// end returns.
func startClients(ctx context.Context, s scenario, first int, address string) *clients {
	ctx, stop := context.WithCancel(ctx)
	c := &clients{
		scenario: s,
		url:      "http://" + address + s.path(),
		http: &http.Client{Transport: &http.Transport{
			DisableCompression:  true,
			MaxIdleConnsPerHost: s.clients,
		}},
		ready:     make(chan struct{}, s.clients),
		failed:    make(chan error, 1),
		stop:      stop,
		latencies: make([]histogram, s.clients),
	}
	for i := range s.clients {
		c.running.Go(func() {
			err := c.client(ctx, first+i, &c.latencies[i])
			if err == nil || ctx.Err() != nil {
				return
			}
			select {
			case c.failed <- fmt.Errorf("client %d: %w", first+i, err):
			default:
			}
		})
	}
	return c
}

// await waits until that many more clients have their first answer.
func (c *clients) await(ctx context.Context, count int) error {
	for range count {
		select {
		case <-c.ready:
		case err := <-c.failed:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// hold lets the load go on for a while.
func (c *clients) hold(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case err := <-c.failed:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// end stops the clients and returns the latencies that were recorded.
func (c *clients) end() (all histogram) {
	c.stop()
	c.running.Wait()
	c.http.CloseIdleConnections()
	for i := range c.latencies {
		all.merge(&c.latencies[i])
	}
	return all
}

func (c *clients) client(ctx context.Context, number int, latencies *histogram) error {
	if c.scenario.kind == unary {
		return c.call(ctx, number, latencies)
	}
	return c.follow(ctx, number, latencies)
}

// follow reads one stream.
func (c *clients) follow(ctx context.Context, number int, latencies *histogram) error {
	binding := c.scenario.binding()
	res, err := c.send(ctx, number, binding.streams())
	if err != nil {
		return err
	}
	defer res.Body.Close()
	sent := newEvents(binding, number)
	body := bufio.NewReaderSize(res.Body, 16*eventSize)
	came := firstEvent(binding, number)
	if _, err := io.ReadFull(body, came); err != nil {
		return fmt.Errorf("reading the first event: %w", err)
	}
	if !bytes.Equal(came, firstEvent(binding, number)) {
		return fmt.Errorf("%w: %.300q", errChanged, came)
	}
	c.ready <- struct{}{}
	came = make([]byte, eventSize)
	for n := 0; ; n++ {
		if _, err := io.ReadFull(body, came); err != nil {
			return fmt.Errorf("reading a stream: %w", err)
		}
		now := time.Since(epoch)
		at, err := sent[n%len(sent)].readStamp(came)
		if err != nil {
			return err
		}
		if c.recording.Load() {
			latencies.add(now - at)
		}
	}
}

// call makes one unary call after the other.
func (c *clients) call(ctx context.Context, number int, latencies *histogram) error {
	calls := c.scenario.calls()
	answers := make([][]byte, len(calls))
	for i, call := range calls {
		answers[i] = call.answerTo(number)
	}
	var got bytes.Buffer
	for n := 0; ctx.Err() == nil; n++ {
		turn := n % len(calls)
		begun := time.Now()
		res, err := c.send(ctx, number, calls[turn])
		if err != nil {
			return err
		}
		got.Reset()
		_, err = got.ReadFrom(res.Body)
		res.Body.Close()
		switch {
		case err != nil:
			return fmt.Errorf("reading an answer: %w", err)
		case !bytes.Equal(got.Bytes(), answers[turn]):
			return fmt.Errorf("%w: %.300q", errChanged, got.Bytes())
		}
		if c.recording.Load() {
			latencies.add(time.Since(begun))
		}
		if n == 0 {
			c.ready <- struct{}{}
		}
	}
	return nil
}

func (c *clients) send(ctx context.Context, number int, call call) (*http.Response, error) {
	call = call.forClient(number)
	req, err := http.NewRequestWithContext(ctx, call.verb, c.url+call.path, strings.NewReader(call.body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("A2A-Version", "1.0")
	req.Header.Set("Authorization", "Bearer client-"+strconv.Itoa(number)) // lets the guard remember tasks
	req.Header.Set(idHeader, strconv.Itoa(number))
	res, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 300))
		return nil, errors.Join(fmt.Errorf("answered %s: %q", res.Status, text), res.Body.Close())
	}
	return res, nil
}
