# Copyright 2026 The caddy-a2a-guard Authors
# SPDX-License-Identifier: Apache-2.0

"""Serves an agent on 127.0.0.1 and prints one JSON line with its port by protocol
version. Ends when its standard input does.
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


async def serve(version, app):
    """Serves an ASGI application whose agent speaks a protocol version."""
    listener = socket.create_server(('127.0.0.1', 0))
    print(json.dumps({version: listener.getsockname()[1]}), flush=True)
    threading.Thread(target=end_with_stdin, daemon=True).start()
    await uvicorn.Server(uvicorn.Config(app, log_level='critical')).serve([listener])


def main(version, app):
    asyncio.run(serve(version, app))
