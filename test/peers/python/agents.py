# Copyright 2026 The caddy-a2a-guard Authors
# SPDX-License-Identifier: Apache-2.0

"""Serves the agent on 127.0.0.1 and prints one JSON line with its port by protocol
version. Ends when its standard input does.
"""

import asyncio
import json
import os
import socket
import sys
import threading

import uvicorn

from agent import agent


def end_with_stdin():
    sys.stdin.read()
    os._exit(0)  # whatever calls are still open


async def main():
    listener = socket.create_server(('127.0.0.1', 0))
    print(json.dumps({'1.0': listener.getsockname()[1]}), flush=True)
    threading.Thread(target=end_with_stdin, daemon=True).start()
    await uvicorn.Server(uvicorn.Config(agent(), log_level='critical')).serve([listener])


asyncio.run(main())
