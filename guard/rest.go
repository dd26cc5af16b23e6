// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"github.com/a2aguard/caddy-a2a-guard/guard/a2a"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// Route finds the call of the HTTP+JSON binding that a request is, by its verb and
// its escaped path, as the agent will see it. A route of operation Other is none.
func (g *Guard) Route(verb, path string) a2a.Route { return a2a.FindRoute(verb, path, g.BasePath) }

func (in *Request) binding() a2a.Binding {
	if in.Route.Operation != a2a.Other {
		return a2a.REST
	}
	return a2a.JSONRPC
}

// read reads what the request says. In HTTP+JSON the version's own paths tell the
// dialect, but an A2A-Version tells it better: a 1.0 agent may be mounted at /v1.
func (in *Request) read(reader *a2a.RequestReader, r *a2a.Request) error {
	body := in.Body
	if in.Encoded {
		body = nil
	}
	if in.binding() == a2a.JSONRPC {
		if in.Encoded {
			return nil
		}
		return reader.Read(body, r)
	}
	err := reader.ReadPlain(&in.Route, in.Query, body, r)
	if r.Named = in.Version == ""; r.Named {
		r.Dialect = a2a.V10
		if in.Route.Old {
			r.Dialect = a2a.V03
		}
	}
	return err
}

// doubts reports whether a request may as well be meant for another application, one
// that has "/tasks" too. Where tasks have owners, there is no doubt.
func (x *Exchange) doubts(in *Request) bool {
	return in.binding() == a2a.REST && !in.Route.Certain && in.Version == "" && !x.scoped()
}

// admitRoute refuses a path that the agent's router may read otherwise than the
// guard: what is judged as one call must not be another one. One that may as well be
// another application's passes, but for what its answer shows to be A2A.
func (x *Exchange) admitRoute(in *Request) bool {
	if in.Route.Odd && x.doubtful {
		x.TaskID = nil // which task it names is for the agent to say
		return true
	}
	if in.Route.Odd {
		x.refuse(policy.RouteNormalisation, statusNotFound, a2a.MethodNotFound,
			"the path can be read in more than one way; write it as A2A has it, in lower case and without dot segments, parameters or encoded slashes")
	}
	return x.Refusal == nil
}

// plainStatus is the HTTP status of an error that has its meaning in HTTP+JSON
// alone.
func (x *Exchange) plainStatus(status int) int {
	if x.Binding == a2a.JSONRPC {
		return statusOK
	}
	return status
}

// shape is how the guard's own words are put that go along with an event's.
func (x *Exchange) shape(d a2a.Dialect, ev *a2a.Event) a2a.Frame {
	return a2a.Frame{Binding: x.Binding, Dialect: d, Proto: x.Binding == a2a.REST && d == a2a.V03 && !ev.Kinded}
}

// plainNeed puts a question in HTTP+JSON, where the client put its own.
func (x *Exchange) plainNeed(op a2a.Operation, task a2a.Token) Need {
	path := a2a.AppendSegment(x.prefix+"/tasks", task.Text())
	if op == a2a.CancelTask {
		return Need{Verb: "POST", Path: path + ":cancel", Body: []byte("{}")}
	}
	return Need{Verb: "GET", Path: path}
}
