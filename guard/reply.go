// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import "github.com/a2aguard/caddy-a2a-guard/guard/a2a"

// Content types that the guard answers with.
const (
	TypeJSON = "application/json"
	TypeSSE  = "text/event-stream"

	typeA2A = "application/a2a+json" // as good as TypeJSON in a request
)

// HTTP statuses that the guard gives or reads a meaning into.
const (
	statusOK                   = 200
	statusUnauthorized         = 401
	statusForbidden            = 403
	statusNotFound             = 404
	statusConflict             = 409
	statusRequestTimeout       = 408
	statusTooLarge             = 413
	statusUnsupportedMediaType = 415
	statusTooManyRequests      = 429
	statusNotImplemented       = 501
	statusBadGateway           = 502
	statusUnavailable          = 503
	statusGatewayTimeout       = 504
)

// Reply is a whole HTTP answer of the guard's.
type Reply struct {
	Status      int
	ContentType string
	Body        []byte
	// Fault is the error that the reply carries, nil if it carries none.
	Fault *a2a.Fault
	// Challenge is the WWW-Authenticate header of a 401, empty for none.
	Challenge string
	// RetryAfter is the Retry-After header of a 429, in seconds, 0 for none.
	RetryAfter int
}

// stillRuns ends a text on a call whose task is not known to have ended. What the
// client can do needs the task's id.
func stillRuns(task a2a.Token, advice string) string {
	if task == nil {
		return "; a task that was begun may still run"
	}
	return "; the task may still run, " + advice
}

// reply renders a fault as the whole answer to the exchange. Status is an HTTP
// status that has a meaning of its own, or 200: then a streaming call gets its
// error as a stream of one event, the only form that every official client reads
// (the Go client takes plain JSON for an empty success). In HTTP+JSON every error
// has a status of its own, which clients look at first.
func (x *Exchange) reply(status int, f a2a.Fault) *Reply {
	f.Ref = x.Ref()
	if x.Binding == a2a.REST {
		if status != statusOK {
			f.Status = status
		}
		status = f.HTTPStatus(x.Dialect)
	}
	body := f.Append(nil, x.Binding, x.Dialect, x.ID)
	r := &Reply{Status: status, ContentType: TypeJSON, Body: body, Fault: &f}
	if status == statusOK && x.Operation.Streams() && x.judged {
		r.ContentType = TypeSSE
		r.Body = a2a.AppendSSE(nil, "", body)
	}
	return r
}
