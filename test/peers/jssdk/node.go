// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package jssdk runs agents and clients on the JavaScript SDK, in Node processes
// that end with their standard input.
package jssdk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// process is a Node process.
type process struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	stdout  io.Reader
	stderr  bytes.Buffer
}

// start runs a program of the folder of the JavaScript sources.
func start(folder, program string) (*process, error) {
	p := &process{command: exec.Command("node", program)}
	p.command.Dir = folder
	p.command.Stderr = &p.stderr
	var err error
	if p.stdin, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	if p.stdout, err = p.command.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("starting node %s: %w", program, err)
	}
	return p, nil
}

// close ends the process.
func (p *process) close() error {
	return errors.Join(p.stdin.Close(), p.wait())
}

// wait waits for the process to end, once all that it writes is read.
func (p *process) wait() error {
	if err := p.command.Wait(); err != nil {
		return fmt.Errorf("node %s: %w\n%s", p.command.Args[1], err, p.stderr.Bytes())
	}
	return nil
}
