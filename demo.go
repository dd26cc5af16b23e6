// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"
)

func init() {
	caddycmd.RegisterCommand(caddycmd.Command{
		Name:  "demo",
		Usage: "[--serve] [--fault <name>] [--agent <address>] [--listen <address>]",
		Short: "Shows what a2a_guard does about an agent's faults",
		Long: `
Starts an example agent and, in front of it, Caddy with a2a_guard, both in this
process and reachable from this machine alone. Has the agent misbehave, makes
each call twice, directly and through the guard, and prints side by side what
the client saw.

The exit status is 1 if anything does not come out as the guard promises.

` + faultList(),
		CobraFunc: func(cmd *cobra.Command) {
			d := demo{step: 100 * time.Millisecond, patience: 2 * time.Second}
			cmd.Flags().BoolVar(&d.serve, "serve", false, "Keep both up and print curl lines to try, until Ctrl-C")
			cmd.Flags().StringVar(&d.fault, "fault", "", `Play one fault only, for example "no-final"`)
			cmd.Flags().StringVar(&d.agentAddress, "agent", "127.0.0.1:0", "Address of the agent; port 0 takes a free one")
			cmd.Flags().StringVar(&d.guardAddress, "listen", "127.0.0.1:0", "Address of the guard; port 0 takes a free one")
			cmd.Args = cobra.NoArgs
			cmd.RunE = func(cmd *cobra.Command, _ []string) error {
				cmd.SilenceErrors = true // Caddy's root command would log them
				// A reader who leaves (SIGPIPE) ends the demo too, but not its tidying up.
				ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
				defer stop()
				err := d.run(ctx, newScreen(os.Stdout))
				if err != nil && !errors.Is(err, errNotAsPromised) {
					fmt.Fprintln(os.Stderr, "demo:", err)
				}
				return err
			}
		},
	})
}

// demo is the command's flags and pace.
type demo struct {
	serve                      bool
	fault                      string
	agentAddress, guardAddress string

	step     time.Duration // between two steps of the agent's work
	patience time.Duration // how long a client waits for the next event
}

// The guard's limits: nobody wants to wait for ten minutes, and a busy machine
// may take longer than it should for the 0.3 s after which an artifact is late.
const (
	demoOptions  = "idle_timeout 1s\nlinger 3s"
	demoDefaults = "idle_timeout 1s (default 10m), linger 3s (default 1s)"
)

// errNotAsPromised says that the guard, or the agent, did not do as it should.
var errNotAsPromised = errors.New("not everything came out as promised")

// run shows the demo on a screen.
func (d *demo) run(ctx context.Context, out *screen) (err error) {
	chosen, err := findScenarios(d.fault)
	if err != nil {
		return err
	}
	s, err := openStage(stageConfig{
		agentAddress: d.agentAddress, guardAddress: d.guardAddress,
		step: d.step, guardOptions: demoOptions, logToStderr: d.serve,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if d.serve {
		fmt.Fprint(out, out.serveText(s, d.fault))
		<-ctx.Done()
		return nil
	}
	return d.play(ctx, out, s, chosen)
}

// play plays the scenarios and prints the table.
func (d *demo) play(ctx context.Context, out *screen, s *stage, chosen []*scenario) error {
	b := newBoard(chosen)
	fmt.Fprintf(out, " An agent misbehaves. A client calls it twice over HTTP: directly, and through Caddy with a2a_guard.\n"+
		" The guard: profile standard, %s. The client gives up after %v.\n\n%s\n%s",
		demoDefaults, d.patience, out.legend(), out.head())
	start := time.Now()
	err := out.show(b, func(finished func(int)) error { return b.play(ctx, s, d.patience, finished) })
	if err != nil {
		return err
	}
	if d.fault != "" {
		fmt.Fprint(out, out.wire(b.rows[0]))
	}
	fmt.Fprint(out, out.summary(b.rows, time.Since(start)), next)
	for _, r := range b.rows {
		if len(r.faults) > 0 {
			return errNotAsPromised
		}
	}
	return nil
}
