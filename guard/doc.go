// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package guard judges A2A traffic. It is a value machine: bytes and times go
// in, verdicts come out. It does no I/O, reads no clock, starts nothing and logs
// nothing, so a recorded call replays exactly.
//
// # The pipeline
//
//	verb and path ─ Guard.Route ────> the call, in HTTP+JSON; in JSON-RPC the body tells
//	request body ── Guard.Inspect ──> Exchange ── refusal, or on to the agent
//	                    admission.go    who calls, can it be read, which version
//	                    capability.go   what the agent's card says to it
//	                    memory.go       what is known of its task
//	                    push.go         may the agent call the webhook?
//	response head ── Exchange.Respond ──> pass | judge the body | follow the stream
//	whole answer ── Exchange.Judge ──> Judgement
//	                    unary.go        is it what the call asked for?
//	                    late.go         what came too late to the caller's stream?
//	                    poll.go         a blocking call waits for its task
//	                    card.go         does the agent's card lead to the guard?
//	stream's chunk ── Stream.Feed ─────────────────────────────────────────> Step
//	                    sse.Framer      bytes  -> frames, raw bytes kept
//	                    frame.go        what becomes of one frame:
//	                    a2a reader      frame  -> envelope and event
//	                    envelope.go     is it one response to this request?
//	                    first.go        the Task goes first
//	                    lifecycle.go    may this event come now?
//	                    redact.go       does it tell of the agent's insides?
//	                    policy.Decide   broken rule -> action
//	                    output.go       pass, rewrite, drop, end
//
// A caller owns clock and connections: it hands in "now", calls [Stream.Expire]
// once [Stream.Deadline] has passed, [Stream.Close] when the agent's body ends,
// and does what the returned [Step] says. When the core must know something from
// the agent, the step or the judgement carries a [Need], and the answer comes back
// through [Stream.Settle] or [Exchange.Settle].
//
// # The life of a stream
//
//	         first event              terminal, lone Message,
//	waiting ────────────> running ───── error, final:true ─────> closing
//	   │                    │  ^                                    │
//	   │ EOF, abort,        │  │ newer event,                       │ EOF,
//	   │ time limit         v  │ newer timestamp                    │ linger
//	   └────────────────> asking ──> cancelling ──> settled ──────> ended
//
// Only the four terminal states absorb (COMPLETED, FAILED, CANCELED, REJECTED);
// every other state may follow every other. INPUT_REQUIRED and AUTH_REQUIRED are
// complete ends if the agent closes there, and no ends if it does not.
//
// # What is remembered
//
// [Tasks] remembers of each task its state, its context and whose it is, for each
// caller that was shown it, across calls:
//
//	every event and answer ── Exchange.note ──> TaskStore ── Exchange.find ──> may this
//	                                                         call, or this answer, be?
//
// Only what the agent has shown goes in, and only the caller to whom it was shown
// gets an answer out of it. With task_owner on, what is not known to be the caller's
// own neither reaches the agent nor leaves it (owner.go).
//
// # Ownership
//
// What a call returns points into the chunk it was given, or into buffers of the
// stream, and is valid until the next call on the same stream. A chunk must not
// change in that time. A Stream is not safe for concurrent use; [Tasks] is.
//
// # Invariants
//
//  1. What passes is byte-identical.
//  2. Every split of the same bytes gives the same verdicts and output.
//  3. The memory of a stream is bounded by max_event.
//  4. After the end nothing more is emitted.
//  5. No clock, randomness, map order or goroutine influences a verdict.
//  6. Passing an event allocates nothing.
package guard
