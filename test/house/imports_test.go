// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package house_test

import (
	"slices"
	"strings"
	"testing"
)

// A part is a package with all packages below it that are no part themselves.
type part struct {
	folder string
	// mayImport names the other parts that it may import.
	mayImport []string
	// mayLink are the prefixes of packages beyond the standard library and the
	// house that may be linked; nil is none.
	mayLink []string
	// isPure forbids I/O, clocks, logging, randomness and goroutines.
	isPure bool
	// linksCaddy allows Caddy in the package and in its tests.
	linksCaddy bool
}

var (
	jsonReader = []string{"github.com/go-json-experiment/json/jsontext", "github.com/go-json-experiment/json/internal"}
	anything   = []string{""}
)

// parts is the plan of the house. Imports run one way:
//
//	policy <- guard/sse, guard/a2a <- guard <- metrics, spans <- caddymodule <- main
//
// A new package needs a place here.
var parts = []part{
	{folder: "policy", isPure: true},
	{folder: "guard/sse", mayImport: []string{"policy"}, isPure: true},
	{folder: "guard/a2a", mayImport: []string{"policy"}, mayLink: jsonReader, isPure: true},
	{folder: "guard", mayImport: []string{"policy", "guard/sse", "guard/a2a"}, mayLink: jsonReader, isPure: true},
	{folder: "metrics", mayImport: []string{"policy", "guard", "guard/sse", "guard/a2a"}, mayLink: anything},
	{folder: "spans", mayImport: []string{"policy", "guard", "guard/a2a"}, mayLink: anything},
	{
		folder: "caddymodule", mayImport: []string{"policy", "guard", "guard/sse", "guard/a2a", "metrics", "spans"},
		mayLink: anything, linksCaddy: true,
	},
	{folder: "examples", mayLink: anything},
	{folder: ".", mayImport: []string{"caddymodule", "examples"}, mayLink: anything, linksCaddy: true},
	{
		folder:    "test",
		mayImport: []string{"policy", "guard", "guard/sse", "guard/a2a", "metrics", "caddymodule", "examples"},
		mayLink:   anything, linksCaddy: true,
	},
}

// partOf finds the innermost part that holds a folder of the house.
func partOf(folder string) (part, bool) {
	var found part
	for _, candidate := range parts {
		if folder == candidate.folder || strings.HasPrefix(folder, candidate.folder+"/") {
			if len(candidate.folder) > len(found.folder) {
				found = candidate
			}
		}
	}
	return found, found.folder != ""
}

// within says whether an import path is one of the prefixes or lies below one.
func within(importPath string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(prefix string) bool {
		return prefix == "" || importPath == prefix || strings.HasPrefix(importPath, prefix+"/")
	})
}

func TestTheCoreIsThere(t *testing.T) {
	for folder := range house(t) {
		if within(folder, "policy", "guard") {
			return
		}
	}
	t.Fatal("no package under policy or guard: the rules below would hold for nothing")
}

func TestEveryPackageHasAPlaceInTheHouse(t *testing.T) {
	for folder := range house(t) {
		if _, ok := partOf(folder); !ok {
			t.Errorf("%s is in no part of the house: give it a place in parts", folder)
		}
	}
}

func TestImportsRunOneWay(t *testing.T) {
	for folder, pkg := range house(t) {
		home, _ := partOf(folder)
		for _, imported := range slices.Concat(pkg.Imports, pkg.TestImports, pkg.XTestImports) {
			target, own := folderOf(imported)
			if !own {
				continue
			}
			if room, _ := partOf(target); room.folder != home.folder && !slices.Contains(home.mayImport, room.folder) {
				t.Errorf("%s imports %s: %q may import of the house only %q", folder, target, home.folder, home.mayImport)
			}
		}
	}
}

func TestTheCoreLinksOnlyWhatItMay(t *testing.T) {
	packages := graph(t)
	for folder, pkg := range house(t) {
		home, _ := partOf(folder)
		for _, dep := range pkg.Deps {
			if _, own := folderOf(dep); !own && !packages[dep].Standard && !within(dep, home.mayLink...) {
				t.Errorf("%s links %s: beyond the standard library it may link only %q", folder, dep, home.mayLink)
			}
		}
	}
}

func TestOnlyTheGlueLinksCaddy(t *testing.T) {
	packages := graph(t)
	for folder, pkg := range house(t) {
		if home, _ := partOf(folder); home.linksCaddy {
			continue
		}
		for binary, deps := range map[string][]string{
			folder:                  pkg.Deps,
			"the test of " + folder: packages[pkg.ImportPath+".test"].Deps,
		} {
			if slices.ContainsFunc(deps, func(dep string) bool { return within(dep, "github.com/caddyserver") }) {
				t.Errorf("%s links Caddy: only caddymodule, main and test may", binary)
			}
		}
	}
}
