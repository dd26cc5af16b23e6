// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package caddymodule

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/a2aguard/caddy-a2a-guard/guard"
	"github.com/a2aguard/caddy-a2a-guard/policy"
)

func init() {
	httpcaddyfile.RegisterHandlerDirective("a2a_guard", parseCaddyfile)
	httpcaddyfile.RegisterDirectiveOrder("a2a_guard", httpcaddyfile.Before, "reverse_proxy")
}

func parseCaddyfile(helper httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	h := new(Handler)
	return h, h.UnmarshalCaddyfile(helper.Dispenser)
}

// UnmarshalCaddyfile reads the directive. Syntax:
//
//	a2a_guard [<matcher>] {
//		name                 <label>
//		profile              observe|standard|strict
//		rule                 <id> off|observe|enforce
//		rpc_path             <path>
//		base_path            <path>
//		versions             <version>...
//		first_event_timeout  <duration>|off
//		idle_timeout         <duration>|off
//		paused_timeout       <duration>|off
//		max_duration         <duration>|off
//		settle_after         <duration>|off
//		call_timeout         <duration>|off
//		hold                 <duration>|off
//		linger               <duration>|off
//		heartbeat            <duration>|off
//		drain                <duration>|off
//		unfinished           error|failed|observe
//		cancel_unfinished    on|off
//		lookup_timeout       <duration>
//		client_gone          close|drain
//		stream_errors        sse|json
//		max_request_body     <size>
//		request_body_timeout <duration>|off
//		max_event            <size>
//		max_streams          <count>|off
//		max_calls            <count>|off
//		require_authorization on|off
//		principal            <placeholder>
//		task_owner           on|off
//		push_allow           <host|cidr>...
//		redact_errors        on|off
//		metrics              on|off
//		card {
//			public_url <url>
//		}
//		tasks {
//			max <count>
//			ttl <duration>
//		}
//	}
//
// rule and rpc_path may be given several times, everything else once. "on" may be left
// out.
func (h *Handler) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the directive's name
	if d.NextArg() {
		return d.ArgErr()
	}
	options := h.options()
	given := make(map[string]bool)
	for d.NextBlock(0) {
		name := d.Val()
		option, ok := options[name]
		if !ok {
			return d.Errf("unrecognized option %q%s", name, policy.Suggest(name, slices.Sorted(maps.Keys(options))))
		}
		if given[name] && !option.repeats {
			return d.Errf("option %q is given twice", name)
		}
		given[name] = true
		if err := option.read(d); err != nil {
			return err
		}
	}
	if _, err := h.policy(); err != nil { // with the line, which provisioning does not know
		return d.WrapErr(err)
	}
	return nil
}

// option reads the arguments of one option.
type option struct {
	read    func(*caddyfile.Dispenser) error
	repeats bool
}

// options are what the directive's block may hold.
func (h *Handler) options() map[string]option {
	once := func(read func(*caddyfile.Dispenser) error) option { return option{read: read} }
	return map[string]option{
		"name":                  once(word(&h.Name)),
		"profile":               once(parsed(&h.Profile, policy.ParseProfile)),
		"rule":                  {read: h.readRule, repeats: true},
		"rpc_path":              {read: h.readPath, repeats: true},
		"base_path":             once(h.readBasePath),
		"versions":              once(h.readVersions),
		"first_event_timeout":   once(limit(&h.FirstEventTimeout)),
		"idle_timeout":          once(limit(&h.IdleTimeout)),
		"paused_timeout":        once(limit(&h.PausedTimeout)),
		"max_duration":          once(limit(&h.MaxDuration)),
		"settle_after":          once(limit(&h.SettleAfter)),
		"call_timeout":          once(limit(&h.CallTimeout)),
		"hold":                  once(limit(&h.Hold)),
		"linger":                once(limit(&h.Linger)),
		"heartbeat":             once(limit(&h.Heartbeat)),
		"drain":                 once(limit(&h.Drain)),
		"unfinished":            once(parsed(&h.Unfinished, policy.ParseUnfinished)),
		"cancel_unfinished":     once(flag(&h.CancelUnfinished)),
		"lookup_timeout":        once(positive(&h.LookupTimeout)),
		"client_gone":           once(parsed(&h.ClientGone, parseClientGone)),
		"stream_errors":         once(parsed(&h.StreamErrors, policy.ParseStreamErrors)),
		"max_request_body":      once(size(&h.MaxRequestBody)),
		"request_body_timeout":  once(limit(&h.RequestBodyTimeout)),
		"max_event":             once(size(&h.MaxEvent)),
		"max_streams":           once(count(&h.MaxStreams)),
		"max_calls":             once(count(&h.MaxCalls)),
		"require_authorization": once(flag(&h.RequireAuthorization)),
		"principal":             once(h.readPrincipal),
		"push_allow":            once(h.readPushAllow),
		"redact_errors":         once(flag(&h.RedactErrors)),
		"metrics":               once(flag(&h.Metrics)),
		"card":                  once(h.readCard),
		"task_owner":            once(flag(&h.TaskOwner)),
		"tasks":                 once(h.readTasks),
	}
}

