# Copyright 2026 The caddy-a2a-guard Authors
# SPDX-License-Identifier: Apache-2.0

"""The card that the agent and the client work by; nobody fetches it."""

from a2a.types import AgentCapabilities, AgentCard, TransportProtocol


def card(url, rest):
    """The card of an agent at an address, in HTTP+JSON or JSON-RPC."""
    return AgentCard(
        name='script player',
        description='plays scripts',
        version='1',
        url=url,
        preferred_transport=TransportProtocol.http_json if rest else TransportProtocol.jsonrpc,
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=['text/plain'],
        default_output_modes=['text/plain'],
        skills=[],
    )
