# Copyright 2026 The caddy-a2a-guard Authors
# SPDX-License-Identifier: Apache-2.0

"""The client's process."""

import uuid

from a2a.client import ClientConfig, ClientFactory
from a2a.types.a2a_pb2 import (
    CancelTaskRequest,
    GetTaskRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    StreamResponse,
    SubscribeToTaskRequest,
)
from a2a.utils.errors import JSON_RPC_ERROR_CODE_MAP
from calling import main
from google.protobuf.json_format import MessageToDict

from .cards import card


async def make(call, http):
    async for event in events(call, http):
        yield MessageToDict(event)


async def events(call, http):
    config = ClientConfig(
        streaming=call['verb'] != 'send',
        httpx_client=http,
        supported_protocol_bindings=['HTTP+JSON' if call['rest'] else 'JSONRPC'],
    )
    # HTTP+JSON's paths begin with a slash of their own.
    url = call['url'].rstrip('/') if call['rest'] else call['url']
    client = ClientFactory(config).create(card(url, call['rest']))
    match call['verb']:
        case 'stream' | 'send':
            message = Message(
                message_id=str(uuid.uuid4()),
                role=Role.ROLE_USER,
                parts=[Part(text=call['text'])],
                task_id=call['task'],
                context_id=call['context'],
            )
            async for event in client.send_message(SendMessageRequest(message=message)):
                yield event
        case 'subscribe':
            async for event in client.subscribe(SubscribeToTaskRequest(id=call['task'])):
                yield event
        case 'get':
            yield StreamResponse(task=await client.get_task(GetTaskRequest(id=call['task'])))
        case 'cancel':
            yield StreamResponse(task=await client.cancel_task(CancelTaskRequest(id=call['task'])))
        case verb:
            raise ValueError(f'unknown verb {verb}')


main(make, lambda error: JSON_RPC_ERROR_CODE_MAP.get(type(error), 0))
