// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

package gosdk10

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"

	"github.com/a2aguard/caddy-a2a-guard/test/peers"
)

// Client is the official client. It implements peers.Client.
type Client struct{ http *http.Client }

// NewClient makes a client with a connection pool of its own.
func NewClient() *Client {
	return &Client{&http.Client{Transport: &http.Transport{}}}
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Do implements peers.Client.
func (c *Client) Do(ctx context.Context, call peers.Call, event func([]byte)) peers.End {
	ctx, cancel := context.WithTimeout(ctx, call.Limit)
	defer cancel()
	binding := a2a.TransportProtocolJSONRPC
	if call.REST {
		binding = a2a.TransportProtocolHTTPJSON
	}
	endpoint := a2a.NewAgentInterface(call.URL, binding)
	client, err := a2aclient.NewFromEndpoints(ctx, []*a2a.AgentInterface{endpoint},
		a2aclient.WithJSONRPCTransport(c.http), a2aclient.WithRESTTransport(c.http))
	if err != nil {
		return peers.EndOf(ctx, err, errorsByCode)
	}
	err = do(ctx, client, call, func(e a2a.Event) error {
		wire, err := json.Marshal(a2a.StreamResponse{Event: e})
		if err != nil {
			return err
		}
		event(wire)
		return nil
	})
	return peers.EndOf(ctx, err, errorsByCode)
}

func do(ctx context.Context, client *a2aclient.Client, call peers.Call, event func(a2a.Event) error) error {
	message := func() *a2a.SendMessageRequest {
		message := a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(call.Text))
		message.TaskID, message.ContextID = a2a.TaskID(call.Task), call.Context
		return &a2a.SendMessageRequest{Message: message}
	}
	id := a2a.TaskID(call.Task)
	switch call.Verb {
	case "stream":
		return peers.Each(client.SendStreamingMessage(ctx, message()), event)
	case "subscribe":
		return peers.Each(client.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: id}), event)
	case "send":
		result, err := client.SendMessage(ctx, message())
		if err != nil {
			return err
		}
		return event(result)
	case "get":
		task, err := client.GetTask(ctx, &a2a.GetTaskRequest{ID: id})
		if err != nil {
			return err
		}
		return event(task)
	case "cancel":
		task, err := client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id})
		if err != nil {
			return err
		}
		return event(task)
	default:
		return fmt.Errorf("unknown verb %q", call.Verb)
	}
}

// errorsByCode are the SDK's errors, by the JSON-RPC codes that it makes them of.
var errorsByCode = map[int]error{
	-32700: a2a.ErrParseError,
	-32600: a2a.ErrInvalidRequest,
	-32601: a2a.ErrMethodNotFound,
	-32602: a2a.ErrInvalidParams,
	-32603: a2a.ErrInternalError,
	-32001: a2a.ErrTaskNotFound,
	-32002: a2a.ErrTaskNotCancelable,
	-32004: a2a.ErrUnsupportedOperation,
	-32006: a2a.ErrInvalidAgentResponse,
}
