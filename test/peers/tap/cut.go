// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package tap

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
)

// Cut makes the tap break each event stream off in the middle of a frame, after a
// number of whole ones. It reads the stream to its end first: the server has done
// all its work when the connection breaks. Call it before any traffic.
func (t *Tap) Cut(frames int) { t.cut = frames }

// isStream says whether a response is an event stream.
func isStream(response *http.Response) bool {
	kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return err == nil && kind == "text/event-stream"
}

// breaking is a body that breaks off.
type breaking struct {
	io.ReadCloser
	frames int
	rest   []byte
	began  bool
}

var errBroken = errors.New("the tap breaks the connection off")

func (b *breaking) Read(p []byte) (int, error) {
	if !b.began {
		b.began = true
		whole, err := io.ReadAll(b.ReadCloser)
		if err != nil {
			return 0, err
		}
		b.rest = firstFrames(whole, b.frames)
	}
	if len(b.rest) == 0 {
		return 0, errBroken
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// firstFrames is the beginning of a stream: some whole frames and half of the next.
func firstFrames(stream []byte, frames int) []byte {
	end := 0
	for range frames {
		length := bytes.Index(stream[end:], []byte("\n\n"))
		if length < 0 {
			return stream
		}
		end += length + 2
	}
	return stream[:end+len(stream[end:])/8]
}
