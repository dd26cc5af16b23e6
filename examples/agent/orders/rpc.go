// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// maxBody bounds a request, in bytes.
const maxBody = 1 << 20

// call is a JSON-RPC request (A2A 1.0 §9.1).
type call struct {
	id      []byte // the raw token, to be echoed; null if there is none
	dialect dialect
	params  json.RawMessage
	streams bool // the method answers with an event stream
}

// method is what a JSON-RPC method's name stands for.
type method struct {
	dialect dialect
	streams bool
	serve   operation
}

// operation serves a call, or returns the error to answer it with.
type operation func(*Agent, http.ResponseWriter, *http.Request, *call) *rpcError

// methods are those of protocol 1.0 (A2A 1.0 §5.3) and 0.3 (A2A 0.3 §3.5.6). The
// two sets do not meet, so the name alone tells the version.
var methods = map[string]method{
	"SendMessage":          {v10{}, false, (*Agent).sendMessage},
	"SendStreamingMessage": {v10{}, true, (*Agent).sendStreamingMessage},
	"GetTask":              {v10{}, false, (*Agent).getTask},
	"CancelTask":           {v10{}, false, (*Agent).cancelTask},
	"SubscribeToTask":      {v10{}, true, (*Agent).subscribeToTask},

	"message/send":      {v03{}, false, (*Agent).sendMessage},
	"message/stream":    {v03{}, true, (*Agent).sendStreamingMessage},
	"tasks/get":         {v03{}, false, (*Agent).getTask},
	"tasks/cancel":      {v03{}, false, (*Agent).cancelTask},
	"tasks/resubscribe": {v03{}, true, (*Agent).subscribeToTask},
}

// serveRPC answers a JSON-RPC request.
func (a *Agent) serveRPC(w http.ResponseWriter, r *http.Request) {
	c, serve, failure := readCall(http.MaxBytesReader(w, r.Body, maxBody))
	if failure == nil {
		failure = serve(a, w, r, c)
	}
	switch {
	case failure == nil:
	case c.streams:
		// As a stream: some clients take a JSON answer for an empty one.
		_ = c.openStream(w).write(failure)
	default:
		c.answer(w, "error", c.dialect.error(failure))
	}
}

// readCall reads a request. The call is never nil: it says how to write the
// error, too.
func readCall(body io.Reader) (*call, operation, *rpcError) {
	c := &call{id: []byte("null"), dialect: v10{}}
	raw, err := io.ReadAll(body)
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return c, nil, &rpcError{invalidRequest, "the request is too large"}
	}
	if err != nil || !json.Valid(raw) {
		return c, nil, &rpcError{parseError, "the request is not JSON"}
	}
	var request struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
	}
	err = json.Unmarshal(raw, &request)
	if validID(request.ID) {
		c.id = request.ID
	} else if request.ID != nil {
		return c, nil, &rpcError{invalidRequest, "the id is not a string, a number or null"}
	}
	if err != nil || request.JSONRPC != "2.0" {
		return c, nil, &rpcError{invalidRequest, "the request is not JSON-RPC 2.0"}
	}
	m, ok := methods[request.Method]
	if !ok {
		return c, nil, &rpcError{methodNotFound, "no such method"}
	}
	c.dialect, c.params, c.streams = m.dialect, request.Params, m.streams
	return c, m.serve, nil
}

// validID reports whether a JSON token may be an id: a string, a number or null.
func validID(token []byte) bool {
	if len(token) == 0 {
		return false
	}
	b := token[0]
	return b == '"' || b == 'n' || b == '-' || b >= '0' && b <= '9'
}

// answer writes a JSON response; member is "result" or "error".
func (c *call) answer(w http.ResponseWriter, member string, value any) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(c.appendMember(nil, member, value), '\n'))
}

// appendResponse appends the JSON-RPC response that carries e as its result, or
// as its error. The id is the request's own token: a number put through a
// float64 would come back as another one.
func (c *call) appendResponse(dst []byte, e event) []byte {
	if failure, ok := e.(*rpcError); ok {
		return c.appendMember(dst, "error", c.dialect.error(failure))
	}
	return c.appendMember(dst, "result", c.dialect.payload(e))
}

func (c *call) appendMember(dst []byte, name string, value any) []byte {
	body, err := json.Marshal(value)
	if err != nil {
		panic(err) // the wire types have nothing that can fail
	}
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, c.id...)
	dst = append(dst, `,"`...)
	dst = append(dst, name...)
	dst = append(dst, `":`...)
	dst = append(dst, body...)
	return append(dst, '}')
}
