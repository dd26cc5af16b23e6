// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

// options are the guard's, as the core takes them.
type options struct {
	policy.Config
	drains    bool // client_gone drain
	heartbeat bool // the case counts heartbeats
	rpcPaths  []string
	basePath  string
	maxTasks  int
	taskTTL   time.Duration
	publicURL *guard.PublicURL
	pushAllow *guard.PushAllow
}

// parseOptions reads the lines of a guard's Caddyfile block. Whether a line is
// good Caddyfile is left to Caddy; what is not known here is an error.
func parseOptions(lines []string) (*options, error) {
	o := &options{
		Config:   policy.Config{Limits: policy.DefaultLimits(), Rules: make(map[string]policy.Mode)},
		rpcPaths: []string{"/"},
		maxTasks: 100_000,
		taskTTL:  time.Hour,
	}
	for _, line := range lines {
		words := strings.Fields(line)
		if err := o.set(words[0], words[1:]); err != nil {
			return nil, fmt.Errorf("guard %s: %w", line, err)
		}
	}
	return o, nil
}

func (o *options) set(name string, args []string) error {
	arg := ""
	if len(args) > 0 {
		arg = args[0]
	}
	if d := o.duration(name); d != nil {
		var err error
		*d, err = parseDuration(arg)
		return err
	}
	var err error
	switch name {
	case "profile":
		o.Profile, err = policy.ParseProfile(arg)
	case "rule":
		if len(args) != 2 {
			return fmt.Errorf("wants a rule and a mode")
		}
		o.Rules[args[0]], err = policy.ParseMode(args[1])
	case "unfinished":
		o.Unfinished, err = policy.ParseUnfinished(arg)
	case "stream_errors":
		o.StreamErrors, err = policy.ParseStreamErrors(arg)
	case "versions":
		o.Versions = args
	case "require_authorization":
		o.RequireAuthorization = true
	case "task_owner":
		o.TaskOwner = arg == "on"
	case "cancel_unfinished":
		o.CancelUnfinished = true
	case "client_gone":
		o.drains = arg == "drain"
	case "max_event":
		o.Limits.MaxEvent, err = parseSize(arg)
	case "max_request_body":
		o.Limits.MaxRequestBody, err = parseSize(arg)
	case "base_path":
		o.basePath = arg
	case "rpc_path":
		o.rpcPaths = append(o.rpcPaths[:0:0], arg)
	case "max":
		o.maxTasks, err = strconv.Atoi(arg)
	case "redact_errors":
		o.RedactErrors = true
	case "push_allow":
		o.pushAllow, err = guard.ParsePushAllow(args)
	case "public_url":
		o.publicURL, err = guard.ParsePublicURL(arg)
	case "card", "tasks", "}":
	default:
		return fmt.Errorf("the player knows no such option")
	}
	return err
}

// duration is where an option that is a duration belongs, nil for another.
func (o *options) duration(name string) *time.Duration {
	l := &o.Limits
	o.heartbeat = o.heartbeat || name == "heartbeat"
	return map[string]*time.Duration{
		"first_event_timeout":  &l.FirstEvent,
		"idle_timeout":         &l.Idle,
		"paused_timeout":       &l.Paused,
		"max_duration":         &l.MaxDuration,
		"settle_after":         &l.SettleAfter,
		"call_timeout":         &l.Call,
		"hold":                 &l.Hold,
		"linger":               &l.Linger,
		"heartbeat":            &l.Heartbeat,
		"lookup_timeout":       &l.Lookup,
		"request_body_timeout": &l.RequestBody,
		"ttl":                  &o.taskTTL,
	}[name]
}

func parseDuration(s string) (time.Duration, error) {
	if s == "off" {
		return 0, nil
	}
	return time.ParseDuration(s)
}

// Under returns the scene before a guard with other options. What the case expects
// of it is still what it was.
func (s *Scene) Under(lines ...string) (*Scene, error) {
	other := *s
	other.Options = lines
	var err error
	other.options, err = parseOptions(lines)
	return &other, err
}

// Scaled returns the guard's options with their times scaled. What the file does
// not say keeps its default: no case waits for that.
func (s *Scene) Scaled() []string {
	lines := make([]string, 0, len(s.Options))
	for _, line := range s.Options {
		words := strings.Fields(line)
		if len(words) == 2 && s.options.duration(words[0]) != nil {
			if d, err := parseDuration(words[1]); err == nil && d > 0 {
				line = words[0] + " " + s.Real(d).String()
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// Real is how long a time of the file lasts where a real clock runs.
func (s *Scene) Real(d time.Duration) time.Duration {
	return time.Duration(float64(d) * s.Scale).Round(time.Microsecond)
}
