// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// An agent on the SDK for protocol 1.0.

import { Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from 'a2a-sdk-1';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from 'a2a-sdk-1/server';
import { jsonRpcHandler, restHandler, UserBuilder } from 'a2a-sdk-1/server/express';

import { card10 } from './cards.js';
import { Runs } from './script.js';

/** The agent as express middleware: JSON-RPC at the root, HTTP+JSON below it. */
export function agent10() {
  const requestHandler = new DefaultRequestHandler(
    card10('http://127.0.0.1/'),
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
    const text = context.userMessage.parts[0].content.value;
    await this.#runs.play(context.taskId, text, new Stage(context, bus));
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
    const task = Task.fromJSON({ id: taskId, contextId, status: this.#status(state) });
    task.history = known?.history ?? [this.#context.userMessage];
    task.artifacts = known?.artifacts ?? [];
    this.#bus.publish(AgentEvent.task(task));
  }

  status({ state, text }) {
    const update = { ...this.#ids, status: this.#status(state, text) };
    this.#bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON(update)));
  }

  artifact({ artifact, text, append, last }) {
    const update = {
      ...this.#ids,
      artifact: { artifactId: artifact, parts: [{ text }] },
      append,
      lastChunk: last,
    };
    this.#bus.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON(update)));
  }

  message({ text }) {
    this.#bus.publish(AgentEvent.message(this.#message(text)));
  }

  #status(state, text) {
    return {
      state: `TASK_STATE_${state.replace('-', '_').toUpperCase()}`,
      message: text && Message.toJSON(this.#message(text)),
      timestamp: new Date().toISOString(),
    };
  }

  #message(text) {
    return Message.fromJSON({
      messageId: crypto.randomUUID(),
      contextId: this.#ids.contextId,
      role: 'ROLE_AGENT',
      parts: [{ text }],
    });
  }
}
