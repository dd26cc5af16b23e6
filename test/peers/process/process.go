// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package process runs agents and clients on SDKs of other languages, in processes
// that end with their standard input. An agents' process first prints the ports of
// its agents by protocol version, as one JSON line; a clients' process reads calls
// and prints what they bring, a JSON line each.
package process

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// A Program is a command and the folder that it runs in.
type Program struct {
	Folder  string
	Command []string
}

// process is a running program.
type process struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	stdout  io.Reader
	stderr  bytes.Buffer
}

// start runs a program.
func start(program Program) (*process, error) {
	p := &process{command: exec.Command(program.Command[0], program.Command[1:]...)}
	p.command.Dir = program.Folder
	p.command.Stderr = &p.stderr
	var err error
	if p.stdin, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	if p.stdout, err = p.command.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", p.command, err)
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
		return fmt.Errorf("%s: %w\n%s", p.command, err, p.stderr.Bytes())
	}
	return nil
}
