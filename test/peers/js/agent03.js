// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// An agent on the SDK for protocol 0.3.

import { DefaultRequestHandler, InMemoryTaskStore } from 'a2a-sdk-03/server';
import { jsonRpcHandler, restHandler, UserBuilder } from 'a2a-sdk-03/server/express';

import { card03 } from './cards.js';
import { Runs } from './script.js';

/** The agent as express middleware: JSON-RPC at the root, HTTP+JSON below it. */
export function agent03() {
  const requestHandler = new DefaultRequestHandler(
    card03('http://127.0.0.1/'),
    new InMemoryTaskStore(),
    new Executor(),
  );
  const options = { requestHandler, userBuilder: UserBuilder.noAuthentication };
  const [atRoot, below] = [jsonRpcHandler(options), restHandler(options)];
  return (req, res, next) => (req.path === '/' ? atRoot : below)(req, res, next);
}

class Executor {
  #runs = new Runs();

  async execute(context, bus) {
    const text = context.userMessage.parts[0].text;
    await this.#runs.play(context.taskId, text, new Stage(context, bus));
    // Without this the SDK keeps the stream of a task open for ever.
    bus.finished();
  }

  async cancelTask(taskId) {
    this.#runs.cancel(taskId);
  }
}

class Stage {
  #bus;
  #context;
  #ids;

  constructor(context, bus) {
    this.#bus = bus;
    this.#context = context;
    this.#ids = { taskId: context.taskId, contextId: context.contextId };
  }

  task({ state }) {
    const { taskId, contextId } = this.#ids;
    const known = this.#context.task;
    this.#bus.publish({
      kind: 'task',
      id: taskId,
      contextId,
      status: this.#status(state),
      history: known?.history ?? [this.#context.userMessage],
      artifacts: known?.artifacts ?? [],
    });
  }

  status({ state, text, final = false }) {
    const status = this.#status(state, text);
    this.#bus.publish({ kind: 'status-update', ...this.#ids, status, final });
  }

  artifact({ artifact, text, append = false, last = false }) {
    this.#bus.publish({
      kind: 'artifact-update',
      ...this.#ids,
      artifact: { artifactId: artifact, parts: [{ kind: 'text', text }] },
      append,
      lastChunk: last,
    });
  }

  message({ text }) {
    this.#bus.publish(this.#message(text));
  }

  #status(state, text) {
    return {
      state,
      message: text && this.#message(text),
      timestamp: new Date().toISOString(),
    };
  }

  #message(text) {
    return {
      kind: 'message',
      messageId: crypto.randomUUID(),
      contextId: this.#ids.contextId,
      role: 'agent',
      parts: [{ kind: 'text', text }],
    };
  }
}
