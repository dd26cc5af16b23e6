# Copyright 2026 The caddy-a2a-guard Authors
# SPDX-License-Identifier: Apache-2.0

"""The agent's process."""

from serving import main

from .agent import agent

main({'0.3': agent()})
