// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Package kubernetes holds examples/kubernetes to what Kubernetes takes: its own types,
// its own admission of pods, and an API server. It is a module of its own, so that
// whoever uses the guard need not have Kubernetes.
package kubernetes
