// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Command grafana writes the guard's Grafana dashboard, dashboard.json, into
// the current folder:
//
//	cd examples/grafana && go run .
//
// It is a module of its own, so that whoever uses the guard need not have
// Grafana's builders.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// dashboardFile is what operators import, or provision.
const dashboardFile = "dashboard.json"

func main() {
	text, err := generate()
	if err == nil {
		err = os.WriteFile(dashboardFile, text, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "grafana:", err)
		os.Exit(1)
	}
}

// generate builds the dashboard and returns its JSON.
func generate() ([]byte, error) {
	built, err := build().Build()
	if err != nil {
		return nil, fmt.Errorf("building the dashboard: %w", err)
	}
	text, err := json.MarshalIndent(built, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the dashboard: %w", err)
	}
	text = bytes.ReplaceAll(text, []byte(`\u003e`), []byte(">")) // in queries, which people read
	return append(text, '\n'), nil
}

// build puts the rows together, the most urgent one first. The classic schema is
// one that every Grafana imports; the one that follows it needs the latest.
func build() *dashboard.DashboardBuilder { //nolint:staticcheck // deprecated, see above
	//nolint:staticcheck // deprecated, see above
	board := dashboard.NewDashboardBuilder("A2A guard").
		Uid("a2a-guard").
		Description("What clients of A2A agents get, as caddy-a2a-guard sees it.").
		Tags([]string{"a2a", "caddy-a2a-guard"}).
		Time("now-1h", "now").
		Refresh("30s").
		Tooltip(dashboard.DashboardCursorSyncCrosshair).
		Variables(variables()).
		Annotations([]cog.Builder[dashboard.AnnotationQuery]{reloads(), restarts()})
	nextID := uint32(1)
	for _, row := range []row{cleanEnds(), agents(), latency(), traffic(), remedies(), ownCost()} {
		board.WithRow(dashboard.NewRowBuilder(row.title).Id(nextID))
		nextID++
		for _, panel := range row.panels {
			board.WithPanel(panel.numbered(nextID))
			nextID++
		}
	}
	return board
}
