// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyevents"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/metrics"
	"github.com/a2aguard/caddy-a2a-guard/spans"
)

func init() {
	caddy.RegisterModule(new(Handler))
}

// Defaults that belong to the process, not to a call.
const (
	defaultName     = "agent"
	defaultDrain    = 10 * time.Second
	defaultMaxTasks = 100_000
	defaultTaskTTL  = time.Hour
)

// Handler stands in front of an A2A (Agent2Agent) server and makes what clients
// see keep the protocol's task lifecycle, whatever the agent does. Put it before
// the handler that reaches the agent, usually reverse_proxy. Traffic that is no
// A2A call passes untouched.
type Handler struct {
	// The agent's name in logs, metrics and traces. It also keeps the task memory
	// of two guards apart. Default: "agent".
	Name string `json:"name,omitempty"`

	// What is done about broken rules: "observe" (nothing, only counted),
	// "standard" or "strict". Default: "standard".
	Profile string `json:"profile,omitempty"`

	// Single rules that differ from the profile, by rule id: "off", "observe" or
	// "enforce".
	Rules map[string]string `json:"rules,omitempty"`

	// Paths at which the agent takes JSON-RPC. A body that cannot be read is
	// refused there; elsewhere it is passed on. Paths that carried a call are
	// added by themselves. Default: ["/"].
	RPCPaths []string `json:"rpc_paths,omitempty"`

	// The path below which the agent speaks HTTP+JSON, if that is not the root or
	// one segment (a tenant) below it: there paths such as "tasks" are calls only
	// below this one. Default: none.
	BasePath string `json:"base_path,omitempty"`

	// How long the agent may take from the request to the first event of a
	// stream. 0 turns it off. Default: 10m.
	FirstEventTimeout *caddy.Duration `json:"first_event_timeout,omitempty"`

	// How long a stream may be without an event. Comments do not count. 0 turns it
	// off. Default: 10m.
	IdleTimeout *caddy.Duration `json:"idle_timeout,omitempty"`

	// The same while the task waits for input or authorization. Default: 0, off.
	PausedTimeout *caddy.Duration `json:"paused_timeout,omitempty"`

	// How long a stream may last in all. Default: 0, off.
	MaxDuration *caddy.Duration `json:"max_duration,omitempty"`

	// How long a stream may be silent after another connection showed its task to
	// be terminal. 0 turns it off. Default: 10s.
	SettleAfter *caddy.Duration `json:"settle_after,omitempty"`

	// How long the agent may take for a call that is no stream. 0 turns it off.
	// Default: 10m.
	CallTimeout *caddy.Duration `json:"call_timeout,omitempty"`

	// How long a stream's response headers wait for its first event, so that an
	// empty stream can be answered with an error. 0 sends them at once. Default: 1s.
	Hold *caddy.Duration `json:"hold,omitempty"`

	// How long the agent may keep a stream open after its terminal event. 0 ends
	// it with that event. Default: 1s.
	Linger *caddy.Duration `json:"linger,omitempty"`

	// How long a client hears nothing before it gets a comment line. 0 turns it
	// off. Default: 25s.
	Heartbeat *caddy.Duration `json:"heartbeat,omitempty"`

	// How long open streams may run on when the process exits; at most the
	// grace_period less a second. Default: 10s.
	Drain *caddy.Duration `json:"drain,omitempty"`

	// What a client is told of a stream that ends before its task does, if the
	// agent does not know better: "error", "failed" or "observe". Default: "error",
	// but "observe" for a subscription that ends cleanly.
	Unfinished string `json:"unfinished,omitempty"`

	// Ask the agent to cancel a task whose stream ended without a final status or
	// passed the idle_timeout.
	CancelUnfinished bool `json:"cancel_unfinished,omitempty"`

	// How long one question of the guard's own to the agent may take. Default: 2s.
	LookupTimeout *caddy.Duration `json:"lookup_timeout,omitempty"`

	// What happens to the agent's stream when its client leaves: "close" ends it,
	// "drain" reads it to its end. Default: "close".
	ClientGone string `json:"client_gone,omitempty"`

	// How an agent's own JSON error to a streaming call goes out: "sse" or "json".
	// Default: as the agent sent it, in profile strict as "sse".
	StreamErrors string `json:"stream_errors,omitempty"`

	// The largest request body, in bytes. Default: 10 MiB.
	MaxRequestBody int `json:"max_request_body,omitempty"`

	// How long a request body may take to arrive. 0 turns it off. Default: 30s.
	RequestBodyTimeout *caddy.Duration `json:"request_body_timeout,omitempty"`

	// The largest event of a stream, and the largest unary answer that is judged,
	// in bytes. Default: 16 MiB.
	MaxEvent int `json:"max_event,omitempty"`

	// Who calls, as one or more placeholders; a caller of whom one is empty is nobody.
	// What the guard remembers of tasks is kept apart by it, and for nobody nothing is
	// remembered. Default: a hash of the Authorization, Cookie and X-API-Key headers
	// and the client certificate.
	Principal string `json:"principal,omitempty"`

	// The accepted versions of the protocol: "0.3", "1.0". Calls of others are
	// refused, in profile observe only counted. Default: both, and calls of others
	// are refused in profile strict alone.
	Versions []string `json:"versions,omitempty"`

	// Refuse calls without credentials: an Authorization or X-API-Key header or a
	// client certificate. Whether they are good is left to whoever checks them.
	RequireAuthorization bool `json:"require_authorization,omitempty"`

	// Webhooks that push configurations may name although they are not public or
	// not https: host names, addresses and networks (CIDR). It matters where the
	// rule "push-url" is enforced, as in profile strict. Default: none.
	PushAllow []string `json:"push_allow,omitempty"`

	// Withhold what errors tell of the agent's insides: the texts of -32603 and
	// -32006, and those of FAILED statuses that look like a stack trace. The client
	// gets the standard text with a reference, which a log line bears too. As in
	// profile strict. Default: false.
	RedactErrors bool `json:"redact_errors,omitempty"`

	// What becomes of the agent's card.
	Card *CardConfig `json:"card,omitempty"`

	// Keep each task to the principal whose message has created it: for anyone else
	// it does not exist, nor does a task whose creation the guard has not seen or has
	// forgotten. Callers without a principal own nothing.
	TaskOwner bool `json:"task_owner,omitempty"`

	// How many streams one caller may have open; 0 for any number. Without a
	// principal, callers are told apart by their address.
	MaxStreams int `json:"max_streams,omitempty"`

	// How many other calls of one caller may be in flight; 0 for any number.
	MaxCalls int `json:"max_calls,omitempty"`

	// Bounds of the memory of tasks.
	Tasks *TasksConfig `json:"tasks,omitempty"`

	// Count calls, streams, events and violations for Prometheus, among Caddy's own
	// metrics. As with those, nothing is counted by default.
	Metrics bool `json:"metrics,omitempty"`

	guard      *guard.Guard
	drain      atomic.Int64 // nanoseconds
	paths      pathSet
	limiter    logLimiter
	timeouts   timeouts
	cards      cardWarnings
	agentCards cardCache
	calls      *callCounter   // nil if nothing is limited
	meter      *metrics.Agent // nil if nothing is counted
	creators   spans.Creators
	events     *caddyevents.App
	ctx        caddy.Context
	logger     *zap.Logger
	tasks      string // the key of the task memory in use
}

