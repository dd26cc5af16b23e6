// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package grafana holds the dashboard, the rules and the compose file of
// examples/ to real components: Prometheus, its promtool, and a guard in front of
// an agent that misbehaves.
package grafana
