# Copyright 2026 The caddy-a2a-guard Authors
# SPDX-License-Identifier: Apache-2.0

"""The client behind standard input and output. Each input line is one call; lines go
out as its events come, and a last one tells how it ended. Calls run side by side. The
Go package peers describes calls, events and ends.
"""

import asyncio
import json
import os
import sys
import threading
import uuid

import httpx
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
from google.protobuf.json_format import MessageToDict

from cards import card


async def make(call, http):
    """Makes one call and yields what it brings in the wire's own JSON."""
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


async def run(call, http):
    def tell(**line):
        print(json.dumps({'id': call['id'], **line}), flush=True)

    try:
        async with asyncio.timeout(call['millis'] / 1000):
            async for event in make(call, http):
                tell(event=MessageToDict(event))
        tell(end={'how': 'ok'})
    except TimeoutError:
        tell(end={'how': 'timeout'})
    except Exception as error:
        code = JSON_RPC_ERROR_CODE_MAP.get(type(error), 0)
        message = str(error).partition(" for url '")[0]  # whose ports differ from run to run
        tell(end={'how': 'error', 'type': type(error).__name__, 'code': code, 'message': message})


async def main():
    http = httpx.AsyncClient(timeout=None)
    loop = asyncio.get_running_loop()
    running = set()

    def begin(line):
        task = loop.create_task(run(json.loads(line), http))
        running.add(task)
        task.add_done_callback(running.discard)

    def read():
        for line in sys.stdin:
            loop.call_soon_threadsafe(begin, line)
        os._exit(0)  # whatever calls are still open

    threading.Thread(target=read, daemon=True).start()
    await asyncio.Event().wait()


asyncio.run(main())
