// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package orders

import "regexp"

// order is what the shop knows about one.
type order struct {
	report  []string // the chunks of the answer
	receipt string
}

var orderID = regexp.MustCompile(`\bBS-[0-9]+\b`)

var book = map[string]order{
	"BS-1042": {
		report: []string{
			"Order BS-1042: two paperbacks and a map.",
			" Packed in Belagavi on Monday.",
			" Arrives on Thursday.",
		},
		receipt: "Receipt for BS-1042: paid by card.",
	},
	"BS-1043": {
		report: []string{
			"Order BS-1043: one atlas.",
			" Waiting for the printer.",
			" Ships next week.",
		},
		receipt: "Receipt for BS-1043: paid on account.",
	},
}

// lookUp finds the order that a text names.
func lookUp(text string) (o order, ok bool) {
	o, ok = book[orderID.FindString(text)]
	return o, ok
}
