// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Command agent serves the order desk of package orders: an A2A agent that
// behaves or misbehaves on request.
//
//	go run ./examples/agent -listen 127.0.0.1:9999
//	go run ./examples/agent -fault no-final
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/examples/agent/orders"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
}

// run serves the agent until ctx ends. It says on out where.
func run(ctx context.Context, args []string, out io.Writer) error {
	config := orders.Config{}
	flags := flag.NewFlagSet("agent", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are main's to print
	listen := flags.String("listen", "127.0.0.1:9999", "`address` to serve on")
	flags.DurationVar(&config.Step, "step", 50*time.Millisecond, "pause between two steps of the work")
	flags.DurationVar(&config.Stall, "stall", 3*time.Second, "how long stall-then-finish stalls")
	flags.Func("fault", "`name` of the fault of messages that ask for none", func(name string) (err error) {
		config.Fault, err = orders.ParseFault(name)
		return err
	})
	flags.Usage = func() {}
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		printUsage(out, flags)
		return nil
	} else if err != nil {
		return err
	}

	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	agent := orders.New(config)
	server := &http.Server{Handler: agent, ReadHeaderTimeout: 10 * time.Second}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-ctx.Done()
		agent.Close() // ends the streams, which Shutdown waits for
		_ = server.Shutdown(context.WithoutCancel(ctx))
	}()

	url := "http://" + listener.Addr().String() + "/"
	fmt.Fprintf(out, "order desk at %s\ntry: curl -N %s -d '%s'\n", url, url,
		`{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"BS-1042"}]}}}`)
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-stopped
	return nil
}

func printUsage(out io.Writer, flags *flag.FlagSet) {
	flags.SetOutput(out)
	fmt.Fprintln(out, "Usage of agent:")
	flags.PrintDefaults()
	fmt.Fprintln(out, "Faults (also per message: \"BS-1042 fault=no-final\"):")
	for _, f := range orders.Faults() {
		fmt.Fprintf(out, "  %-22s %s\n", f, f.Description())
	}
}
