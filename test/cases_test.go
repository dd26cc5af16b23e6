// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/test/scenario"
)

// casesAtOnce is how many runs of field cases there are at a time. They mostly
// wait.
const casesAtOnce = 8

// slower is how much slower a run is repeated that has failed: a busy machine may
// be late for a time that was scaled down, but not for this one.
const slower = 10

// TestCaddyHoldsTheCases plays the field cases of testdata/cases over sockets.
func TestCaddyHoldsTheCases(t *testing.T) {
	cases, err := scenario.Load("testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	b := startCaseBench(t)
	var all []*caseRun
	for _, c := range cases {
		for i, s := range c.Scenes {
			for _, p := range caseProtocols {
				all = append(all, newCaseRun(t, fmt.Sprintf("%s-%d %s", c.Name, i, p.name), s, p))
			}
		}
	}
	t.Run("playing", func(t *testing.T) { b.play(t, all) })
	var again []*caseRun
	for i, run := range all {
		if len(run.errors) > 0 {
			scene := *run.scene
			scene.Scale *= slower
			all[i] = newCaseRun(t, run.name+" again", &scene, run.protocol)
			again = append(again, all[i])
			t.Logf("%s is played again: %v", run.name, run.errors[0])
		}
	}
	if len(again) > 0 {
		t.Run("playing again", func(t *testing.T) { b.play(t, again) })
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			for _, s := range c.Scenes {
				for _, p := range caseProtocols {
					t.Run(s.Name+"/"+p.name, func(t *testing.T) {
						for _, err := range all[0].errors {
							t.Error(err)
						}
					})
					all = all[1:]
				}
			}
		})
	}
}

// caseBench is the agent of the field cases, and who plays them.
type caseBench struct {
	agent *caseAgent
	runs  map[string]*caseRun // by name; only written while nobody calls
}

func startCaseBench(t *testing.T) *caseBench {
	t.Helper()
	b := &caseBench{runs: make(map[string]*caseRun)}
	b.agent = startCaseAgent(t, func(r *http.Request, body []byte) *caseAnswer {
		if run := b.runs[r.Header.Get(caseHeader)]; run != nil {
			return run.answer(r, body)
		}
		return nil
	})
	caseLines.forget(t)
	return b
}

// play plays the runs, each scene against a guard of its own.
func (b *caseBench) play(t *testing.T, runs []*caseRun) {
	t.Helper()
	var sites strings.Builder
	sites.WriteString("log\n")
	clear(b.runs)
	for i, run := range runs {
		b.runs[run.name] = run
		writeCaseSite(&sites, i, run, b.agent.address)
	}
	server := serve(t, sites.String(), caseLogs)
	slots := make(chan struct{}, casesAtOnce)
	var work sync.WaitGroup
	for _, run := range runs {
		slots <- struct{}{}
		work.Go(func() {
			defer func() { <-slots }()
			run.play(t, server)
		})
	}
	work.Wait()
}

// caseProtocols are the ways in which the field cases run.
var caseProtocols = []protocol{h1, h1TLS, h2}

// writeCaseSite writes a run's part of the site: its guard, before the agent.
func writeCaseSite(b *strings.Builder, number int, run *caseRun, agent string) {
	fmt.Fprintf(b, "@case%d header %s %q\n", number, caseHeader, run.name)
	fmt.Fprintf(b, "handle @case%d {\n", number)
	writeLines(b, run.scene.Front...)
	fmt.Fprintf(b, "a2a_guard {\nname %q\n", run.name)
	writeLines(b, run.scene.Scaled()...)
	fmt.Fprintf(b, "}\nreverse_proxy %s {\n", agent)
	writeLines(b, run.scene.Proxy...)
	b.WriteString("}\n}\n")
}

func writeLines(b *strings.Builder, lines ...string) {
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
}
