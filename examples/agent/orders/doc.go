// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package orders is a small A2A agent that behaves or misbehaves on request.
//
// It is the order desk of a shop. Ask it about an order and it answers as a
// well-behaved agent does: with a task that is submitted, worked on, and
// completed, and with one artifact that arrives in three chunks:
//
//	-> SendStreamingMessage "Where is BS-1042?"
//	<- task            TASK_STATE_SUBMITTED
//	<- statusUpdate    TASK_STATE_WORKING
//	<- artifactUpdate  "Order BS-1042: ..."
//	<- artifactUpdate  "Packed ...", append
//	<- artifactUpdate  "Arrives ...", append, lastChunk
//	<- statusUpdate    TASK_STATE_COMPLETED
//
// A message without an order it knows pauses the task in INPUT_REQUIRED with a
// question; the next message on the same task completes it.
//
// It speaks JSON-RPC at /, in protocol 1.0 and 0.3; the method's name tells
// which (SendMessage or message/send). The card is at
// /.well-known/agent-card.json, and /healthz says ok. Several clients may
// follow a task, and a task outlives its clients.
//
// # Faults
//
// "BS-1042 fault=no-final" asks about an order and for a [Fault]: one of the
// things that agents get wrong in the field. [Config.Fault] makes one the
// default, which "fault=none" overrides. A message without a known order gets
// its question whatever the fault.
//
// T is a Task, S a status update, A1 to A3 are the artifact's chunks, R is
// another artifact, M a Message and E an error; [ ] go out in one piece. The
// last column is what the unary SendMessage gets. cancel is the client's doing;
// without it the work goes on after Config.Stall and completes. The tests hold
// the agent to this table.
//
//	none                   T(SUBMITTED) S(WORKING) A1 A2 A3 S(COMPLETED) close               | T(COMPLETED)
//	no-final               T(SUBMITTED) S(WORKING) A1 A2 A3 close                            | T(WORKING)
//	never-returns          T(SUBMITTED) S(WORKING) open                                      | open
//	late-artifact          T(SUBMITTED) S(WORKING) A1 A2 A3 [ S(COMPLETED) R ] close         | T(COMPLETED)
//	late-artifact-delayed  T(SUBMITTED) S(WORKING) A1 A2 A3 S(COMPLETED) 0.3s R close        | T(COMPLETED)
//	raises                 T(SUBMITTED) E(-32603) close                                      | E(-32603)
//	cancel-fails           T(SUBMITTED) S(WORKING) A1 A2 A3 close                            | T(WORKING)
//	cancel-midrun          T(SUBMITTED) S(WORKING) A1 cancel S(CANCELED) A2 A3 close         | T(CANCELED)
//	update-before-task     S(WORKING) A1 A2 A3 S(COMPLETED) close                            | T(COMPLETED)
//	message-in-stream      T(SUBMITTED) S(WORKING) A1 M A2 A3 close                          | M
//	two-messages           M M close                                                         | M
//	mid-frame              T(SUBMITTED) S(WORKING) A1 half abort                             | half abort
//	wrong-final            T(SUBMITTED) S(WORKING)! A1 A2 A3 S(COMPLETED)! close             | T(COMPLETED)
//	terminal-overwritten   T(SUBMITTED) S(WORKING) A1 A2 A3 S(COMPLETED) S(WORKING) S(FAILED) close | T(COMPLETED)
//	empty-stream           200 text/event-stream close                                       | 200 application/json close
//	html                   200 text/html                                                     | 200 text/html
//	error-500-text         500 text/plain                                                    | 500 text/plain
//	json-error             200 application/json E(-32603)                                    | E(-32603)
//	malformed-frame        T(SUBMITTED) S(WORKING) A1 junk A2 A3 S(COMPLETED) close          | T(COMPLETED)
//	stall-then-finish      T(SUBMITTED) S(WORKING) comments A1 A2 A3 S(COMPLETED) close      | T(COMPLETED)
//
// S(...)! is a status update whose 0.3 member final is wrong; in 1.0, which has
// no such member, it is an ordinary one.
//
// # Where to read
//
// A message's way through the files: agent.go takes the HTTP request, rpc.go
// finds the operation, operations.go carries it out, turn.go runs the work,
// script.go says what the work does (faults included; answers.go has those that
// do no work at all), task.go keeps what came of it, and stream.go sends it.
// protocol.go has the protocol's objects, wire10.go and wire03.go their two
// spellings: read them side by side to see what changed between the versions.
package orders
