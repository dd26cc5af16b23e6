// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is how long a process has run on any processor, in user and kernel
// mode, threads that have ended included. It is exact to the nanosecond, unlike
// what stands in /proc.
func cpuTime(pid int) (time.Duration, error) {
	// clock_getcpuclockid(3): the clock's number is made from the process's.
	clock := int32(^pid)<<3 | 2
	var ts unix.Timespec
	if err := unix.ClockGettime(clock, &ts); err != nil {
		return 0, fmt.Errorf("reading the CPU time of process %d: %w", pid, err)
	}
	return time.Duration(ts.Nano()), nil
}

// residentMemory is how many bytes of a process are in memory.
func residentMemory(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, fmt.Errorf("reading the memory of process %d: %w", pid, err)
	}
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return 0, fmt.Errorf("reading the memory of process %d: %q", pid, text)
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("reading the memory of process %d: %w", pid, err)
	}
	return pages * int64(os.Getpagesize()), nil
}