func (h *Handler) readRule(d *caddyfile.Dispenser) error {
	var id, mode string
	if !d.AllArgs(&id, &mode) {
		return d.ArgErr()
	}
	if _, given := h.Rules[id]; given {
		return d.Errf("rule %q is given twice", id)
	}
	m, err := policy.ParseMode(mode)
	if err != nil {
		return d.WrapErr(err)
	}
	if err := policy.CheckRule(id, m); err != nil {
		return d.WrapErr(err)
	}
	if h.Rules == nil {
		h.Rules = make(map[string]string)
	}
	h.Rules[id] = mode
	return nil
}

func (h *Handler) readPath(d *caddyfile.Dispenser) error {
	var path string
	if !d.AllArgs(&path) {
		return d.ArgErr()
	}
	if !strings.HasPrefix(path, "/") {
		return d.Errf("rpc_path %q must begin with a slash", path)
	}
	if slices.Contains(h.RPCPaths, path) {
		return d.Errf("rpc_path %q is given twice", path)
	}
	h.RPCPaths = append(h.RPCPaths, path)
	return nil
}

func (h *Handler) readVersions(d *caddyfile.Dispenser) error {
	if h.Versions = d.RemainingArgs(); len(h.Versions) == 0 {
		return d.ArgErr()
	}
	if err := policy.CheckVersions(h.Versions); err != nil {
		return d.WrapErr(err)
	}
	return nil
}

func (h *Handler) readPushAllow(d *caddyfile.Dispenser) error {
	if h.PushAllow = d.RemainingArgs(); len(h.PushAllow) == 0 {
		return d.ArgErr()
	}
	if _, err := guard.ParsePushAllow(h.PushAllow); err != nil {
		return d.Errf("push_allow: %v", err)
	}
	return nil
}

func (h *Handler) readBasePath(d *caddyfile.Dispenser) error {
	if !d.AllArgs(&h.BasePath) {
		return d.ArgErr()
	}
	if !strings.HasPrefix(h.BasePath, "/") {
		return d.Errf("base_path %q must begin with a slash", h.BasePath)
	}
	return nil
}

func (h *Handler) readTasks(d *caddyfile.Dispenser) error {
	if d.NextArg() {
		return d.ArgErr()
	}
	h.Tasks = new(TasksConfig)
	given := make(map[string]bool)
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		name := d.Val()
		if given[name] {
			return d.Errf("option %q of tasks is given twice", name)
		}
		given[name] = true
		var value string
		if !d.AllArgs(&value) {
			return d.ArgErr()
		}
		switch name {
		case "max":
			n, err := strconv.Atoi(value)
			if err != nil || n <= 0 {
				return d.Errf("tasks max %q must be a whole number above zero", value)
			}
			h.Tasks.Max = n
		case "ttl":
			ttl, err := caddy.ParseDuration(value)
			if err != nil {
				return d.Errf("tasks ttl %q is no duration such as 1h", value)
			}
			if ttl <= 0 {
				return d.Errf("tasks ttl %q must be more than zero", value)
			}
			h.Tasks.TTL = caddy.Duration(ttl)
		default:
			return d.Errf("unrecognized option %q of tasks", name)
		}
	}
	return nil
}

func (h *Handler) readPrincipal(d *caddyfile.Dispenser) error {
	if err := word(&h.Principal)(d); err != nil {
		return err
	}
	if err := checkPrincipal(h.Principal); err != nil {
		return d.Err(err.Error())
	}
	return nil
}

// checkPrincipal refuses what would make all callers the same one.
func checkPrincipal(principal string) error {
	begin := strings.IndexByte(principal, '{')
	if principal == "" || begin >= 0 && strings.Count(principal, "{") == strings.Count(principal, "}") && strings.IndexByte(principal[begin:], '}') > 1 {
		return nil
	}
	return fmt.Errorf("principal %q holds no whole placeholder, so all callers would be one; give something like {http.auth.user.id}", principal)
}

// parseClientGone checks the value of "client_gone".
func parseClientGone(s string) (string, error) {
	if s != clientGoneClose && s != clientGoneDrain {
		return "", fmt.Errorf("unknown client_gone action %q, use one of %q", s, []string{clientGoneClose, clientGoneDrain})
	}
	return s, nil
}

var _ caddyfile.Unmarshaler = (*Handler)(nil)
