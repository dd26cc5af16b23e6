# Copyright 2026 The caddy-a2a-guard Authors
# SPDX-License-Identifier: Apache-2.0

"""Serves agents on 127.0.0.1 and prints one JSON line with their ports by name or
protocol version. Ends when its standard input does.
"""

import asyncio
import json
import os
import socket
import sys
import threading

import uvicorn


def end_with_stdin():
    sys.stdin.read()
    os._exit(0)  # whatever calls are still open


async def serve(apps):
    """Serves ASGI applications by the name or protocol version of their agent."""
    listeners = {name: socket.create_server(('127.0.0.1', 0)) for name in apps}
    print(json.dumps({name: at.getsockname()[1] for name, at in listeners.items()}), flush=True)
    threading.Thread(target=end_with_stdin, daemon=True).start()
    servers = [
        uvicorn.Server(uvicorn.Config(app, log_level='critical')).serve([listeners[name]])
        for name, app in apps.items()
    ]
    await asyncio.gather(*servers)


def main(apps):
    asyncio.run(serve(apps))
