// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"time"
)

func TestAPercentileIsNeverBelowWhatWasMeasured(t *testing.T) {
	for _, d := range []time.Duration{0, 1, 31, 32, 33, 63, 64, 1000, 12345, time.Millisecond, time.Second, 30 * time.Second} {
		var h histogram
		h.add(d)
		if got := h.percentile(0.99); got < d || got > d+d/steps {
			t.Errorf("%v comes out as %v", d, got)
		}
	}
	var h histogram
	h.add(time.Hour) // longer than there are buckets for
	if got := h.percentile(0.5); got < 30*time.Second {
		t.Errorf("an hour comes out as %v", got)
	}
}

func TestPercentilesCountFromBelow(t *testing.T) {
	var even, odd, all histogram
	for i := range 100 {
		h := &even
		if i%2 == 1 {
			h = &odd
		}
		h.add(time.Duration(i % 30))
	}
	all.merge(&even)
	all.merge(&odd)
	if all.count != 100 || all.percentile(0.5) != 13 || all.percentile(1) != 29 {
		t.Errorf("%d: %v, %v", all.count, all.percentile(0.5), all.percentile(1))
	}
	if got := new(histogram).percentile(0.5); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

func TestTheSpreadIsThatOfTheValues(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   spread
	}{
		{nil, spread{}},
		{[]float64{3}, spread{3, 3, 3}},
		{[]float64{3, 1, 2}, spread{2, 1, 3}},
		{[]float64{4, 1, 2, 3}, spread{2.5, 1, 4}},
	} {
		if got := spreadOf(test.values); got != test.want {
			t.Errorf("%v: %+v", test.values, got)
		}
	}
}

func TestEventsAreJSONOfTheirSize(t *testing.T) {
	for _, client := range []int{0, 7, 1999} {
		for _, s := range scenarios {
			for i, e := range newEvents(s.binding(), client) {
				data, ok := bytes.CutPrefix(bytes.TrimSuffix(e.bytes, []byte("\n\n")), []byte("data: "))
				if len(e.bytes) != eventSize || !ok || !json.Valid(data) {
					t.Errorf("event %d of client %d: %d bytes, %s", i, client, len(e.bytes), e.bytes)
				}
			}
			for _, call := range s.calls() {
				if body := call.answerTo(client); len(body) != answerSize || !json.Valid(body) {
					t.Errorf("client %d: %d bytes, %s", client, len(body), body)
				}
			}
		}
	}
}

func TestAStampComesBackAndNothingElseMayChange(t *testing.T) {
	sent := newEvents(false, 3)[1]
	before := time.Since(epoch)
	came := bytes.Clone(sent.stamped())
	stamp, err := sent.readStamp(came)
	if err != nil || stamp < before || stamp > time.Since(epoch) {
		t.Errorf("%v, %v, not after %v", stamp, err, before)
	}
	came[len(came)-5]++
	if _, err := sent.readStamp(came); !errors.Is(err, errChanged) {
		t.Errorf("a changed event: %v", err)
	}
}

func TestATailIsTheEnd(t *testing.T) {
	var said tail
	for range saidLimit {
		if n, err := said.Write([]byte("abc")); n != 3 || err != nil {
			t.Fatal(n, err)
		}
	}
	if len(said.text) != saidLimit || !bytes.HasSuffix(said.text, []byte("abcabc")) {
		t.Errorf("%d bytes", len(said.text))
	}
}
