// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/a2aguard/caddy-a2a-guard/examples/agent/orders"
)

// stageConfig says how to set up the two servers of the demo.
type stageConfig struct {
	agentAddress string // host:port; port 0 takes a free one
	guardAddress string
	step         time.Duration // between two steps of the agent's work
	guardOptions string        // lines for the a2a_guard block
	logToStderr  bool          // show the guard's log lines, or keep them for stage.log
}

// stage is the example agent and, in front of it, Caddy with the guard, both in
// this process.
type stage struct {
	agentURL, guardURL string

	folder string // for Caddy's files
	agent  *orders.Agent
	server *http.Server // the agent's
}

// stageTemplate is the guard's Caddyfile. It leaves no trace outside the folder
// and the port that it is given.
const stageTemplate = `{
	admin off
	persist_config off
	auto_https off
	grace_period 2s
	storage file_system %[1]q
	storage_clean_interval off
	log {
		%[2]s
	}
}

http://:%[3]s {
	bind %[4]q
	a2a_guard {
		name order-desk
		%[5]s
	}
	reverse_proxy %[6]s
}
`

const logName = "guard.log"

// lastWords is how long the agent's connections may take to end once its work
// has. Some never do: connections that were opened and not used.
const lastWords = 250 * time.Millisecond

// openStage starts both servers.
func openStage(c stageConfig) (*stage, error) {
	folder, err := os.MkdirTemp("", "a2a-guard-demo-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the guard's log: %w", err)
	}
	s := &stage{folder: folder}
	if err = s.startAgent(c); err == nil {
		err = s.startGuard(c)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *stage) startAgent(c stageConfig) error {
	listener, err := net.Listen("tcp", c.agentAddress)
	if err != nil {
		return fmt.Errorf("starting the agent: %w; choose another address with --agent", err)
	}
	s.agentURL = "http://" + listener.Addr().String()
	s.agent = orders.New(orders.Config{Step: c.step})
	s.server = &http.Server{Addr: listener.Addr().String(), Handler: s.agent, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.server.Serve(listener) }() // ends with Close
	return nil
}

func (s *stage) startGuard(c stageConfig) error {
	host, port, err := net.SplitHostPort(c.guardAddress)
	if err == nil {
		err = checkFree(c.guardAddress, port)
	}
	if err != nil {
		return fmt.Errorf("starting the guard: %w; choose another address with --listen", err)
	}
	log := fmt.Sprintf("output file %q {\n roll_disabled\n }\n format json", filepath.Join(s.folder, logName))
	if c.logToStderr {
		log = "output stderr\n format console\n include http.handlers.a2a_guard"
	}
	text := fmt.Sprintf(stageTemplate, s.folder, log, port, host, c.guardOptions, s.server.Addr)
	config, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(text), nil)
	if err != nil {
		return fmt.Errorf("reading the guard's Caddyfile: %w", err)
	}
	caddy.BufferedLog() // what Caddy says until the configuration is loaded belongs into its log
	if err := caddy.Load(config, true); err != nil {
		return fmt.Errorf("starting the guard: %w", err)
	}
	s.guardURL, err = guardURL()
	return err
}

// log is what Caddy has logged, as JSON lines.
func (s *stage) log() ([]byte, error) {
	text, err := fs.ReadFile(os.DirFS(s.folder), logName)
	if err != nil {
		return nil, fmt.Errorf("reading the guard's log: %w", err)
	}
	return text, nil
}

// checkFree finds out whether a port can be had. Caddy shares its ports with
// other processes of the same user, so it would not notice.
func checkFree(address, port string) error {
	if port == "0" {
		return nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return listener.Close()
}

// guardURL is where the running Caddy listens.
func guardURL() (string, error) {
	app, err := caddy.ActiveContext().AppIfConfigured("http")
	if err != nil {
		return "", fmt.Errorf("looking for the guard's address: %w", err)
	}
	for _, server := range app.(*caddyhttp.App).Servers {
		for _, listener := range server.Listeners() {
			return "http://" + listener.Addr().String(), nil
		}
	}
	return "", errors.New("the guard listens nowhere")
}

// Close ends the agent's work, so that open streams get their end, and then both
// servers.
func (s *stage) Close() error {
	var errs []error
	if s.server != nil {
		s.agent.Close()
		ctx, cancel := context.WithTimeout(context.Background(), lastWords)
		defer cancel()
		if s.server.Shutdown(ctx) != nil {
			errs = append(errs, s.server.Close())
		}
	}
	return errors.Join(append(errs, caddy.Stop(), os.RemoveAll(s.folder))...)
}
