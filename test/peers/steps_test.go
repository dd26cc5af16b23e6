// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package peers_test

import "github.com/a2aguard/caddy-a2a-guard/test/peers"

// begin is how every orderly turn begins.
func begin(steps ...peers.Step) []peers.Step {
	return append([]peers.Step{task("submitted"), status("working")}, steps...)
}

// task publishes the whole task in a state.
func task(state string) peers.Step { return peers.Step{Do: "task", State: state} }

// status publishes a status that leaves the turn open.
func status(state string) peers.Step { return peers.Step{Do: "status", State: state} }

// final publishes the turn's last status, with a text if that is not empty.
func final(state, text string) peers.Step {
	return peers.Step{Do: "status", State: state, Text: text, Final: true}
}

// whole publishes an artifact in one piece.
func whole(artifact, text string) peers.Step {
	return peers.Step{Do: "artifact", Artifact: artifact, Text: text, Last: true}
}

// chunks publishes an artifact in pieces.
func chunks(artifact string, texts ...string) []peers.Step {
	steps := make([]peers.Step, len(texts))
	for i, text := range texts {
		steps[i] = peers.Step{Do: "artifact", Artifact: artifact, Text: text, Append: i > 0, Last: i == len(texts)-1}
	}
	return steps
}

func message(text string) peers.Step { return peers.Step{Do: "message", Text: text} }

// wait lets time pass.
func wait(millis int) peers.Step { return peers.Step{Do: "wait", Millis: millis} }

// hang does nothing until the task is canceled.
func hang() peers.Step { return peers.Step{Do: "hang"} }

// throw makes the agent's code fail.
func throw(text string) peers.Step { return peers.Step{Do: "throw", Text: text} }

// onCancel tells how to take a cancellation: "obey", "throw" or "ignore".
func onCancel(how string) peers.Step { return peers.Step{Do: "on-cancel", Text: how} }
