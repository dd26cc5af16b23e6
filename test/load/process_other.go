// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package main

import (
	"errors"
	"time"
)

var errSystem = errors.New("only Linux tells the CPU time and memory of another process; run this there")

func cpuTime(int) (time.Duration, error) { return 0, errSystem }

func residentMemory(int) (int64, error) { return 0, errSystem }
