// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package a2a

// Code is a JSON-RPC error code (A2A 1.0 §5.4, JSON-RPC 2.0 §5.1).
type Code int

// The codes that the guard itself answers with or looks for.
const (
	ParseError                Code = -32700
	InvalidRequest            Code = -32600
	MethodNotFound            Code = -32601
	InvalidParams             Code = -32602
	InternalError             Code = -32603
	TaskNotFound              Code = -32001
	TaskNotCancelable         Code = -32002
	PushNotSupported          Code = -32003
	UnsupportedOperation      Code = -32004
	InvalidAgentResponse      Code = -32006
	ExtendedCardNotConfigured Code = -32007
	ExtensionRequired         Code = -32008
	VersionNotSupported       Code = -32009
	Unauthenticated           Code = -31401 // no A2A code; the one of the Go SDK
	PermissionDenied          Code = -31403 // likewise
)

// Reason returns the code's ErrorInfo reason (A2A 1.0 §9.5).
func (c Code) Reason() string {
	switch c {
	case ParseError:
		return "JSON_PARSE_ERROR"
	case InvalidRequest:
		return "INVALID_REQUEST"
	case MethodNotFound:
		return "METHOD_NOT_FOUND"
	case InvalidParams:
		return "INVALID_PARAMS"
	case TaskNotFound:
		return "TASK_NOT_FOUND"
	case PushNotSupported:
		return "PUSH_NOTIFICATION_NOT_SUPPORTED"
	case TaskNotCancelable:
		return "TASK_NOT_CANCELABLE"
	case UnsupportedOperation:
		return "UNSUPPORTED_OPERATION"
	case InvalidAgentResponse:
		return "INVALID_AGENT_RESPONSE"
	case ExtendedCardNotConfigured:
		return "EXTENDED_AGENT_CARD_NOT_CONFIGURED"
	case ExtensionRequired:
		return "EXTENSION_SUPPORT_REQUIRED"
	case VersionNotSupported:
		return "VERSION_NOT_SUPPORTED"
	case Unauthenticated:
		return "UNAUTHENTICATED"
	default:
		return "INTERNAL_ERROR"
	}
}

// HTTPStatus returns the status of an error with the code in HTTP+JSON (A2A 1.0
// §5.4; 0.3 has the ones that its SDKs send).
func (c Code) HTTPStatus(d Dialect) int {
	old := d == V03
	switch {
	case c == Unauthenticated:
		return 401
	case c == TaskNotFound, c == MethodNotFound, c == ExtendedCardNotConfigured && old:
		return 404
	case c == UnsupportedOperation && old, c == PushNotSupported && old:
		return 501
	case c == InvalidAgentResponse && old:
		return 502
	case c == InternalError, c == InvalidAgentResponse:
		return 500
	default:
		return 400
	}
}

// status returns the name that goes with a code and an HTTP status in a
// google.rpc.Status.
func (c Code) status(http int) string {
	if c == InvalidAgentResponse { // to try again would not help
		return "INTERNAL"
	}
	switch http {
	case 401:
		return "UNAUTHENTICATED"
	case 403:
		return "PERMISSION_DENIED"
	case 404:
		return "NOT_FOUND"
	case 408, 504:
		return "DEADLINE_EXCEEDED"
	case 429:
		return "RESOURCE_EXHAUSTED"
	case 502, 503:
		return "UNAVAILABLE"
	case 500:
		return "INTERNAL"
	}
	switch c {
	case PushNotSupported, UnsupportedOperation, ExtendedCardNotConfigured, ExtensionRequired, VersionNotSupported:
		return "FAILED_PRECONDITION"
	case InternalError:
		return "INTERNAL"
	default:
		return "INVALID_ARGUMENT"
	}
}
