// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package policy says what the guard forbids and what is done about it.
//
// It is the leaf of the house: a [Rule] names one way in which traffic breaks
// the protocol's task lifecycle, an [Action] what happens then, and a [Profile]
// picks one action for every rule. A [Policy] is the compiled answer to "rule r
// was broken: what now?", together with the [Limits] that bound a call.
// The package knows no bytes, clocks or connections.
//
// Users write rule ids ("rule late-artifact observe"). One id may stand for
// several Rules: the ways in which it can be broken, each with its own remedy.
package policy
