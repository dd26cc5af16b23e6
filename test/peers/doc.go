// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package peers is what agents and clients built on the official SDKs have in
// common, so that one test can drive any client against any agent.
//
//	gosdk10, gosdk03  the Go SDK, for protocol 1.0 and 0.3
//	js                the JavaScript SDK, for both
//	java              the Java SDK, for protocol 1.0
//	python            the Python SDK, for protocol 1.0
//	process           runs those of other languages in processes
//	tck               an agent for the official conformance kit
//	tap               a proxy that keeps the bytes that pass it
//
// An agent plays the [Script] that it finds in the user's message. A client makes
// a [Call] and reports a [Transcript]: what its library understood, in terms that
// all libraries share.
package peers
