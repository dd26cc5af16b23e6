// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/a2aguard/caddy-a2a-guard/examples/agent/orders"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheCommandServesUntilItIsStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"-listen", "127.0.0.1:0", "-fault", "never-returns", "-step", "0"}, in)
		in.Close()
	}()
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal(<-ended)
	}
	url, ok := strings.CutPrefix(lines.Text(), "order desk at ")
	if !ok || !lines.Scan() || !strings.Contains(lines.Text(), "curl -N "+url) {
		t.Fatalf("it says %q", lines.Text())
	}
	_, body, _ := strings.Cut(lines.Text(), "'")
	response, err := http.Post(url, "application/json", strings.NewReader(strings.TrimSuffix(body, "'")))
	if err != nil {
		t.Fatal(err)
	}
	stop() // with the stream still open
	stream, err := io.ReadAll(response.Body)
	if err != nil || !bytes.Contains(stream, []byte("TASK_STATE_SUBMITTED")) {
		t.Errorf("the stream ended with %v: %s", err, stream)
	}
	response.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestAWrongFlagIsAnErrorThatHelps(t *testing.T) {
	err := run(t.Context(), []string{"-fault", "no-such"}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "no-final") {
		t.Errorf("got %v", err)
	}
}

func TestHelpListsTheFaults(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-h"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, f := range orders.Faults() {
		if !strings.Contains(out.String(), f.Description()) {
			t.Errorf("%s is missing", f)
		}
	}
}
