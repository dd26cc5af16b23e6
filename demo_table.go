// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"unicode/utf8"
)

// painter colours text for a terminal, or leaves it as it is.
type painter bool

// The colours: SGR parameters (ECMA-48 §8.3.117).
const (
	plain = ""
	bold  = "1"
	faint = "2"
	red   = "31"
	green = "32"
)

func (p painter) paint(colour, text string) string {
	if !p || colour == plain || text == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// cell is text that fills a column.
func (p painter) cell(width int, colour, text string) string {
	return p.paint(colour, text) + padding(width-utf8.RuneCountInString(text))
}

func padding(width int) string { return strings.Repeat(" ", max(width, 0)) }

// The widths of the columns with their gaps. With the remedies the table fits
// tableWidth.
const (
	titleWidth  = 34
	marksWidth  = 16
	endingWidth = 14
	signWidth   = 2
)

// notation explains the marks, line by line.
var notation = [][][2]string{
	{
		{"S", "submitted"}, {"W", "working"}, {"C", "completed"}, {"F", "failed"}, {"X", "canceled"},
		{"M", "message"}, {"E", "error"}, {"a", "artifact chunk"}, {"A", "whole artifact"},
	},
	{
		{"k", "cancel"}, {"k!", "refused"}, {`W"`, "with words"}, {"W*", "with final:true (0.3)"},
		{"/", "half a frame"}, {"?", "no JSON"}, {">", "mended"}, {"=", "passed"},
	},
}

func (p painter) legend() string {
	var b strings.Builder
	for _, line := range notation {
		gap := " "
		for _, entry := range line {
			b.WriteString(gap + p.paint(bold, entry[0]) + " " + entry[1])
			gap = "  "
		}
		b.WriteString("\n")
	}
	return b.String()
}

// head is the table's first two lines.
func (p painter) head() string {
	return " " + p.cell(titleWidth, bold, "what the agent does") +
		p.cell(marksWidth+endingWidth, bold, "what the client sees directly") + padding(signWidth) +
		p.cell(marksWidth+endingWidth, bold, "and through the guard") +
		p.paint(bold, "what the guard does") + "\n" +
		" " + p.paint(faint, strings.Repeat("-", 118)) + "\n"
}

// row is one line of the table, as far as its calls have come.
func (p painter) row(r *row) string {
	sign, remedy, colour := " ", "", faint
	switch {
	case !r.finished:
	case len(r.faults) > 0:
		sign, remedy, colour = "!", "NOT AS PROMISED", bold+";"+red
	case r.mends():
		sign, remedy, colour = ">", r.remedy, green
	default:
		sign, remedy = "=", r.remedy
	}
	return " " + p.cell(titleWidth, plain, r.title) +
		p.account(&r.accounts[direct]) +
		p.cell(signWidth, colour, sign) +
		p.account(&r.accounts[guarded]) +
		p.paint(colour, remedy)
}

// account is what one client saw: its marks in order, and how the call ended.
func (p painter) account(a *account) string {
	var b strings.Builder
	width := 0
	for _, m := range a.Marks {
		colour := plain
		if m.Bad {
			colour = red
		}
		b.WriteString(p.paint(colour, m.Text) + " ")
		width += utf8.RuneCountInString(m.Text) + 1
	}
	b.WriteString(padding(marksWidth - width))
	switch {
	case a.Ending == "":
		b.WriteString(p.cell(endingWidth, faint, "..."))
	case a.Bad:
		b.WriteString(p.cell(endingWidth, red, a.Ending))
	default:
		b.WriteString(p.cell(endingWidth, plain, a.Ending))
	}
	return b.String()
}
