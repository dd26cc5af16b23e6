// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

// holders are the principals that have tasks in the memory, as a heap with the one
// that has the most at its root.
type holders struct {
	byName map[string]uint32
	all    []holder // by number
	free   []uint32 // numbers of principals that are gone
	heap   []uint32
}

type holder struct {
	name  string
	count int
	place int // in the heap
	tasks list
}

func (h *holders) at(n uint32) *holder { return &h.all[n] }

// open returns the number of a principal.
func (h *holders) open(name string) uint32 {
	n, known := h.byName[name]
	if known {
		return n
	}
	if last := len(h.free) - 1; last >= 0 {
		n, h.free = h.free[last], h.free[:last]
	} else {
		n = uint32(len(h.all))
		h.all = append(h.all, holder{})
	}
	h.byName[name] = n
	h.all[n] = holder{name: name, place: len(h.heap), tasks: list{links: linksOfHolder}}
	h.heap = append(h.heap, n)
	return n
}

// grow counts one more task of a principal and returns the list for it.
func (h *holders) grow(n uint32) *list {
	p := &h.all[n]
	p.count++
	h.rise(p.place)
	return &p.tasks
}

// shrink counts one task less. A principal without any is forgotten.
func (h *holders) shrink(n uint32) {
	p := &h.all[n]
	p.count--
	for {
		child := 2*p.place + 1
		if next := child + 1; next < len(h.heap) && h.size(next) > h.size(child) {
			child = next
		}
		if child >= len(h.heap) || h.size(child) <= p.count {
			break
		}
		h.swap(p.place, child)
	}
	if p.count > 0 {
		return
	}
	place, last := p.place, len(h.heap)-1
	h.swap(place, last)
	if h.heap = h.heap[:last]; place < last {
		h.rise(place) // nobody is below, where one without tasks has sunk to
	}
	delete(h.byName, p.name)
	*p = holder{}
	h.free = append(h.free, n)
}

// victim returns the task that goes if a principal needs room: the oldest of who
// has the most, which is the principal itself if nobody has more.
func (h *holders) victim(name string) uint32 {
	most := h.heap[0]
	if n, known := h.byName[name]; known && h.all[n].count == h.all[most].count {
		most = n
	}
	return h.all[most].tasks.oldest
}

// rise moves a principal up to where it belongs.
func (h *holders) rise(place int) {
	for place > 0 {
		parent := (place - 1) / 2
		if h.size(parent) >= h.size(place) {
			return
		}
		h.swap(place, parent)
		place = parent
	}
}

func (h *holders) size(place int) int { return h.all[h.heap[place]].count }

func (h *holders) swap(i, j int) {
	h.heap[i], h.heap[j] = h.heap[j], h.heap[i]
	h.all[h.heap[i]].place, h.all[h.heap[j]].place = i, j
}
