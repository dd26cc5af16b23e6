// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package draw reads a Grafana dashboard, asks Prometheus what its panels ask,
// and draws them as a page of HTML. It knows the panels and units that the guard's
// dashboard uses, no more; it is there so that people and tests can look at the
// dashboard without a Grafana.
package draw

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// Dashboard is what is read of a dashboard's JSON.
type Dashboard struct {
	Title       string
	Panels      []*Panel
	Annotations struct {
		List []Annotation
	}
	Templating struct {
		List []Variable
	}
}

// Panel is a row's headline or one panel.
type Panel struct {
	Type, Title string
	GridPos     struct{ X, Y, W, H int }
	Targets     []Target
	FieldConfig struct {
		Defaults  Field
		Overrides []struct {
			Matcher    struct{ Options any }
			Properties []struct {
				ID    string
				Value json.RawMessage
			}
		}
	}
	Transformations []struct {
		ID      string
		Options struct {
			RenameByName map[string]string
			IndexByName  map[string]int
		}
	}
}

// Field says how values look.
type Field struct {
	Unit       string
	Decimals   *int
	NoValue    string
	Thresholds struct{ Steps []Step }
	Custom     struct {
		Stacking          struct{ Mode string }
		ScaleDistribution struct{ Type string }
	}
}

// Step is the colour of values from Value on.
type Step struct {
	Value *float64
	Color string
}

// Target is a panel's query.
type Target struct {
	RefID, Expr, LegendFormat string
	Exemplar                  bool
}

// Annotation is a query whose values are times, in milliseconds.
type Annotation struct {
	Name, Expr, IconColor string
}

// Variable is a choice of the reader's.
type Variable struct {
	Name, Label, Type, Definition string
}

// Read reads a dashboard's file.
func Read(path string) (*Dashboard, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	board := new(Dashboard)
	if err := json.Unmarshal(text, board); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return board, nil
}

// Fill puts values into the variables of a query: All for those of the
// dashboard, the time shown, and an interval for rates.
func Fill(expr string, shown, interval time.Duration) string {
	return strings.NewReplacer(
		"$__range", fmt.Sprintf("%ds", int(shown.Seconds())),
		"$__rate_interval", fmt.Sprintf("%ds", int(interval.Seconds())),
		"$agent", ".*", "$namespace", ".*", "$pod", ".*", "$method", ".*",
	).Replace(expr)
}
