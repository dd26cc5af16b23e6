// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// summary counts what came of the rows and says where to go next.
func (p painter) summary(rows []*row, took time.Duration) string {
	var mended, passed, broken int
	acted := make(map[string]int)
	for _, r := range rows {
		switch {
		case len(r.faults) > 0:
			broken++
		case r.mends():
			mended++
		default:
			passed++
		}
		for rule, n := range r.rules {
			acted[rule] += n
		}
	}
	var counts []string
	count := func(n int, colour, what string) {
		if n > 0 {
			counts = append(counts, p.paint(colour, fmt.Sprintf(what, n)))
		}
	}
	count(mended, bold+";"+green, "> %d mended")
	count(passed, bold, "= %d passed byte for byte")
	count(broken, bold+";"+red, "! %d not as promised")
	var b strings.Builder
	fmt.Fprintf(&b, "\n %s, in %.1f s.\n", strings.Join(counts, ", "), took.Seconds())
	if len(acted) > 0 {
		b.WriteString(wrap(" Rules that acted: ", countList(acted)))
	}
	if words := errorWords(rows); words != "" {
		b.WriteString(wrap(" An E says, for one: ", strings.Fields(words)))
	}
	for _, r := range rows {
		for _, fault := range r.faults {
			fmt.Fprintf(&b, " %s %s: %s\n", p.paint(red, "!"), r.fault, fault)
		}
	}
	return b.String()
}

// errorWords are those of the first error that the guard wrote, without the part
// for machines.
func errorWords(rows []*row) string {
	for _, r := range rows {
		if r.mends() && r.accounts[guarded].Words != "" {
			words, _, _ := strings.Cut(r.accounts[guarded].Words, " (")
			return words
		}
	}
	return ""
}

// next says where to go from here.
const next = `
 Next: go run . demo --fault no-final              one fault, with every byte on the wire
       go run . demo --serve                       agent and guard stay up, with curl lines to try
       go run . run --config Caddyfile.example     the guard before your own agent (A2A_UPSTREAM=host:port)
`

// countList lists names with their counts, the most frequent first.
func countList(counts map[string]int) []string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if d := counts[b] - counts[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		if n := counts[name]; n > 1 {
			names[i] = fmt.Sprintf("%s x%d", name, n)
		}
		if i < len(names)-1 {
			names[i] += ","
		}
	}
	return names
}

// wrap fills lines with words below one another, after a title.
func wrap(title string, words []string) string {
	const width = 118
	var b strings.Builder
	line := title
	for i, word := range words {
		if i > 0 && len(line)+len(word) > width {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = padding(len(title))
		}
		line += word + " "
	}
	return b.String() + strings.TrimRight(line, " ") + "\n"
}

// wire shows a scenario's answers as they came over the wire.
func (p painter) wire(r *row) string {
	var b strings.Builder
	for side, name := range []string{direct: "directly", guarded: "through the guard"} {
		fmt.Fprintf(&b, "\n %s\n", p.paint(bold, name))
		for line := range strings.Lines(string(r.accounts[side].Body)) {
			if line = strings.TrimSpace(line); line != "" {
				b.WriteString("   " + line + "\n")
			}
		}
	}
	return b.String()
}
