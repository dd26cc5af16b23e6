// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"errors"
	"fmt"
	"time"
)

// Limits bound a call. A zero duration or size means off, except where said.
type Limits struct {
	FirstEvent  time.Duration // from the request to a stream's first event
	Idle        time.Duration // between two events of a stream
	Paused      time.Duration // as Idle, while the task is interrupted
	MaxDuration time.Duration // a whole stream
	SettleAfter time.Duration // silence on a stream whose task another call showed to be terminal
	Call        time.Duration // a unary call
	Hold        time.Duration // how long response headers wait for a stream's first event
	Linger      time.Duration // from a stream's last event to its end; zero ends it at once
	Heartbeat   time.Duration // between two comment lines to a client that hears nothing else
	Lookup      time.Duration // one question of the guard's own to the agent
	RequestBody time.Duration // reading a request's body

	MaxRequestBody int // bytes of a request body
	MaxEvent       int // bytes of one event, or of one unary answer
}

// DefaultLimits are the limits of a guard that is told none.
func DefaultLimits() Limits {
	return Limits{
		FirstEvent:     10 * time.Minute,
		Idle:           10 * time.Minute,
		SettleAfter:    10 * time.Second,
		Call:           10 * time.Minute,
		Hold:           time.Second,
		Linger:         time.Second,
		Heartbeat:      25 * time.Second,
		Lookup:         2 * time.Second,
		RequestBody:    30 * time.Second,
		MaxRequestBody: 10 << 20,
		MaxEvent:       16 << 20,
	}
}

func (l Limits) validate() error {
	for _, d := range []struct {
		name string
		d    time.Duration
	}{
		{"first_event_timeout", l.FirstEvent},
		{"idle_timeout", l.Idle},
		{"paused_timeout", l.Paused},
		{"max_duration", l.MaxDuration},
		{"settle_after", l.SettleAfter},
		{"call_timeout", l.Call},
		{"hold", l.Hold},
		{"linger", l.Linger},
		{"heartbeat", l.Heartbeat},
		{"lookup_timeout", l.Lookup},
		{"request_body_timeout", l.RequestBody},
	} {
		if d.d < 0 {
			return fmt.Errorf("%s is negative: %v", d.name, d.d)
		}
	}
	switch {
	case l.Lookup == 0:
		return errors.New("lookup_timeout must be more than zero")
	case l.Heartbeat > 0 && l.Heartbeat < minHeartbeat:
		return fmt.Errorf("heartbeat %v must be at least %v", l.Heartbeat, minHeartbeat)
	case l.Hold > maxHold:
		return fmt.Errorf("hold %v must be at most %v: clients wait for the headers meanwhile", l.Hold, maxHold)
	case l.MaxRequestBody < MinSize:
		return fmt.Errorf("max_request_body %d must be at least %d bytes", l.MaxRequestBody, MinSize)
	case l.MaxEvent < MinSize:
		return fmt.Errorf("max_event %d must be at least %d bytes", l.MaxEvent, MinSize)
	}
	return nil
}

// What is beyond these bounds is a slip of the pen and would stop all traffic.
const (
	minHeartbeat = 10 * time.Millisecond
	maxHold      = time.Minute
)

// MinSize is the least size that a request or an event may be bound to, in bytes.
const MinSize = 256
