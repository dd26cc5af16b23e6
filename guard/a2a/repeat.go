// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import "bytes"

// repeat recognizes a chunk of an artifact that differs from the one before it
// only within one text, as the chunks of a language model's answer do. What
// stands before and behind that text is compared, not read again: a text that
// needs no escape cannot change what the rest means.
type repeat struct {
	last     []byte // the data of the last chunk, empty if none can be repeated
	from, to int    // the text in it

	// holder is the caller's response that still holds a repetition whose text
	// ends at end, nil if none does: only what stands behind moves then.
	holder *Response
	end    int

	read Response // what was read of the last chunk; its tokens point into last
}

const (
	maxRepeat = 2 << 10 // what one reader keeps at most
	textKey   = `"text":"`
)

// forget forgets the last chunk.
func (k *repeat) forget() { k.last, k.holder = k.last[:0], nil }

// note keeps a response that may be repeated.
func (k *repeat) note(data []byte, r *Response) {
	if r.Event.Kind != ArtifactUpdate || r.Flaw != NoFlaw || len(data) > maxRepeat {
		return
	}
	k.forget()
	object := r.Event.Artifact.Object
	// In valid JSON this can only be a member's name, or the end of one, and the
	// beginning of its value: a quote within a string is escaped.
	at := bytes.Index(object.Of(data), []byte(textKey))
	if at < 0 {
		return
	}
	from := object.Start + at + len(textKey)
	length := plainLength(data[from:])
	if data[from+length] != '"' {
		return
	}
	k.last = append(k.last, data...)
	k.from, k.to = from, from+length
	k.read = *r
	ev := &k.read.Event
	ev.Artifacts = nil
	for _, token := range [...]*Token{&k.read.ID, &ev.TaskID, &ev.ContextID, &ev.Timestamp, &ev.Artifact.ID} {
		if *token != nil {
			start := bytes.Index(k.last, *token) // wherever: it says the same
			*token = k.last[start : start+len(*token)]
		}
	}
}

// match reads data into r if it repeats the last chunk.
func (k *repeat) match(data []byte, r *Response) bool {
	behind := len(k.last) - k.to
	end := len(data) - behind // of the text
	if len(k.last) == 0 || end < k.from || !bytes.Equal(data[:k.from], k.last[:k.from]) ||
		!bytes.Equal(data[end:], k.last[k.to:]) || plainLength(data[k.from:end]) != end-k.from {
		return false
	}
	ev := &r.Event
	if k.holder != r {
		artifacts := ev.Artifacts[:0]
		*r = k.read
		ev.Artifacts = artifacts
		k.holder, k.end = r, k.to
	}
	if moved := end - k.end; moved != 0 {
		for _, span := range [...]*Span{&r.IDAt, &r.Result, &ev.Status, &ev.FinalAt, &ev.AppendAt, &ev.Artifact.Object, &ev.Object} {
			span.move(k.from, moved)
		}
		k.end = end
	}
	return true
}

// move shifts what of the span lies behind a place.
func (s *Span) move(behind, by int) {
	if s.Start > behind {
		s.Start += by
	}
	if s.End > behind {
		s.End += by
	}
}
