// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

// body is what was read of a request's body.
type body struct {
	bytes     []byte
	more      io.Reader // what was not read, nil if everything was
	truncated bool      // longer than the limit
	late      bool      // not there in time
	err       error     // the body broke off
}

// bom may stand before a body: some parsers skip it.
var bom = []byte("\ufeff")

// firstRead is enough to see whether a body can be a call.
const firstRead = 512

// readBody reads a body that may be a call, up to max_request_body and for at most
// wait. A body that starts like no JSON object or array is left alone unless all
// is set.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request, wait time.Duration, all bool) (b body) {
	if r.Body == http.NoBody {
		return b
	}
	limit := h.guard.Policy.Limits.MaxRequestBody
	if wait > 0 {
		late := &bodyTimeout{w: w}
		h.timeouts.start(&late.timeout, late, time.Now(), wait)
		defer func() {
			if !h.timeouts.stop(&late.timeout) {
				late.setReadDeadline(time.Time{})
			}
		}()
	}
	size := firstRead
	if n := r.ContentLength; n >= 0 && n < int64(64<<10) {
		size = int(n) + 1 // one more, to meet the end without growing
	}
	buf := make([]byte, 0, size)
	for looked := all; ; {
		// No more than is wanted: a chunked body fills what it is given.
		n, err := r.Body.Read(buf[len(buf):min(cap(buf), limit+1)])
		buf = buf[:len(buf)+n]
		b.bytes = buf
		if len(buf) > limit { // also where the end came along
			b.truncated, b.more = true, r.Body
			return b
		}
		if err != nil {
			b.fail(err, r.Body)
			return b
		}
		if !looked {
			if text := bytes.TrimLeft(bytes.TrimPrefix(buf, bom), " \t\r\n"); len(text) > 0 && !bytes.HasPrefix(bom, buf) {
				looked = true
				if text[0] != '{' && text[0] != '[' {
					b.more = r.Body
					return b
				}
			}
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
}

// bodyTimeout breaks the reading of a body off.
type bodyTimeout struct {
	timeout
	w http.ResponseWriter
}

// expired implements expirer.
func (b *bodyTimeout) expired() { b.setReadDeadline(time.Unix(1, 0)) }

func (b *bodyTimeout) setReadDeadline(at time.Time) {
	_ = http.NewResponseController(b.w).SetReadDeadline(at) // not every writer has deadlines
}

// fail notes why reading stopped. What more can be had is left to whoever reads
// on.
func (b *body) fail(err error, from io.Reader) {
	switch {
	case errors.Is(err, io.EOF):
	case isTooLarge(err):
		b.truncated, b.more = true, from
	case errors.Is(err, os.ErrDeadlineExceeded):
		b.late, b.more = true, from
	default:
		b.err = err
	}
}

func isTooLarge(err error) bool {
	_, ok := errors.AsType[*http.MaxBytesError](err)
	return ok
}

// restore gives the request a body that reads as if nobody had read it.
func (b *body) restore(r *http.Request) {
	var rest io.Reader = bytes.NewReader(b.bytes)
	switch {
	case b.more != nil:
		rest = io.MultiReader(rest, b.more)
	case b.err != nil:
		rest = io.MultiReader(rest, errorReader{b.err})
	}
	r.Body = io.NopCloser(rest)
}

// wholeBody is a request's body that is in memory.
type wholeBody struct{ bytes.Reader }

// Close implements io.Closer.
func (*wholeBody) Close() error { return nil }

// give gives it to a request, and to the transport again if that finds its connection
// closed before anything was written.
func (b *wholeBody) give(r *http.Request, text []byte) {
	r.Body, r.ContentLength = http.NoBody, int64(len(text))
	if len(text) > 0 { // else the transport would have to find out
		b.Reset(text)
		r.Body = b
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	}
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }
