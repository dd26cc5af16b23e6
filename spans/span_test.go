// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/http"
	"testing"

	"go.opentelemetry.io/otel/trace"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

func TestWithoutATraceNothingIsMade(t *testing.T) {
	x := &guard.Exchange{}
	var creators Creators
	verdict := &guard.Verdict{Raw: []byte("x"), Kind: a2a.StatusUpdate, State: a2a.Working, Violations: []guard.Violation{{Rule: policy.LateArtifact}}}
	header := make(http.Header)
	ctx := context.Background()
	if n := testing.AllocsPerRun(100, func() {
		s := Start(ctx, x, "desk", &creators)
		s.Began()
		s.Verdict(verdict)
		s.Inject(header)
		s.End(End{TaskID: "t1"}, &creators)
		if s.Traced() || s.TraceID() != "" || s.Context(ctx) != ctx {
			t.Fatal("there is a span")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if len(header) > 0 || creators.links("t1") != nil {
		t.Errorf("something is left: %v", header)
	}
}

func TestTheFirstSpansOfTheLatestTasksAreRemembered(t *testing.T) {
	var c Creators
	span := func(i int) trace.SpanContext {
		var id trace.SpanID
		binary.BigEndian.PutUint64(id[:], uint64(i)+1)
		return trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: id})
	}
	const more = 100
	for i := range maxCreators + more {
		task := fmt.Sprint("t", i)
		c.note(task, span(i))
		c.note(task, span(i+1)) // the first counts
	}
	c.note("nobody", trace.SpanContext{})
	c.note("", span(1))
	for _, tt := range []struct {
		task  string
		known bool
		span  int
	}{{"t0", false, 0}, {fmt.Sprint("t", more-1), false, 0}, {fmt.Sprint("t", more), true, more}, {fmt.Sprint("t", maxCreators+more-1), true, maxCreators + more - 1}, {"nobody", false, 0}, {"", false, 0}} {
		links := c.links(tt.task)
		if (links != nil) != tt.known || tt.known && !links[0].SpanContext.Equal(span(tt.span)) {
			t.Errorf("%q leads to %v", tt.task, links)
		}
	}
	if len(c.spans) != maxCreators || len(c.oldest) != maxCreators {
		t.Errorf("%d tasks are remembered", len(c.spans))
	}
}
