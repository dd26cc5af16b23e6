// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Suggest completes an error about an unknown name: with the known one that was
// probably meant, else with all of them.
func Suggest(name string, known []string) string {
	best, distance := "", len(name)/3+1 // beyond that it is another word
	for _, k := range known {
		if d := editDistance(name, k); d < distance || strings.EqualFold(name, k) {
			best, distance = k, d
		}
	}
	if best != "" {
		return fmt.Sprintf(", did you mean %q?", best)
	}
	return fmt.Sprintf(", use one of %q", known)
}

// ruleIDs are the ids of the catalogue, sorted.
func ruleIDs() []string {
	ids := make([]string, 0, len(rules))
	for _, info := range rules {
		ids = append(ids, info.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// editDistance is how many bytes must be inserted, removed or replaced to make
// one word of the other.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
