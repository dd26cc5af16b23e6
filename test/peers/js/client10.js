// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// The calls of the client for protocol 1.0.

import {
  CancelTaskRequest,
  GetTaskRequest,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
} from 'a2a-sdk-1';
import { ClientFactory } from 'a2a-sdk-1/client';

import { card10 } from './cards.js';

/** Makes one call and yields what it brings in the wire's own JSON. */
export async function* call10({ verb, url, text, task, context, rest }, options) {
  const client = await new ClientFactory().createFromAgentCard(card10(url, rest));
  const id = { id: task };
  const message = () =>
    SendMessageRequest.fromJSON({
      message: {
        messageId: crypto.randomUUID(),
        role: 'ROLE_USER',
        parts: [{ text }],
        taskId: task,
        contextId: context,
      },
    });
  switch (verb) {
    case 'stream':
      for await (const event of client.sendMessageStream(message(), options)) {
        yield StreamResponse.toJSON(event);
      }
      return;
    case 'subscribe':
      for await (const event of client.resubscribeTask(SubscribeToTaskRequest.fromJSON(id), options)) {
        yield StreamResponse.toJSON(event);
      }
      return;
    case 'send': {
      const value = await client.sendMessage(message(), options);
      const $case = 'messageId' in value ? 'message' : 'task';
      yield StreamResponse.toJSON({ payload: { $case, value } });
      return;
    }
    case 'get':
      yield { task: Task.toJSON(await client.getTask(GetTaskRequest.fromJSON(id), options)) };
      return;
    case 'cancel':
      yield { task: Task.toJSON(await client.cancelTask(CancelTaskRequest.fromJSON(id), options)) };
      return;
    default:
      throw new Error(`unknown verb ${verb}`);
  }
}
