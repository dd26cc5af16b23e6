// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"fmt"
	"sync/atomic"
)

// label is a closed set of a label's values.
type label struct {
	count int
	name  func(i int) string
}

// enum is the set of an enumeration's names, of which there are count.
func enum[E interface {
	~uint8
	fmt.Stringer
}](count E) label {
	return label{int(count), func(i int) string { return E(i).String() }}
}

// table holds one metric's series of one agent. A series begins when it is first
// needed, and is found by the numbers of its labels from then on.
type table[M any] struct {
	agent  string
	with   func(labels ...string) M
	labels []label
	series []atomic.Pointer[M]
}

func newTable[M any](agent string, with func(...string) M, labels ...label) table[M] {
	size := 1
	for _, l := range labels {
		size *= l.count
	}
	return table[M]{agent, with, labels, make([]atomic.Pointer[M], size)}
}

// at returns the series with the labels, in their order.
func (t *table[M]) at(labels ...int) M {
	i := 0
	for n, l := range t.labels {
		i = i*l.count + labels[n]
	}
	if m := t.series[i].Load(); m != nil {
		return *m
	}
	names := []string{t.agent}
	for n, l := range t.labels {
		names = append(names, l.name(labels[n]))
	}
	m := t.with(names...)
	t.series[i].Store(&m)
	return m
}
