# Copyright 2026 The caddy-a2a-guard Authors
# SPDX-License-Identifier: Apache-2.0

"""What an agent plays: a user message's text is a JSON list of steps.

The Go package peers describes the steps, beside the type that writes them.
"""

import asyncio
import json


class Runs:
    """The runs of an agent by task id, so that a cancellation finds its run."""

    def __init__(self):
        self._on_cancel = {}

    async def play(self, task_id, text, stage):
        """Plays the steps in a user message's text on a stage."""
        self._on_cancel[task_id] = 'obey'
        for step in json.loads(text):
            match step['do']:
                case 'on-cancel':
                    self._on_cancel[task_id] = step['text']
                case 'wait':
                    await asyncio.sleep(step['millis'] / 1000)
                case 'hang':
                    # The SDK ends the run at a cancellation, before it asks the agent.
                    await asyncio.Event().wait()
                case 'throw':
                    raise RuntimeError(step['text'])
                case publish:
                    await getattr(stage, publish)(step)

    async def cancel(self, task_id, stage):
        """Cancels a run in the way that its script told."""
        match self._on_cancel[task_id]:
            case 'throw':
                raise RuntimeError('cannot cancel')
            case 'obey':
                await stage.status({'state': 'canceled', 'final': True})
