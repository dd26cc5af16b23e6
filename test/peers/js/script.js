// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// What an agent plays: a user message's text is a JSON list of steps. Both
// executors share this; each brings a stage that turns a step into its SDK's own
// events. The Go package peers describes the steps, beside the type that writes
// them.

import { setTimeout as sleep } from 'node:timers/promises';

/** The runs of an agent by task id, so that a cancellation finds its run. */
export class Runs {
  #runs = new Map();

  /** Plays the steps in a user message's text on a stage. */
  async play(taskId, text, stage) {
    const run = { stage, onCancel: 'obey' };
    run.canceled = new Promise((resolve) => {
      run.release = resolve;
    });
    this.#runs.set(taskId, run);
    for (const step of JSON.parse(text)) {
      switch (step.do) {
        case 'on-cancel':
          run.onCancel = step.text;
          break;
        case 'wait':
          await sleep(step.millis);
          break;
        case 'hang':
          await run.canceled;
          break;
        case 'throw':
          throw new Error(step.text);
        default:
          stage[step.do](step);
      }
    }
  }

  /** Cancels a run in the way that its script told. */
  cancel(taskId) {
    const run = this.#runs.get(taskId);
    switch (run.onCancel) {
      case 'throw':
        throw new Error('cannot cancel');
      case 'obey':
        run.stage.status({ state: 'canceled', final: true });
        run.release();
    }
  }
}
