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

import httpx


async def run(call, http, make, code_of):
    """Makes one call: make yields what it brings in the wire's own JSON, code_of is the
    JSON-RPC code of the library's error, 0 for none."""

    def tell(**line):
        print(json.dumps({'id': call['id'], **line}), flush=True)

    try:
        async with asyncio.timeout(call['millis'] / 1000):
            async for event in make(call, http):
                tell(event=event)
        tell(end={'how': 'ok'})
    except TimeoutError:
        tell(end={'how': 'timeout'})
    except Exception as error:
        message = str(error).partition(" for url '")[0]  # whose ports differ from run to run
        tell(end={'how': 'error', 'type': type(error).__name__, 'code': code_of(error), 'message': message})


async def take_calls(make, code_of):
    http = httpx.AsyncClient(timeout=None)
    loop = asyncio.get_running_loop()
    running = set()

    def begin(line):
        task = loop.create_task(run(json.loads(line), http, make, code_of))
        running.add(task)
        task.add_done_callback(running.discard)

    def read():
        for line in sys.stdin:
            loop.call_soon_threadsafe(begin, line)
        os._exit(0)  # whatever calls are still open

    threading.Thread(target=read, daemon=True).start()
    await asyncio.Event().wait()


def main(make, code_of):
    asyncio.run(take_calls(make, code_of))
