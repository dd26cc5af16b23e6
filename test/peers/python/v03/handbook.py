# Copyright 2026 The caddy-a2a-guard Authors
# SPDX-License-Identifier: Apache-2.0

"""Agents that answer questions about a handbook: a LangGraph ReAct agent on a stub
model, the same over an index that is not loaded, and one that only greets. Each has an
address of its own in the JSON line that the process prints.
"""

import asyncio

from a2a.server.agent_execution import AgentExecutor
from a2a.server.tasks import TaskUpdater
from a2a.types import TaskState, UnsupportedOperationError
from a2a.utils import new_agent_text_message, new_task
from a2a.utils.errors import ServerError
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.prebuilt import create_react_agent
from serving import main

from .agent import serving

HANDBOOK = {'export': 'Data can be exported for 30 days after a plan ends.'}


@tool
def lookup(topic: str) -> str:
    """Looks a topic up in the handbook."""
    return HANDBOOK[topic]


@tool
def unloaded(topic: str) -> str:
    """Looks a topic up in an index that nobody has loaded."""
    raise RuntimeError(f'no index is loaded to look {topic} up in')


class StubModel(BaseChatModel):
    """Calls the one tool that it has, then says what that has found."""

    tool: str = ''

    @property
    def _llm_type(self):
        return 'stub'

    def bind_tools(self, tools, **_):
        return self.model_copy(update={'tool': tools[0].name})

    def _generate(self, messages, stop=None, run_manager=None, **_):
        last = messages[-1]
        if isinstance(last, ToolMessage):
            reply = AIMessage(content=f'The handbook says: {last.content}')
        else:
            call = {'name': self.tool, 'args': {'topic': 'export'}, 'id': 'call-1'}
            reply = AIMessage(content='', tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=reply)])


class GraphExecutor(AgentExecutor):
    """Runs a graph in a thread, since it blocks, and tells of it as a task."""

    def __init__(self, graph):
        self._graph = graph

    async def execute(self, context, event_queue):
        task = context.current_task
        if task is None:
            task = new_task(context.message)
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)

        def said(text):
            return new_agent_text_message(text, task.context_id, task.id)

        await updater.update_status(TaskState.working, said('I look it up.'))
        question = {'messages': [('user', context.get_user_input())]}
        try:
            answer = await asyncio.to_thread(self._graph.invoke, question)
        except Exception as error:
            await updater.failed(said(str(error)))
            await asyncio.sleep(0.5)  # whatever is not sent when it raises is lost
            raise
        await updater.complete(said(answer['messages'][-1].content))

    async def cancel(self, context, event_queue):
        raise ServerError(error=UnsupportedOperationError())


class GreetingExecutor(AgentExecutor):
    async def execute(self, context, event_queue):
        await event_queue.enqueue_event(new_agent_text_message('Good morning.'))

    async def cancel(self, context, event_queue):
        raise ServerError(error=UnsupportedOperationError())


def graph(source):
    return GraphExecutor(create_react_agent(StubModel(), [source]))


main(
    {
        'handbook': serving(graph(lookup)),
        'failing': serving(graph(unloaded)),
        'greeting': serving(GreetingExecutor()),
    }
)
