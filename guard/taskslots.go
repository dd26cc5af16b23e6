// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
)

// slot is one remembered task, without a pointer in it: the garbage collector has
// nothing to follow in a million of them. Times count from when the memory began.
type slot struct {
	task    TaskDigest
	context uint64
	since   time.Duration // when the state was first seen
	seen    time.Duration // when the task was last touched
	links   [2]links
	holder  uint32
	state   a2a.State
	owned   bool // the holder's message has brought the task into being
}

// links are a slot's neighbours in a list, by their numbers; zero is none.
type links struct{ older, newer uint32 }

// The lists that a slot is in.
const (
	linksOfAll = iota
	linksOfHolder
)

// list is a list of slots, the longest untouched first.
type list struct {
	oldest, newest uint32
	links          uint8 // which of the slots' links it goes by
}

// slots are numbered from 1. They grow piece by piece: moving them all would make
// one caller wait.
type slots struct {
	pieces []*[slotsInPiece]slot
	used   uint32 // numbers given out so far
	free   uint32 // the first slot that was given back, which links to the next
}

const slotsInPiece = 1 << 10

func (s *slots) at(n uint32) *slot { return &s.pieces[n/slotsInPiece][n%slotsInPiece] }

func (s *slots) take() uint32 {
	if n := s.free; n != 0 {
		s.free = s.at(n).links[linksOfAll].newer
		return n
	}
	s.used++
	if int(s.used/slotsInPiece) == len(s.pieces) {
		s.pieces = append(s.pieces, new([slotsInPiece]slot))
	}
	return s.used
}

func (s *slots) release(n uint32) {
	*s.at(n) = slot{}
	s.at(n).links[linksOfAll].newer = s.free
	s.free = n
}

// push adds a slot at the list's newest end.
func (s *slots) push(l *list, n uint32) {
	s.at(n).links[l.links] = links{older: l.newest}
	if l.newest == 0 {
		l.oldest = n
	} else {
		s.at(l.newest).links[l.links].newer = n
	}
	l.newest = n
}

func (s *slots) remove(l *list, n uint32) {
	at := s.at(n).links[l.links]
	if at.older == 0 {
		l.oldest = at.newer
	} else {
		s.at(at.older).links[l.links].newer = at.newer
	}
	if at.newer == 0 {
		l.newest = at.older
	} else {
		s.at(at.newer).links[l.links].older = at.older
	}
}
