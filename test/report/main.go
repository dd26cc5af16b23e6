// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Command report shortens the output of "go test -json" to what the reader of a
// log wants: each package's closing line as it comes, all that a failed or
// skipped test said, and the totals. It fails if a test failed, if one was
// skipped, or if none ran: where it is used, a suite that did not run is a
// failure.
//
//	go test -json ./... | go run ./test/report
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

func main() {
	if err := report(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

// report copies from in to out what is worth reading. Lines that are no events,
// such as make's echo, pass as they are. The error says why the run is no
// success.
func report(in io.Reader, out io.Writer) error {
	d := digest{out: out, said: make(map[source]*strings.Builder)}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		d.line(line)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read the events: %w", err)
		}
	}
	fmt.Fprintf(out, "%d passed, %d failed, %d skipped\n", d.passed, d.failed, d.skipped)
	switch {
	case len(d.broken) > 0:
		return fmt.Errorf("failed: %s", strings.Join(d.broken, ", "))
	case d.skipped > 0:
		return fmt.Errorf("%d tests were skipped: install what they ask for", d.skipped)
	case d.passed == 0:
		return errors.New("no test ran")
	}
	return nil
}

// source is what an event is about; Test is empty for the package as a whole.
type source struct{ Package, Test string }

// event is a line of "go test -json" (go doc test2json).
type event struct {
	source

	Action, Output string
}

// digest is the state of a report.
type digest struct {
	out io.Writer
	// passed, failed and skipped count tests, subtests included.
	passed, failed, skipped int
	// broken are the packages that failed, to build or to pass.
	broken []string
	// said is what the tests that still run have printed.
	said map[source]*strings.Builder
}

func (d *digest) line(line string) {
	var e event
	if json.Unmarshal([]byte(line), &e) != nil || e.Action == "" {
		fmt.Fprint(d.out, line)
		return
	}
	switch e.Action {
	case "output":
		if e.Test == "" && isClosingLine(e.Output) {
			fmt.Fprint(d.out, e.Output)
		} else {
			d.hear(e)
		}
	case "build-output":
		fmt.Fprint(d.out, e.Output)
	case "pass", "fail", "skip":
		d.settle(e)
	}
}

// settle counts a test or package that is over, and shows what it said if that
// matters.
func (d *digest) settle(e event) {
	switch {
	case e.Test == "" && e.Action == "fail":
		d.broken = append(d.broken, e.Package)
		d.showUnfinished(e.Package)
	case e.Test == "": // passed, or has no test files
	case e.Action == "pass":
		d.passed++
	case e.Action == "fail":
		d.failed++
		d.show(e.source)
	case e.Action == "skip":
		d.skipped++
		d.show(e.source)
	}
	delete(d.said, e.source)
}

func (d *digest) hear(e event) {
	if d.said[e.source] == nil {
		d.said[e.source] = new(strings.Builder)
	}
	d.said[e.source].WriteString(e.Output)
}

func (d *digest) show(s source) {
	if text, ok := d.said[s]; ok {
		fmt.Fprint(d.out, text.String())
	}
}

// showUnfinished prints what a failed package and those of its tests said that
// never came to an end, as when the process exits in the middle of one.
func (d *digest) showUnfinished(pkg string) {
	byTest := func(a, b source) int { return strings.Compare(a.Test, b.Test) }
	for _, s := range slices.SortedFunc(maps.Keys(d.said), byTest) {
		if s.Package == pkg {
			d.show(s)
			delete(d.said, s)
		}
	}
}

// isClosingLine tells go test's last word on a package.
func isClosingLine(line string) bool {
	return slices.ContainsFunc([]string{"ok  \t", "FAIL\t", "?   \t"}, func(start string) bool {
		return strings.HasPrefix(line, start)
	})
}
