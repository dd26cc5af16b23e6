// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// screen is where the demo is shown: a terminal, on which the table fills while
// the calls run, or anything else, which gets each row once it is complete.
type screen struct {
	io.Writer
	painter
	live bool
}

const (
	tableWidth   = 120
	tableMargin  = 3 // lines of a terminal that the table's rows must leave
	redrawPeriod = 50 * time.Millisecond
)

// newScreen finds out what the output can do. NO_COLOR is respected.
func newScreen(out *os.File) *screen {
	s := &screen{Writer: out}
	if !term.IsTerminal(int(out.Fd())) || os.Getenv("TERM") == "dumb" {
		return s
	}
	s.painter = os.Getenv("NO_COLOR") == ""
	width, height, err := term.GetSize(int(out.Fd()))
	s.live = err == nil && width >= tableWidth && height >= len(scenarios)+tableMargin
	return s
}

// show shows the board's rows while play plays them.
func (s *screen) show(b *board, play func(finished func(int)) error) error {
	finished := make(chan int, len(b.rows))
	ended := make(chan error, 1)
	go func() { ended <- play(func(i int) { finished <- i }) }()
	if s.live {
		return s.showLive(b, ended)
	}
	return s.showInOrder(b, finished, ended)
}

// showLive draws all rows again and again.
func (s *screen) showLive(b *board, ended <-chan error) error {
	fmt.Fprint(s, "\x1b[?25l")       // hide the cursor
	defer fmt.Fprint(s, "\x1b[?25h") // show it
	ticker := time.NewTicker(redrawPeriod)
	defer ticker.Stop()
	s.draw(b)
	for {
		select {
		case <-ticker.C:
			s.redraw(b)
		case err := <-ended:
			s.redraw(b)
			return err
		}
	}
}

func (s *screen) redraw(b *board) {
	fmt.Fprintf(s, "\x1b[%dA", len(b.rows)) // up to the first row
	s.draw(b)
}

func (s *screen) draw(b *board) {
	for i := range b.rows {
		b.look(i, func(r *row) { fmt.Fprint(s, s.row(r), "\x1b[K\n") })
	}
}

// showInOrder prints each row as soon as it and those before it are complete.
func (s *screen) showInOrder(b *board, finished <-chan int, ended <-chan error) error {
	next := 0
	for {
		select {
		case <-finished:
			next = s.print(b, next)
		case err := <-ended:
			s.print(b, next)
			return err
		}
	}
}

// print prints the complete rows from next on and returns the first that is not.
func (s *screen) print(b *board, next int) int {
	for complete := true; complete && next < len(b.rows); {
		b.look(next, func(r *row) {
			if complete = r.finished; complete {
				fmt.Fprintln(s, s.row(r))
				next++
			}
		})
	}
	return next
}
