// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package grafana

import (
	"os/exec"
	"testing"
)

// The dashboard's generator is a module of its own, which go test ./... does not
// enter.
func TestTheDashboardIsFresh(t *testing.T) {
	command := exec.Command("go", "test", "./...")
	command.Dir = "../../examples/grafana"
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
