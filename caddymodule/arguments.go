// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"strconv"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/dustin/go-humanize"

	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// word reads one word.
func word(to *string) func(*caddyfile.Dispenser) error {
	return func(d *caddyfile.Dispenser) error {
		name := d.Val()
		if !d.AllArgs(to) {
			return d.ArgErr()
		}
		if *to == "" {
			return d.Errf("%s must not be empty", name)
		}
		return nil
	}
}

// parsed reads a word that one of the policy's parsers knows.
func parsed[T any](to *string, parse func(string) (T, error)) func(*caddyfile.Dispenser) error {
	return func(d *caddyfile.Dispenser) error {
		if !d.AllArgs(to) {
			return d.ArgErr()
		}
		if _, err := parse(*to); err != nil {
			return d.WrapErr(err)
		}
		return nil
	}
}

// flag reads "on" or "off"; the option's name alone means on.
func flag(to *bool) func(*caddyfile.Dispenser) error {
	return func(d *caddyfile.Dispenser) error {
		name, value := d.Val(), "on"
		if d.NextArg() {
			value = d.Val()
		}
		if d.NextArg() {
			return d.ArgErr()
		}
		if value != "on" && value != "off" {
			return d.Errf("%s %q must be on or off", name, value)
		}
		*to = value == "on"
		return nil
	}
}

// limit reads a duration, or "off".
func limit(to **caddy.Duration) func(*caddyfile.Dispenser) error {
	return func(d *caddyfile.Dispenser) error {
		name := d.Val()
		var value string
		if !d.AllArgs(&value) {
			return d.ArgErr()
		}
		*to = new(caddy.Duration)
		if value == "off" {
			return nil
		}
		t, err := caddy.ParseDuration(value)
		if err != nil {
			return d.Errf("%s %q is no duration such as 30s, nor off", name, value)
		}
		if t < 0 {
			return d.Errf("%s is negative: %v", name, t)
		}
		**to = caddy.Duration(t)
		return nil
	}
}

// positive reads a duration that cannot be off.
func positive(to **caddy.Duration) func(*caddyfile.Dispenser) error {
	read := limit(to)
	return func(d *caddyfile.Dispenser) error {
		name := d.Val()
		if err := read(d); err != nil {
			return err
		}
		if **to == 0 {
			return d.Errf("%s must be more than zero", name)
		}
		return nil
	}
}

// count reads a whole number above zero, or "off".
func count(to *int) func(*caddyfile.Dispenser) error {
	return func(d *caddyfile.Dispenser) error {
		name := d.Val()
		var value string
		if !d.AllArgs(&value) {
			return d.ArgErr()
		}
		if value == "off" {
			return nil
		}
		n, err := strconv.Atoi(value)
		if err != nil || n <= 0 {
			return d.Errf("%s %q must be a whole number above zero, or off", name, value)
		}
		*to = n
		return nil
	}
}

// size reads a number of bytes.
func size(to *int) func(*caddyfile.Dispenser) error {
	return func(d *caddyfile.Dispenser) error {
		name := d.Val()
		var value string
		if !d.AllArgs(&value) {
			return d.ArgErr()
		}
		n, err := humanize.ParseBytes(value)
		if err != nil {
			return d.Errf("%s %q is not a size such as 16MiB", name, value)
		}
		if n < policy.MinSize || n > maxSize {
			return d.Errf("%s %q must be between 256B and 1GiB", name, value)
		}
		*to = int(n)
		return nil
	}
}

// maxSize is the largest size that an option may have; everything of that size
// is held in memory for each call.
const maxSize = 1 << 30
