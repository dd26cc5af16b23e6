// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// waiting notes when its time is over.
type waiting struct {
	timeout
	name  string
	begun time.Time
	over  *[]string
}

func (w *waiting) expired() {
	*w.over = append(*w.over, fmt.Sprintf("%s after %v", w.name, time.Since(w.begun)))
}

func TestTimeoutsFireInTimeUnlessStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all timeouts
		var over []string
		begin := func(name string, after time.Duration) *waiting {
			w := &waiting{name: name, begun: time.Now(), over: &over}
			all.start(&w.timeout, w, w.begun, after)
			return w
		}
		first := begin("first", 10*time.Second)
		stopped := begin("stopped", 10*time.Second)
		begin("short", time.Second)
		time.Sleep(4 * time.Second)
		last := begin("last", 10*time.Second)
		if !all.stop(&stopped.timeout) {
			t.Error("what still ran could not be stopped")
		}
		time.Sleep(time.Minute)
		again := begin("again", 10*time.Second) // the queue was empty
		time.Sleep(9 * time.Second)
		if !all.stop(&again.timeout) || all.stop(&again.timeout) || all.stop(&first.timeout) || all.stop(&last.timeout) {
			t.Error("only what runs can be stopped, and once")
		}
		time.Sleep(time.Minute)
		if want := []string{"short after 1s", "first after 10s", "last after 10s"}; !slices.Equal(over, want) {
			t.Errorf("\n got %q\nwant %q", over, want)
		}
	})
}
