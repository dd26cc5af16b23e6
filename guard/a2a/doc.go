// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package a2a is the vocabulary of the Agent2Agent protocol, versions 1.0 and
// 0.3: operations, task states, events, errors, and the JSON that carries them.
//
// Reading is one pass over the bytes as they came (scan.go, cursor.go): values that
// do not matter are skipped, nothing is decoded into general structures and nothing
// is copied. What a reader returns points into its input, is valid as long as that
// is, and until the reader's next call. The guard scans JSON itself because each call
// and each event waits for it; fuzzing holds the scanner to two JSON libraries.
//
// Three habits keep the guard from being fooled by bytes that another parser
// reads differently:
//
//   - Names are compared after unescaping, exactly; the proto spellings
//     ("task_id") count as the same field. A field that stands twice in an object
//     the guard reads, in one spelling or two, is a [Flaw].
//   - Ids stay raw JSON tokens ([Token]), so 9007199254740993 and "\u0061" go
//     back as they came.
//   - A null member counts as absent, as does an empty id.
//
// Writing appends to a caller's buffer and adds no field the protocol lacks.
package a2a
