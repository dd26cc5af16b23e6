// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Agents are one agent of each protocol version that the SDK has, in one process.
type Agents struct {
	// URLs are the agents' addresses by protocol version, "1.0" and "0.3".
	URLs map[string]string

	process *process
}

// StartAgents starts a program of agents.
func StartAgents(program Program) (*Agents, error) {
	p, err := start(program)
	if err != nil {
		return nil, err
	}
	var ports map[string]int
	if err := json.NewDecoder(p.stdout).Decode(&ports); err != nil {
		return nil, errors.Join(fmt.Errorf("reading the agents' ports: %w", err), p.close())
	}
	a := &Agents{URLs: make(map[string]string), process: p}
	for version, port := range ports {
		a.URLs[version] = fmt.Sprintf("http://127.0.0.1:%d/", port)
	}
	return a, nil
}

// Close ends the agents.
func (a *Agents) Close() error { return a.process.close() }
