// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"

	"github.com/a2aguard/caddy-a2a-guard/caddymodule"
)

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheReadmesCaddyfilesAreValid(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```caddyfile\n(.*?)```").FindAllStringSubmatch(readme(t), -1)
	if len(blocks) == 0 {
		t.Fatal("the README shows no Caddyfile")
	}
	for _, block := range blocks {
		adapted, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(block[1]), nil)
		if err != nil || len(warnings) > 0 {
			t.Errorf("%s\n%v %v", block[1], err, warnings)
			continue
		}
		config := new(caddy.Config)
		if err := json.Unmarshal(adapted, config); err != nil {
			t.Fatal(err)
		}
		config.Admin = &caddy.AdminConfig{Disabled: true}
		if err := caddy.Validate(config); err != nil {
			t.Errorf("%s\n%v", block[1], err)
		}
	}
}

func TestTheReadmeListsEveryOption(t *testing.T) {
	listed := make(map[string]bool)
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)").FindAllStringSubmatch(readme(t), -1) {
		listed[row[1]] = true
	}
	for field := range reflect.TypeFor[caddymodule.Handler]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch name {
		case "":
			continue
		case "rules", "rpc_paths": // lists, which a Caddyfile fills by repetition
			name = strings.TrimSuffix(name, "s")
		}
		if !listed[name] {
			t.Errorf("the option %s is not in the README", name)
		}
	}
}
