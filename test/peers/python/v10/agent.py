# Copyright 2026 The caddy-a2a-guard Authors
# SPDX-License-Identifier: Apache-2.0

"""An agent on the SDK for protocol 1.0: JSON-RPC at the root, HTTP+JSON below it."""

import uuid

from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers.default_request_handler_v2 import DefaultRequestHandlerV2
from a2a.server.routes import create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types.a2a_pb2 import (
    Artifact,
    Message,
    Part,
    Role,
    Task,
    TaskArtifactUpdateEvent,
    TaskState,
    TaskStatus,
    TaskStatusUpdateEvent,
)
from script import Runs
from starlette.applications import Starlette

from .cards import card


def agent():
    """The agent as an ASGI application."""
    handler = DefaultRequestHandlerV2(Executor(), InMemoryTaskStore(), card('http://127.0.0.1/', False))
    return Starlette(routes=[*create_jsonrpc_routes(handler, '/'), *create_rest_routes(handler)])


class Executor(AgentExecutor):
    def __init__(self):
        self._runs = Runs()

    async def execute(self, context, event_queue):
        text = context.message.parts[0].text
        await self._runs.play(context.task_id, text, Stage(context, event_queue))

    async def cancel(self, context, event_queue):
        await self._runs.cancel(context.task_id, Stage(context, event_queue))


class Stage:
    """Turns steps into the SDK's events."""

    def __init__(self, context, queue):
        self._context = context
        self._queue = queue
        self._ids = {'task_id': context.task_id, 'context_id': context.context_id}

    async def task(self, step):
        task = Task(id=self._context.task_id, context_id=self._context.context_id)
        if known := self._context.current_task:
            task.CopyFrom(known)
        else:
            task.history.append(self._context.message)
        task.status.CopyFrom(self._status(step))
        await self._queue.enqueue_event(task)

    async def status(self, step):
        await self._queue.enqueue_event(TaskStatusUpdateEvent(**self._ids, status=self._status(step)))

    async def artifact(self, step):
        await self._queue.enqueue_event(
            TaskArtifactUpdateEvent(
                **self._ids,
                artifact=Artifact(artifact_id=step['artifact'], parts=[Part(text=step['text'])]),
                append=step.get('append', False),
                last_chunk=step.get('last', False),
            )
        )

    async def message(self, step):
        await self._queue.enqueue_event(self._message(step['text']))

    def _status(self, step):
        state = 'TASK_STATE_' + step['state'].replace('-', '_').upper()
        status = TaskStatus(state=TaskState.Value(state))
        status.timestamp.GetCurrentTime()
        if text := step.get('text'):
            status.message.CopyFrom(self._message(text))
        return status

    def _message(self, text):
        return Message(
            message_id=str(uuid.uuid4()),
            context_id=self._context.context_id,
            role=Role.ROLE_AGENT,
            parts=[Part(text=text)],
        )
