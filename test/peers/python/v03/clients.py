# Copyright 2026 The caddy-a2a-guard Authors
# SPDX-License-Identifier: Apache-2.0

"""The client's process."""

import uuid

from a2a.client import ClientConfig, ClientFactory
from a2a.client.errors import A2AClientJSONRPCError
from a2a.types import Message, Part, Role, TaskIdParams, TaskQueryParams, TextPart, TransportProtocol
from calling import main

from .cards import card


async def make(call, http):
    async for event in events(call, http):
        if isinstance(event, tuple):  # the task so far, and what changed it
            task, update = event
            event = update or task
        yield event.model_dump(mode='json', by_alias=True, exclude_none=True)


async def events(call, http):
    config = ClientConfig(
        streaming=call['verb'] != 'send',
        httpx_client=http,
        supported_transports=[TransportProtocol.http_json if call['rest'] else TransportProtocol.jsonrpc],
    )
    # HTTP+JSON's paths begin with a slash of their own.
    url = call['url'].rstrip('/') if call['rest'] else call['url']
    client = ClientFactory(config).create(card(url, call['rest']))
    match call['verb']:
        case 'stream' | 'send':
            message = Message(
                message_id=str(uuid.uuid4()),
                role=Role.user,
                parts=[Part(root=TextPart(text=call['text']))],
                task_id=call['task'] or None,
                context_id=call['context'] or None,
            )
            async for event in client.send_message(message):
                yield event
        case 'subscribe':
            async for event in client.resubscribe(TaskIdParams(id=call['task'])):
                yield event
        case 'get':
            yield await client.get_task(TaskQueryParams(id=call['task']))
        case 'cancel':
            yield await client.cancel_task(TaskIdParams(id=call['task']))
        case verb:
            raise ValueError(f'unknown verb {verb}')


def code_of(error):
    return error.error.code if isinstance(error, A2AClientJSONRPCError) else 0


main(make, code_of)
