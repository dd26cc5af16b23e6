// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	"github.com/a2aguard/caddy-a2a-guard/examples/agent/orders"
)

// offers are the faults that --serve has curl lines for, in each version of the
// protocol, if none is asked for.
var offers = map[dialect][]orders.Fault{
	v10: {orders.NoFinal, orders.NeverReturns, orders.LateArtifactDelayed, orders.MessageInStream, orders.MidFrame},
	v03: {orders.NoFinal, orders.WrongFinal},
}

// serveText says what to try and where agent and guard are. fault narrows down
// what to try, unless it is empty.
func (p painter) serveText(s *stage, fault string) string {
	var b strings.Builder
	b.WriteString(" Each pair of lines asks the agent: first directly, then through the guard.\n")
	for _, d := range []dialect{v10, v03} {
		faults := offers[d]
		if fault != "" {
			faults = []orders.Fault{orders.Fault(fault)}
		}
		for _, f := range faults {
			fmt.Fprintf(&b, "\n %s (%s) %s\n", p.paint(bold, string(f)), d.version, f.Description())
			for _, url := range []string{s.agentURL, s.guardURL} {
				fmt.Fprintf(&b, " curl -sN %s -H 'Content-Type: application/json' -d '%s'\n", url, d.ask("", f))
			}
		}
	}
	b.WriteString("\n" + wrap(" Faults: ", faultNames()))
	fmt.Fprintf(&b, " Agent:  %s\n", p.paint(bold, s.agentURL))
	fmt.Fprintf(&b, " Guard:  %s   profile standard, %s\n", p.paint(bold, s.guardURL), demoDefaults)
	b.WriteString(" The guard's log lines follow. Ctrl-C ends both.\n\n")
	return b.String()
}
