# Copyright 2026 The caddy-a2a-guard Authors
# SPDX-License-Identifier: Apache-2.0

"""An agent on the SDK for protocol 0.3: JSON-RPC at the root, HTTP+JSON below /v1."""

import uuid
from datetime import UTC, datetime

from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2AFastAPIApplication, A2ARESTFastAPIApplication
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import (
    Artifact,
    Message,
    Part,
    Role,
    Task,
    TaskArtifactUpdateEvent,
    TaskState,
    TaskStatus,
    TaskStatusUpdateEvent,
    TextPart,
)
from script import Runs

from .cards import card


def agent():
    """The agent as an ASGI application."""
    return serving(Executor())


def serving(executor):
    """An executor's ASGI application."""
    about = card('http://127.0.0.1/', False)
    handler = DefaultRequestHandler(executor, InMemoryTaskStore())
    app = A2ARESTFastAPIApplication(about, handler).build()
    A2AFastAPIApplication(about, handler).add_routes_to_app(app)
    return app


class Executor(AgentExecutor):
    def __init__(self):
        self._runs = Runs()

    async def execute(self, context, event_queue):
        await self._runs.play(context.task_id, context.get_user_input(), Stage(context, event_queue))

    async def cancel(self, context, event_queue):
        await self._runs.cancel(context.task_id, Stage(context, event_queue))


class Stage:
    """Turns steps into the SDK's events."""

    def __init__(self, context, queue):
        self._context = context
        self._queue = queue
        self._ids = {'task_id': context.task_id, 'context_id': context.context_id}

    async def task(self, step):
        if known := self._context.current_task:
            task = known.model_copy(update={'status': self._status(step)})
        else:
            task = Task(
                id=self._context.task_id,
                context_id=self._context.context_id,
                status=self._status(step),
                history=[self._context.message],
            )
        await self._queue.enqueue_event(task)

    async def status(self, step):
        await self._queue.enqueue_event(
            TaskStatusUpdateEvent(**self._ids, status=self._status(step), final=step.get('final', False))
        )

    async def artifact(self, step):
        await self._queue.enqueue_event(
            TaskArtifactUpdateEvent(
                **self._ids,
                artifact=Artifact(artifact_id=step['artifact'], parts=[text(step['text'])]),
                append=step.get('append', False),
                last_chunk=step.get('last', False),
            )
        )

    async def message(self, step):
        await self._queue.enqueue_event(self._message(step['text']))

    def _status(self, step):
        said = step.get('text')
        return TaskStatus(
            state=TaskState(step['state']),
            message=self._message(said) if said else None,
            timestamp=datetime.now(UTC).isoformat(),
        )

    def _message(self, said):
        return Message(
            message_id=str(uuid.uuid4()),
            context_id=self._context.context_id,
            role=Role.agent,
            parts=[text(said)],
        )


def text(said):
    return Part(root=TextPart(text=said))