// CardConfig says how the agent's card is to lead clients.
type CardConfig struct {
	// Where clients reach the guard: scheme, host and, if the agent is mounted
	// below one, path. Every interface of the card is led there, its own path and
	// query kept. A signed card is not changed. Default: none, the card passes.
	PublicURL string `json:"public_url,omitempty"`
}

// TasksConfig bounds the memory of task states across calls.
type TasksConfig struct {
	// How many tasks are remembered. Default: 100000.
	Max int `json:"max,omitempty"`

	// How long a task is remembered after it was last seen. Default: 1h.
	TTL caddy.Duration `json:"ttl,omitempty"`
}

// taskMemories holds the memory of each guard by name, over reloads.
var taskMemories = caddy.NewUsagePool()

// taskMemory makes a memory of tasks fit for a pool. An old configuration's
// streams may use it after its release, so that does nothing.
type taskMemory struct{ *guard.Tasks }

func (taskMemory) Destruct() error { return nil }

// CaddyModule returns the Caddy module information.
func (*Handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.handlers.a2a_guard",
		New: func() caddy.Module { return new(Handler) },
	}
}

// Provision sets up the handler. Nothing is dialled.
func (h *Handler) Provision(ctx caddy.Context) error {
	h.ctx, h.logger = ctx, ctx.Logger()
	if h.Name == "" {
		h.Name = defaultName
	}
	if len(h.RPCPaths) == 0 {
		h.RPCPaths = []string{"/"}
	}
	h.paths.add(h.RPCPaths...)
	h.setDrain(0)
	p, err := h.policy()
	if err != nil {
		return err
	}
	h.guard = &guard.Guard{Name: h.Name, Policy: p, BasePath: h.BasePath}
	if h.Card != nil && h.Card.PublicURL != "" {
		if h.guard.PublicURL, err = guard.ParsePublicURL(h.Card.PublicURL); err != nil {
			return fmt.Errorf("card public_url %q: %w", h.Card.PublicURL, err)
		}
	}
	if len(h.PushAllow) > 0 {
		if h.guard.PushAllow, err = guard.ParsePushAllow(h.PushAllow); err != nil {
			return fmt.Errorf("push_allow: %w", err)
		}
	}
	if err := errors.Join(h.remember(), h.count(), h.measure()); err != nil {
		return err
	}
	return h.subscribe()
}

