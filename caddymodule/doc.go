// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package caddymodule is the Caddy side of the guard: the http.handlers.a2a_guard
// handler and its a2a_guard directive. It owns connections, clocks, timers and
// goroutines, and holds no rules: what a byte means is decided in package guard.
//
//	handler.go    configuration, life cycle
//	config.go     options become a policy
//	caddyfile.go  the directive's syntax
//	serve.go      one request: read, inspect, hand on
//	body.go       the request's body
//	paths.go      paths that lead to agents
//	limits.go     how much one caller may have in flight
//	call.go       one judged call: contexts, the reason of a cut, its end
//	timeouts.go   when calls and bodies have lasted too long
//	writer.go     what the agent's answer is written to
//	header.go     the answer's header
//	collect.go    an answer that is judged whole
//	stream.go     the event stream's timers and writes
//	lookup.go     questions of the guard's own to the agent
//	poll.go       questions that a whole answer waits for
//	card.go       the agent's public card on its way to clients
//	cardcache.go  the agents' cards, learned or asked for
//	registry.go   all open streams of the process, for its exit
//	log.go        violations as log lines
//	trace.go      the call's span
//	access.go     what the access log tells of a call
//	tally.go      what is counted of a call
package caddymodule
