// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package house_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"path"
	"slices"
	"strconv"
	"testing"
)

// impure are the packages that do I/O, log, read clocks or draw random numbers.
// Only a direct import counts: fmt links os, and is harmless.
var impure = []string{"net", "os", "syscall", "log", "context", "math/rand", "crypto/rand"}

// harmless are the packages below an impure one that only hold values: netip
// parses and compares addresses, and opens nothing.
var harmless = []string{"net/netip"}

// timeNames is what the core may use of package time: its two types and the
// units. Methods of the types read no clock and are not looked at.
var timeNames = []string{"Time", "Duration", "Nanosecond", "Microsecond", "Millisecond", "Second", "Minute", "Hour"}

// impurities lists what a file of the core must not do.
func impurities(file *ast.File) []string {
	var found []string
	report := func(node ast.Node, what string) {
		found = append(found, fmt.Sprintf("%s: %s", positions.Position(node.Pos()), what))
	}
	clock := "" // the name that package time goes by
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			report(spec, err.Error())
			continue
		}
		if within(imported, impure...) && !within(imported, harmless...) {
			report(spec, "imports "+imported)
		}
		if imported != "time" {
			continue
		}
		switch {
		case spec.Name == nil:
			clock = "time"
		case spec.Name.Name == ".":
			report(spec, "imports time without its name")
		default:
			clock = spec.Name.Name
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.GoStmt:
			report(node, "starts a goroutine")
		case *ast.SelectorExpr:
			if pkg, ok := node.X.(*ast.Ident); ok && clock != "" && pkg.Name == clock && !slices.Contains(timeNames, node.Sel.Name) {
				report(node, "uses time."+node.Sel.Name)
			}
		}
		return true
	})
	return found
}

func TestTheCoreIsPure(t *testing.T) {
	looked := 0
	for _, file := range tree(t) {
		if home, _ := partOf(path.Dir(file.path)); !file.isGo() || file.isTest() || !home.isPure {
			continue
		}
		looked++
		for _, impurity := range impurities(file.syntax) {
			t.Errorf("%s; the core gets times and bytes from its caller", impurity)
		}
	}
	if looked == 0 {
		t.Fatal("found no file of the core")
	}
}

func TestEveryImpurityIsFound(t *testing.T) {
	tests := []struct {
		name, imports, body string
		want                int
	}{
		{"the types and units", `"time"`, `_ = time.Time{}.Add(time.Duration(2) * time.Second)`, 0},
		{"the clock", `"time"`, `_ = time.Now()`, 1},
		{"the clock by another name", `clock "time"`, `_ = clock.Now()`, 1},
		{"the clock as a value", `"time"`, `now := time.Now; _ = now`, 1},
		{"the clock without a name", `. "time"`, `_ = Now()`, 1},
		{"timers and sleep", `"time"`, `time.Sleep(1); <-time.After(1); time.NewTimer(1)`, 3},
		{"parsing", `"time"`, `time.Parse(time.RFC3339, "")`, 2},
		{"a goroutine", `"strings"`, `go func() {}()`, 1},
		{"the network", `"net/http"`, ``, 1},
		{"addresses", `"net/netip"`, ``, 0},
		{"randomness", `"math/rand/v2"`, ``, 1},
		{"a local variable that has the clock's name", `"strings"`, `var time struct{ Now int }; _ = time.Now`, 0},
		{"harmless packages", `"math/bits"`, ``, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			source := "package x\nimport " + test.imports + "\nfunc f() {" + test.body + "}"
			file, err := parser.ParseFile(positions, "x.go", source, 0)
			if err != nil {
				t.Fatal(err)
			}
			if got := impurities(file); len(got) != test.want {
				t.Errorf("found %q, want %d", got, test.want)
			}
		})
	}
}
