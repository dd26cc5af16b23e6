// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// The calls of the client for protocol 0.3.

import { ClientFactory } from 'a2a-sdk-03/client';

import { card03 } from './cards.js';

/** Makes one call and yields what it brings in the wire's own JSON. */
export async function* call03({ verb, url, text, task, context, rest }, options) {
  const client = await new ClientFactory().createFromAgentCard(card03(url, rest));
  const message = () => ({
    message: {
      kind: 'message',
      messageId: crypto.randomUUID(),
      role: 'user',
      parts: [{ kind: 'text', text }],
      taskId: task || undefined,
      contextId: context || undefined,
    },
  });
  switch (verb) {
    case 'stream':
      yield* client.sendMessageStream(message(), options);
      return;
    case 'subscribe':
      yield* client.resubscribeTask({ id: task }, options);
      return;
    case 'send':
      yield await client.sendMessage(message(), options);
      return;
    case 'get':
      yield await client.getTask({ id: task }, options);
      return;
    case 'cancel':
      yield await client.cancelTask({ id: task }, options);
      return;
    default:
      throw new Error(`unknown verb ${verb}`);
  }
}
