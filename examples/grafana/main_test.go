// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func TestTheCommittedDashboardIsWhatTheCodeBuilds(t *testing.T) {
	built, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile(dashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(built) != string(committed) {
		t.Errorf("%s is stale: go run . writes it anew", dashboardFile)
	}
}

func TestGrafanasSchemaKnowsEveryMember(t *testing.T) {
	plugins.RegisterDefaultPlugins()
	text, err := os.ReadFile(dashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	type schema = dashboard.Dashboard //nolint:staticcheck // deprecated, see build
	// A dashboard without faults comes back with an empty list in the error.
	var faults cog.BuildErrors
	if err := new(schema).UnmarshalJSONStrict(text); errors.As(err, &faults) {
		for _, fault := range faults {
			t.Error(fault)
		}
	} else if err != nil {
		t.Error(err)
	}
	var board schema
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	if err := board.Validate(); err != nil {
		t.Error(err)
	}
}

func TestPanelsTileTheGrid(t *testing.T) {
	built, err := build().Build()
	if err != nil {
		t.Fatal(err)
	}
	taken := make(map[[2]uint32]string)
	ids := make(map[uint32]string)
	var bottom uint32
	for _, either := range built.Panels {
		title, place, id := "", either.Panel, uint32(0)
		var box dashboard.GridPos
		if place != nil {
			title, box, id = *place.Title, *place.GridPos, *place.Id
		} else {
			title, box, id = *either.RowPanel.Title, *either.RowPanel.GridPos, either.RowPanel.Id
		}
		if other, ok := ids[id]; ok {
			t.Errorf("%q and %q share the id %d", title, other, id)
		}
		ids[id] = title
		bottom = max(bottom, box.Y+box.H)
		for x := box.X; x < box.X+box.W; x++ {
			for y := box.Y; y < box.Y+box.H; y++ {
				if other, ok := taken[[2]uint32{x, y}]; ok {
					t.Fatalf("%q lies on %q", title, other)
				}
				taken[[2]uint32{x, y}] = title
			}
		}
	}
	if area := uint32(len(taken)); area != 24*bottom {
		t.Errorf("panels cover %d of %d cells: a line of panels is not 24 wide", area, 24*bottom)
	}
}
