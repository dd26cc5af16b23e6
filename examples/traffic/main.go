// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Command traffic calls an A2A agent as clients of all kinds do, for as long as it
// runs, and asks package orders' agent for some of its faults on the way. It fills
// the dashboard of examples/compose.
//
//	go run ./examples/traffic -url http://127.0.0.1:8080/ -every 250ms -faults 0.1
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "traffic:", err)
		os.Exit(1)
	}
}

// run begins a conversation at every tick until ctx ends, and waits for those
// that are open.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("traffic", flag.ContinueOnError)
	flags.SetOutput(out)
	url := flags.String("url", "http://127.0.0.1:8080/", "the agent's JSON-RPC `address`")
	every := flags.Duration("every", 250*time.Millisecond, "time between two conversations")
	faults := flags.Float64("faults", 0.1, "`share` of conversations that ask for a fault")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	if *every <= 0 {
		return errors.New("-every must be more than 0")
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	defer transport.CloseIdleConnections()
	c := &client{http: &http.Client{Transport: transport}, url: *url}
	next := plan{share: *faults}
	var conversations sync.WaitGroup
	defer conversations.Wait()
	ticker := time.NewTicker(*every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			talk := next.conversation()
			conversations.Go(func() { talk(ctx, c) })
		}
	}
}
