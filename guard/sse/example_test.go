// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package sse_test

import (
	"fmt"

	"github.com/a2aguard/caddy-a2a-guard/guard/sse"
)

// An event comes in two chunks and goes out with other data; what dispatches
// nothing passes at once.
func ExampleFramer() {
	f := sse.NewFramer(1 << 20)
	for _, chunk := range []string{": ping\nid: 1\ndata: {\"st", "ate\":\"old\"}\n\nda"} {
		f.Push([]byte(chunk))
		for u, ok := f.Next(); ok; u, ok = f.Next() {
			switch u.Kind {
			case sse.Frame:
				fmt.Printf("frame %s goes out as %q\n", u.Data, u.AppendData(nil, []byte(`{"state":"new"}`)))
			case sse.Filler, sse.Oversize:
				fmt.Printf("%q passes\n", u.Raw)
			}
		}
		fmt.Println("kept:", f.Buffered())
	}
	_, ok := f.Rest()
	fmt.Println("an event was left:", ok)
	// Output:
	// ": ping\n" passes
	// kept: 16
	// frame {"state":"old"} goes out as "id: 1\ndata: {\"state\":\"new\"}\n\n"
	// kept: 2
	// an event was left: false
}
