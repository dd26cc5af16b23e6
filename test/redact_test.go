// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

var reference = regexp.MustCompile(`\(ref ([^)]+)\)`)

func TestTheLogLeadsFromAReferenceToTheAgentsOwnLog(t *testing.T) {
	const (
		line   = "withheld an error text; the agent's own log has it at this time, or by the trace"
		secret = "could not reach postgres://app:s3cr3t@db/orders"
		calls  = 30 // more than the log has of one rule's violations
	)
	failed := func(text string) string {
		return fmt.Sprintf(`{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_FAILED","message":{"messageId":"m2","role":"ROLE_AGENT","parts":[{"text":%q}]}}}`, text)
	}
	for _, tt := range []struct{ name, call, contentType, body, text string }{
		{"an error", getCall, typeJSON, `{"jsonrpc":"2.0","id":"q1","error":{"code":-32603,"message":"` + secret + `"}}`, secret},
		{"an error in a stream", streamCall, typeSSE, taskFrame + `data: {"jsonrpc":"2.0","id":"q1","error":{"code":-32603,"message":"` + secret + `"}}` + "\n\n", secret},
		{"a failed task", getCall, typeJSON, result(failed("OSError: " + secret)), "OSError: " + secret},
		{"a failed task in a stream", streamCall, typeSSE, frame(`"task":` + failed("OSError: "+secret)), "OSError: " + secret},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := answering(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.contentType)
				_, _ = fmt.Fprint(w, tt.body)
			})
			s := serve(t, reaching(a.address, "redact_errors", "linger 0"))
			c := s.client(t, h1)
			refs := make(map[string]bool)
			for range calls {
				body := c.post(tt.call).rest()
				found := reference.FindStringSubmatch(body)
				if found == nil || strings.Contains(body, "s3cr3t") {
					t.Fatalf("the client gets %s", body)
				}
				refs[found[1]] = true
			}
			hash := sha256.Sum256([]byte(tt.text))
			for range calls {
				e := logged.wait(t, line)
				ref := fmt.Sprint(e["ref"])
				if !refs[ref] || e["rule"] != "error-redaction" || e["task"] != "t1" ||
					e["text_bytes"] != float64(len(tt.text)) || e["text_sha256"] != hex.EncodeToString(hash[:8]) {
					t.Fatalf("the log has %v", e)
				}
				delete(refs, ref)
			}
			logged.mu.Lock()
			defer logged.mu.Unlock()
			for _, e := range logged.entries {
				if strings.Contains(fmt.Sprint(e), "s3cr3t") {
					t.Errorf("the log has %v", e)
				}
			}
		})
	}
}

func TestErrorTextsPassUnderObserve(t *testing.T) {
	a := startAgent(t)
	s := serve(t, reaching(a.address, "profile observe", "redact_errors"))
	const body = `{"jsonrpc":"2.0","id":"q1","error":{"code":-32603,"message":"KeyError: 'x'"}}`
	answers := s.client(t, h1).asks(getCall)
	a.next(t).json(body)
	head(t, answers).check(http.StatusOK, typeJSON, body)
}