// Validate checks what the policy does not.
func (h *Handler) Validate() error {
	for _, path := range h.RPCPaths {
		if !strings.HasPrefix(path, "/") {
			return fmt.Errorf("rpc_path %q must begin with a slash", path)
		}
	}
	if h.BasePath != "" && !strings.HasPrefix(h.BasePath, "/") {
		return fmt.Errorf("base_path %q must begin with a slash", h.BasePath)
	}
	if err := checkPrincipal(h.Principal); err != nil {
		return err
	}
	if d := h.Drain; d != nil && *d < 0 {
		return fmt.Errorf("drain is negative: %v", time.Duration(*d))
	}
	if h.ClientGone != "" {
		if _, err := parseClientGone(h.ClientGone); err != nil {
			return err
		}
	}
	if h.MaxStreams < 0 || h.MaxCalls < 0 {
		return errors.New("max_streams and max_calls must not be negative")
	}
	if t := h.Tasks; t != nil && (t.Max < 0 || t.TTL < 0) {
		return errors.New("the bounds of tasks must not be negative")
	}
	return nil
}

// Cleanup releases what is shared over reloads. Streams in flight go on with this
// instance.
func (h *Handler) Cleanup() error {
	var tasks, calls error
	if h.tasks != "" {
		_, tasks = taskMemories.Delete(h.tasks)
	}
	if h.calls != nil {
		_, calls = callCounts.Delete(h.Name)
	}
	return errors.Join(tasks, calls)
}

// The choices of the "client_gone" option.
const (
	clientGoneClose = "close"
	clientGoneDrain = "drain"
)

// remember takes the task memory of the guard's name, the one in use if a
// reload keeps the name.
func (h *Handler) remember() error {
	limit, ttl := defaultMaxTasks, defaultTaskTTL
	if h.Tasks != nil {
		if h.Tasks.Max > 0 {
			limit = h.Tasks.Max
		}
		if h.Tasks.TTL > 0 {
			ttl = time.Duration(h.Tasks.TTL)
		}
	}
	memory, known, err := taskMemories.LoadOrNew(h.Name, func() (caddy.Destructor, error) {
		return taskMemory{guard.NewTasks(limit, ttl)}, nil
	})
	if err != nil {
		return fmt.Errorf("opening the task memory of %q: %w", h.Name, err)
	}
	h.tasks = h.Name
	tasks := memory.(taskMemory).Tasks
	if known {
		tasks.Bound(limit, ttl)
	}
	h.guard.Tasks = tasks
	return nil
}

// subscribe listens for the configuration's start and for the process's exit.
func (h *Handler) subscribe() error {
	app, err := h.ctx.App("events")
	if err != nil {
		return fmt.Errorf("getting the events app: %w", err)
	}
	h.events = app.(*caddyevents.App)
	if err := h.events.On("started", eventFunc(h.started)); err != nil {
		return err
	}
	return h.events.On("stopping", eventFunc(h.stopping))
}

// started looks at the servers, which are known only now.
func (h *Handler) started() error {
	app, err := h.ctx.App("http")
	if err != nil {
		return fmt.Errorf("looking at the servers: %w", err)
	}
	servers := app.(*caddyhttp.App)
	h.setDrain(time.Duration(servers.GracePeriod))
	for name, server := range servers.Servers {
		if server.WriteTimeout > 0 {
			h.logger.Warn("the server's write timeout bounds every event stream; set it to 0 where agents stream",
				zap.String("server", name), zap.Duration("write_timeout", time.Duration(server.WriteTimeout)))
		}
	}
	return nil
}

// eventFunc is a Caddy event handler that needs no more than the event's name.
type eventFunc func() error

// Handle implements caddyevents.Handler.
func (f eventFunc) Handle(context.Context, caddy.Event) error { return f() }

// setDrain sets how long streams run on at exit: Caddy itself cuts them after
// its grace period, if there is one.
func (h *Handler) setDrain(grace time.Duration) {
	drain := defaultDrain
	if h.Drain != nil {
		drain = time.Duration(*h.Drain)
	}
	if grace > 0 {
		drain = max(min(drain, grace-time.Second), 0)
	}
	h.drain.Store(int64(drain))
}

func (h *Handler) drainTime() time.Duration { return time.Duration(h.drain.Load()) }

// stopping ends the open streams if the process exits, not if its configuration
// is only replaced.
func (h *Handler) stopping() error {
	if caddy.Exiting() {
		openStreams.exit()
	}
	return nil
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Handler)(nil)
	_ caddy.Validator             = (*Handler)(nil)
	_ caddy.CleanerUpper          = (*Handler)(nil)
	_ caddyhttp.MiddlewareHandler = (*Handler)(nil)
)
