// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

import "bytes"

// Dialect is a version of the protocol as far as its shapes differ.
type Dialect uint8

// The dialects.
const (
	V10 Dialect = iota // PascalCase methods, wrapped payloads, TASK_STATE_ enums
	V03                // methods with a slash, payloads with a kind, lower-case states, final
)

// String returns the dialect as A2A-Version has it, "1.0" or "0.3".
func (d Dialect) String() string {
	if d == V03 {
		return "0.3"
	}
	return "1.0"
}

// Operation is what a call asks for, whatever its version and binding call it
// (A2A 1.0 §5.3).
type Operation uint8

// The operations.
const (
	Other Operation = iota // not one of A2A's
	SendMessage
	SendStreamingMessage
	GetTask
	ListTasks
	CancelTask
	SubscribeToTask
	CreatePushConfig
	GetPushConfig
	ListPushConfigs
	DeletePushConfig
	GetExtendedCard

	OperationCount // how many there are
)

var operations = [OperationCount]struct {
	name     string // canonical name, for labels
	v10, v03 string // JSON-RPC method names; empty where the version has none
}{
	Other:                {"other", "", ""},
	SendMessage:          {"send_message", "SendMessage", "message/send"},
	SendStreamingMessage: {"send_streaming_message", "SendStreamingMessage", "message/stream"},
	GetTask:              {"get_task", "GetTask", "tasks/get"},
	ListTasks:            {"list_tasks", "ListTasks", "tasks/list"},
	CancelTask:           {"cancel_task", "CancelTask", "tasks/cancel"},
	SubscribeToTask:      {"subscribe_to_task", "SubscribeToTask", "tasks/resubscribe"},
	CreatePushConfig:     {"create_push_config", "CreateTaskPushNotificationConfig", "tasks/pushNotificationConfig/set"},
	GetPushConfig:        {"get_push_config", "GetTaskPushNotificationConfig", "tasks/pushNotificationConfig/get"},
	ListPushConfigs:      {"list_push_configs", "ListTaskPushNotificationConfigs", "tasks/pushNotificationConfig/list"},
	DeletePushConfig:     {"delete_push_config", "DeleteTaskPushNotificationConfig", "tasks/pushNotificationConfig/delete"},
	GetExtendedCard:      {"get_extended_agent_card", "GetExtendedAgentCard", "agent/getAuthenticatedExtendedCard"},
}

var methods = func() map[string]method {
	m := make(map[string]method, 2*OperationCount)
	for op, names := range operations {
		if op != int(Other) {
			m[names.v10] = method{Operation(op), V10}
			m[names.v03] = method{Operation(op), V03}
		}
	}
	return m
}()

type method struct {
	op      Operation
	dialect Dialect
}

// methodDialect tells the dialect by the look of a method's name; ok is false if
// that tells nothing.
func methodDialect(name []byte) (d Dialect, ok bool) {
	switch {
	case bytes.IndexByte(name, '/') >= 0:
		return V03, true
	case len(name) > 0 && 'A' <= name[0] && name[0] <= 'Z':
		return V10, true
	}
	return V10, false
}

// String returns the canonical name, from a closed set, for labels.
func (o Operation) String() string { return operations[o].name }

// Streams reports whether the operation's answer is an event stream
// (A2A 1.0 §3.1.2, §3.1.6).
func (o Operation) Streams() bool { return o == SendStreamingMessage || o == SubscribeToTask }

// Pushes reports whether the operation is one of those on push notification
// configurations (A2A 1.0 §3.1.7 to §3.1.10).
func (o Operation) Pushes() bool { return o >= CreatePushConfig && o <= DeletePushConfig }

// Sends reports whether the operation carries a message to the agent.
func (o Operation) Sends() bool { return o == SendMessage || o == SendStreamingMessage }

// NamesTask reports whether a call of the operation must name a task.
func (o Operation) NamesTask() bool {
	switch o {
	case GetTask, CancelTask, SubscribeToTask, CreatePushConfig, GetPushConfig, ListPushConfigs, DeletePushConfig:
		return true
	default:
		return false
	}
}

// Method returns the operation's JSON-RPC method name in the dialect.
func (o Operation) Method(d Dialect) string {
	if d == V03 {
		return operations[o].v03
	}
	return operations[o].v10
}

// LookupMethod finds a JSON-RPC method name; ok is false if A2A has none such.
// The name alone tells the dialect.
func LookupMethod(name []byte) (op Operation, d Dialect, ok bool) {
	m, ok := methods[string(name)]
	return m.op, m.dialect, ok
}
