// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"reflect"
	"strings"
	"testing"
)

const (
	chunk10 = `{"jsonrpc":"2.0","id":"q1","result":{"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"a1","parts":[{"text":"the parcel"}]},"append":true}}}`
	chunk03 = `{"result":{"kind":"artifact-update","artifact":{"parts":[{"kind":"text","text":""}],"artifactId":"a\u0031"},"append":false,"lastChunk":true,"taskId":"t1","contextId":"c1"},"jsonrpc":"2.0","id":7}`
)

// readAfter reads data with a reader that has read another text before.
func readAfter(t *testing.T, before, data string) (r Response, err error, repeated bool) {
	t.Helper()
	var reader ResponseReader
	_ = reader.Read([]byte(before), &r) // whatever it is
	repeated = reader.repeat.match([]byte(data), &r)
	reader.repeat.holder = nil
	for range 3 { // the second repetition moves what the first one left
		err = reader.Read([]byte(data), &r)
	}
	return r, err, repeated
}

// sameRead compares with a reader that has read nothing before.
func sameRead(t *testing.T, before, data string) (repeated bool) {
	t.Helper()
	got, err, repeated := readAfter(t, before, data)
	var want Response
	wantErr := new(ResponseReader).cursorRead([]byte(data), &want)
	got.Event.Artifacts, want.Event.Artifacts = append([]Artifact(nil), got.Event.Artifacts...), append([]Artifact(nil), want.Event.Artifacts...)
	if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
		t.Errorf("%s\nafter %s\nis read as %+v, %v\nnot as    %+v, %v", data, before, got, err, want, wantErr)
	}
	return repeated
}

func (rr *ResponseReader) cursorRead(data []byte, r *Response) error { return rr.c.response(data, r) }

func TestAChunkThatRepeatsTheLastIsReadAlike(t *testing.T) {
	for _, test := range []struct {
		name         string
		before, data string
		repeats      bool
	}{
		{"the same", chunk10, chunk10, true},
		{"a longer text", chunk10, strings.Replace(chunk10, "parcel", "parcel left Leipzig 📦", 1), true},
		{"a shorter text", chunk10, strings.Replace(chunk10, "the parcel", "", 1), true},
		{"0.3, from an empty text", chunk03, strings.Replace(chunk03, `"text":""`, `"text":"12345678"`, 1), true},
		{"no Unicode", chunk10, strings.Replace(chunk10, "parcel", "\xff", 1), true},
		{"an escape", chunk10, strings.Replace(chunk10, "parcel", `\n`, 1), false},
		{"a wrong escape", chunk10, strings.Replace(chunk10, "parcel", `\x`, 1), false},
		{"a control character", chunk10, strings.Replace(chunk10, "parcel", "\x1f", 1), false},
		{"a text that breaks out", chunk10, strings.Replace(chunk10, "parcel", `"}],"artifactId":"b","x":[{"text":"`, 1), false},
		{"another artifact", chunk10, strings.Replace(chunk10, "a1", "a2", 1), false},
		{"cut off", chunk10, chunk10[:len(chunk10)-1], false},
		{"less than what stands before the text", chunk10, "{}", false},
		{"a text that was escaped before", strings.Replace(chunk10, "parcel", `\"text\":\"`, 1), chunk10, false},
		{"a name that ends alike", strings.Replace(chunk10, `"text"`, `"\"text"`, 1), strings.Replace(chunk10, `"text":"the parcel"`, `"\"text":"it"`, 1), true},
		{"no text in the artifact", strings.Replace(chunk10, `"text":"the parcel"`, `"data":{}`, 1), strings.Replace(chunk10, `"text":"the parcel"`, `"data":{}`, 1), false},
		{"ambiguous", strings.Replace(chunk10, `"append":true`, `"append":true,"append":true`, 1), strings.Replace(chunk10, `"append":true`, `"append":true,"append":true`, 1), false},
		{"too large", strings.Replace(chunk10, "parcel", strings.Repeat("x", maxRepeat), 1), strings.Replace(chunk10, "parcel", strings.Repeat("y", maxRepeat), 1), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if repeated := sameRead(t, test.before, test.data); repeated != test.repeats {
				t.Errorf("repeated: %v", repeated)
			}
		})
	}
}

func TestATextIsPlainUpToTheFirstByteThatNeedsAnEscape(t *testing.T) {
	for c := range 256 {
		plain := c >= ' ' && c != '"' && c != '\\'
		for at := range 20 {
			text := []byte(strings.Repeat("\xffa", 10))
			text[at] = byte(c)
			want := len(text)
			if !plain {
				want = at
			}
			if got := plainLength(text); got != want {
				t.Fatalf("%q: %d, not %d", text, got, want)
			}
		}
	}
}

// FuzzRepeat holds what is read after any other text to what is read of the same
// bytes alone.
func FuzzRepeat(f *testing.F) {
	for _, chunk := range []string{chunk10, chunk03} {
		f.Add(chunk, chunk, 0, "")
		f.Add(chunk, chunk, strings.Index(chunk, "text")+8, "it left")
		f.Add(chunk, chunk, strings.Index(chunk, "text")+8, `","x":"`)
	}
	f.Fuzz(func(t *testing.T, before, data string, at int, insert string) {
		if at >= 0 && at <= len(data) {
			data = data[:at] + insert + data[at:]
		}
		sameRead(t, before, data)
	})
}
