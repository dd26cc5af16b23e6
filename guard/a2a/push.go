// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

// PushConfig is what the guard reads of a push notification configuration in a
// request (A2A 1.0 §4.3.1, A2A 0.3 §6.8). Its tokens point into the body. Token and
// authentication are not read.
type PushConfig struct {
	// URL is the webhook's raw JSON value, of whatever type; nil if there is none.
	URL Token
	// TaskID is the task that the configuration itself names, nil if none.
	TaskID Token
	// Inline is true for one that comes with a message, false for a call's own.
	Inline bool
}

// maxPushConfigs bounds how many configurations of one request are listed. More
// than there are places for one are only had by keys that stand twice.
const maxPushConfigs = 16

// pushFields are read whatever their case: a server that ignores it would take the
// URL, and the guard must see each that any server takes.
var pushFields = []field{{camel: "url"}, {"taskId", "task_id"}, {"pushNotificationConfig", "push_notification_config"}, {camel: "config"}}

// pushConfig reads the configuration that comes next, and those within it: 0.3
// wraps it once over JSON-RPC and twice over HTTP+JSON.
func (rr *RequestReader) pushConfig(inline bool, wrappers int) {
	c := &rr.c
	config := PushConfig{Inline: inline}
	o, ok := c.open(pushFields)
	for ok && o.next() {
		switch which := o.lenient(); {
		case which == 0:
			config.URL = c.value()
		case which == 1:
			config.TaskID = c.id()
		case which >= 2 && wrappers > 0:
			rr.pushConfig(inline, wrappers-1)
		default:
			c.skip()
		}
	}
	rr.addPush(config)
}

func (rr *RequestReader) addPush(config PushConfig) {
	if config.URL == nil && config.TaskID == nil {
		return
	}
	if len(rr.r.Push) == maxPushConfigs {
		rr.c.flaw = DuplicateKeys
		return
	}
	rr.r.Push = append(rr.r.Push, config)
}
