// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"encoding/json"
	"strings"
)

// plainError is what is read of an error in HTTP+JSON: in 1.0 all stands in error, in
// 0.3 code and message stand alone.
type plainError struct {
	Error *struct {
		Code    int    `json:"code"`
		Status  string `json:"status"`
		Message string `json:"message"`
		Details []struct {
			Type     string            `json:"@type"`
			Reason   string            `json:"reason"`
			Metadata map[string]string `json:"metadata"`
		} `json:"details"`
	} `json:"error"`
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// reasons are the names of the codes in HTTP+JSON (A2A 1.0 §5.4).
var reasons = map[int]string{
	-32700: "JSON_PARSE_ERROR",
	-32600: "INVALID_REQUEST",
	-32601: "METHOD_NOT_FOUND",
	-32602: "INVALID_PARAMS",
	-32603: "INTERNAL_ERROR",
	-32001: "TASK_NOT_FOUND",
	-32003: "PUSH_NOTIFICATION_NOT_SUPPORTED",
	-32004: "UNSUPPORTED_OPERATION",
	-32006: "INVALID_AGENT_RESPONSE",
	-32007: "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
	-32008: "EXTENSION_SUPPORT_REQUIRED",
	-32009: "VERSION_NOT_SUPPORTED",
	-31401: "UNAUTHENTICATED",
}

// plainError checks an error of the guard's in HTTP+JSON.
func (c *checker) plainError(data []byte, code int, rule string, status int, old bool) {
	var r plainError
	if err := json.Unmarshal(data, &r); err != nil {
		c.failf("the error is no JSON: %s", excerpt(data))
		return
	}
	if old {
		if r.Error != nil || r.Code != code {
			c.failf("the error is not %d in the shape of 0.3 but %s", code, data)
		}
		c.names(rule, r.Message)
		return
	}
	e := r.Error
	if e == nil || len(e.Details) != 1 || e.Details[0].Type != "type.googleapis.com/google.rpc.ErrorInfo" || e.Details[0].Reason != reasons[code] {
		c.failf("the error is not %d, with an ErrorInfo, but %s", code, data)
		return
	}
	if e.Status == "" || e.Code < 400 || status > 0 && e.Code != status {
		c.failf("the error does not say status %d: %s", status, data)
	}
	if got := e.Details[0].Metadata["rule"]; got != rule && (rule != noRule || got != "") {
		c.failf("the ErrorInfo does not name rule %s: %s", rule, data)
	}
	c.names(rule, e.Message)
}

// enveloped gives a status update of HTTP+JSON the form that it has in JSON-RPC: an
// envelope, and in 0.3 a kind and a state in lower case.
func (c *checker) enveloped(data []byte, i *Item) []byte {
	if strings.ToLower(i.State) == i.State {
		inner, ok := strings.CutPrefix(string(data), `{"statusUpdate":{`)
		if !ok {
			inner = strings.TrimPrefix(string(data), "{") + "}"
		}
		inner = strings.Replace(inner, `"`+protoState(i.State)+`"`, `"`+i.State+`"`, 1)
		data = []byte(`{"kind":"status-update",` + strings.TrimSuffix(inner, "}"))
	}
	return []byte(envelope(c.exchange.Request.ID, member{"result", string(data)}))
}
