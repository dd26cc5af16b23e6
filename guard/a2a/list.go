// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

// maxTasks bounds how many tasks of one list are read.
const maxTasks = 1024

var listFields = []field{{camel: "tasks"}, {"nextPageToken", "next_page_token"}, {"totalSize", "total_size"}}

// list reads the list of tasks that comes next (A2A 1.0 §3.1.4).
func (c *cursor) list(r *Response) {
	o, ok := c.open(listFields)
	if !ok {
		return
	}
	for o.next() {
		switch o.field {
		case 0:
			c.listedTasks(r)
		case 1:
			r.PageToken = c.value().IsString()
		case 2:
			r.TotalAt.Start = c.offset()
			c.skip()
			r.TotalAt.End = c.at
		default:
			c.skip()
		}
	}
}

func (c *cursor) listedTasks(r *Response) {
	for range c.elements() {
		if len(r.Tasks) == maxTasks {
			r.MoreTasks = true
			c.skip()
			continue
		}
		o, ok := c.open(payloadFields[:wrapped])
		if !ok {
			continue
		}
		ev := Event{Kind: Task, Dialect: V10, Payloads: 1}
		var f flat
		for o.next() {
			c.member(&ev, &f, o.field)
		}
		ev.Object = Span{o.start, o.end}
		if f.kind != nil {
			ev.Dialect, ev.Kinded = V03, true
		}
		ev.identify(&f)
		r.Tasks = append(r.Tasks, ev)
	}
}

// ElementAt returns where the n-th element of an array's text starts, or its end.
func ElementAt(array []byte, n int) int {
	var c cursor
	c.reset(array)
	for i := range c.elements() {
		if i == n {
			return c.offset()
		}
		c.skip()
	}
	return len(array)
}
