// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
	"testing"
)

// The events of one package, as go test writes them.
const (
	passes = `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"a passing test talks\n"}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0}
`
	skips = `{"Action":"run","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:9: node is not installed\n"}
{"Action":"skip","Package":"p","Test":"TestB","Elapsed":0}
`
	fails = `{"Action":"run","Package":"p","Test":"TestC"}
{"Action":"output","Package":"p","Test":"TestC","Output":"    c_test.go:9: got 1, want 2\n"}
{"Action":"fail","Package":"p","Test":"TestC","Elapsed":0}
`
	exits = `{"Action":"run","Package":"p","Test":"TestD"}
{"Action":"output","Package":"p","Test":"TestD","Output":"the process leaves\n"}
`
	ends = `{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p","Elapsed":0.1}
`
	endsBadly = `{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p","Elapsed":0.1}
`
	doesNotBuild = `{"ImportPath":"p","Action":"build-output","Output":"p.go:3:1: syntax error\n"}
{"ImportPath":"p","Action":"build-fail"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p","Elapsed":0,"FailedBuild":"p"}
`
	hasNoTests = `{"Action":"output","Package":"q","Output":"?   \tq\t[no test files]\n"}
{"Action":"skip","Package":"q","Elapsed":0}
`
)

func TestReportKeepsWhatMattersAndFailsForWhatDidNotRun(t *testing.T) {
	tests := []struct {
		name, in, out, err string
	}{
		{
			name: "a pass is one line", in: "go test -json\n" + passes + ends + hasNoTests,
			out: "go test -json\nok  \tp\t0.1s\n?   \tq\t[no test files]\n1 passed, 0 failed, 0 skipped\n",
		},
		{
			name: "a failed test is heard", in: passes + fails + endsBadly,
			out: "    c_test.go:9: got 1, want 2\nFAIL\tp\t0.1s\n1 passed, 1 failed, 0 skipped\n",
			err: "failed: p",
		},
		{
			name: "a skipped test is heard and fails the run", in: passes + skips + ends,
			out: "    b_test.go:9: node is not installed\nok  \tp\t0.1s\n1 passed, 0 failed, 1 skipped\n",
			err: "1 tests were skipped: install what they ask for",
		},
		{
			name: "a test that never ended is heard", in: passes + exits + endsBadly,
			out: "FAIL\tp\t0.1s\nthe process leaves\n1 passed, 0 failed, 0 skipped\n",
			err: "failed: p",
		},
		{
			name: "a build error is heard", in: doesNotBuild,
			out: "p.go:3:1: syntax error\nFAIL\tp [build failed]\n0 passed, 0 failed, 0 skipped\n",
			err: "failed: p",
		},
		{
			name: "a run without tests fails", in: hasNoTests,
			out: "?   \tq\t[no test files]\n0 passed, 0 failed, 0 skipped\n",
			err: "no test ran",
		},
		{
			name: "a last line without its end counts", in: strings.TrimSuffix(passes+ends, "\n"),
			out: "ok  \tp\t0.1s\n1 passed, 0 failed, 0 skipped\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			err := report(strings.NewReader(test.in), &out)
			if out.String() != test.out {
				t.Errorf("printed\n%s\nwant\n%s", out.String(), test.out)
			}
			if got := fmt.Sprint(err); err != nil && got != test.err || err == nil && test.err != "" {
				t.Errorf("error %q, want %q", got, test.err)
			}
		})
	}
}
