// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Command caddy-a2a-guard is Caddy with its standard modules and the a2a_guard
// handler. "demo" shows what the handler does.
package main

import (
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	_ "github.com/a2aguard/caddy-a2a-guard/caddymodule"
)

func main() { caddycmd.Main() }
