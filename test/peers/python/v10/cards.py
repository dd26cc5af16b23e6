# Copyright 2026 The caddy-a2a-guard Authors
# SPDX-License-Identifier: Apache-2.0

"""The card that the agent and the client work by; nobody fetches it."""

from a2a.types.a2a_pb2 import AgentCapabilities, AgentCard, AgentInterface


def card(url, rest):
    """The card of an agent at an address, in HTTP+JSON or JSON-RPC."""
    binding = 'HTTP+JSON' if rest else 'JSONRPC'
    return AgentCard(
        name='script player',
        description='plays scripts',
        version='1',
        supported_interfaces=[AgentInterface(url=url, protocol_binding=binding, protocol_version='1.0')],
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=['text/plain'],
        default_output_modes=['text/plain'],
    )
