// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"net/http"
	"strings"
)

// headerFields are some fields of a header, their values shared with it.
type headerFields struct {
	first [2]headerField // enough for most configurations
	more  []headerField
	n     int // of first
}

type headerField struct {
	name   string
	values []string
}

func (f *headerFields) add(name string, values []string) {
	if f.n < len(f.first) {
		f.first[f.n] = headerField{name, values}
		f.n++
	} else {
		f.more = append(f.more, headerField{name, values})
	}
}

// put sets the fields in a header.
func (f *headerFields) put(header http.Header) {
	for _, fields := range [...][]headerField{f.first[:f.n], f.more} {
		for _, field := range fields {
			header[field.name] = field.values
		}
	}
}

// comeBack are the fields that tell a client how to come back.
var comeBack = [...]string{"Www-Authenticate", "Retry-After"}

// completeCacheControl keeps caches and compressors away from an event stream.
func completeCacheControl(header http.Header) {
	value := header.Get("Cache-Control")
	for _, directive := range [...]string{"no-cache", "no-transform"} {
		if !strings.Contains(strings.ToLower(value), directive) {
			if value != "" {
				value += ", "
			}
			value += directive
		}
	}
	header.Set("Cache-Control", value)
	header.Set("X-Accel-Buffering", "no")
}
