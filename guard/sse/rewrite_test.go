// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package sse_test

import (
	"testing"

	"github.com/a2aguard/caddy-a2a-guard/guard/sse"
)

func TestDataIsReplacedInItsPlace(t *testing.T) {
	for _, tt := range []struct{ name, frame, data, want string }{
		{"one line", "data: x\n\n", "y", "data: y\n\n"},
		{"other fields stay", "id: 1\r\ndata:x\r\nevent: e\r\ndata: z\r\nretry: 5\r\n\r\n", "y",
			"id: 1\r\ndata: y\r\nevent: e\r\nretry: 5\r\n\r\n"},
		{"comments stay", "data: x\r: c\r\r", "1\n2", "data: 1\rdata: 2\r: c\r\r"},
		{"each line is a field", "data: x\n\n", "{\n  1\n}\n", "data: {\ndata:   1\ndata: }\ndata: \n\n"},
		{"no data", "data: x\nid: 1\n\n", "", "data: \nid: 1\n\n"},
		{"a byte order mark", "\ufeffdata: x\n\n", "y", "\ufeffdata: y\n\n"},
		{"a name without a colon", "data\n\n", "y", "data: y\n\n"},
		{"CRLF in data", "data: x\n\n", "y\r\nz", "data: y\ndata: z\n\n"},
		{"CR in data cannot end the frame", "data: x\n\n", "y\r\rid: 1", "data: y\ndata: \ndata: id: 1\n\n"},
		{"mixed ends stay", "id: 1\rdata: x\nevent: e\r\n\r", "y", "id: 1\rdata: y\nevent: e\r\n\r"},
		{"CR and LF do not become one end", "data: a\rdata: b\n\n", "y", "data: y\r\n\n"},
		{"nor do those of another line", "data: a\rid: 1\rdata: b\n\n", "y", "data: y\rid: 1\r\n\n"},
	} {
		u := frame(t, []byte(tt.frame), smallLimit)[0]
		if got := string(u.AppendData([]byte("> "), []byte(tt.data))); got != "> "+tt.want {
			t.Errorf("%s: %q becomes %q, want %q", tt.name, tt.frame, got, tt.want)
		}
	}
}

func TestTheRestCanBeRewritten(t *testing.T) {
	for _, tt := range []struct{ stream, want string }{
		{"\ufeffid: 1\ndata: x", "\ufeffid: 1\ndata: y\n\n"},
		{"data: a\r\n\r\ndata: x\r", "data: y\r\n\r\n"},
		{"data: x\rdata: z\nid: 4", "data: y\r\n\n"},
	} {
		units := frame(t, []byte(tt.stream), smallLimit)
		u := units[len(units)-1]
		if got := string(u.AppendData(nil, []byte("y"))); got != tt.want {
			t.Errorf("%q becomes %q, want %q", tt.stream, got, tt.want)
		}
	}
}

func TestNothingButAFrameHasDataToReplace(t *testing.T) {
	for _, u := range []sse.Unit{
		{Kind: sse.Filler, Raw: []byte(": ping\n")},
		{Kind: sse.Oversize, Raw: []byte("xxx")},
		{},
	} {
		if got := string(u.AppendData(nil, []byte("y"))); got != string(u.Raw) {
			t.Errorf("%q becomes %q", u.Raw, got)
		}
	}
}
