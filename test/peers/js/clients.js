// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Both official clients behind standard input and output. Each input line is one
// call; lines go out as its events come, and a last one tells how it ended. Calls
// run side by side. The Go package peers describes calls, events and ends.

import { createInterface } from 'node:readline';

import { call03 } from './client03.js';
import { call10 } from './client10.js';

const calls = { '1.0': call10, '0.3': call03 };

async function run({ id, version, millis, ...call }) {
  const print = (line) => console.log(JSON.stringify({ id, ...line }));
  const signal = AbortSignal.timeout(millis);
  try {
    for await (const event of calls[version](call, { signal })) {
      print({ event });
    }
    print({ end: { how: 'ok' } });
  } catch (error) {
    print({ end: signal.aborted ? { how: 'timeout' } : { how: 'error', ...describe(error, call.rest) } });
  }
}

/**
 * The innermost error that bears a JSON-RPC code: on event streams the clients
 * throw a plain Error and leave the typed one in its cause.
 */
function describe(error, rest) {
  for (let e = error; e; e = e.cause) {
    const code = rest ? plainCode(e) : e.envelopeCode ?? e.errorResponse?.error.code;
    if (code) {
      const message = e.errorResponse?.error.message ?? e.message;
      return { type: e.constructor.name, code, message, wrapped: e !== error };
    }
  }
  return { type: error.constructor.name, message: error.message };
}

// HTTP+JSON errors bear no code: their classes say what they are.
const codes = {
  TaskNotFound: -32001,
  TaskNotCancelable: -32002,
  UnsupportedOperation: -32004,
  InvalidAgentResponse: -32006,
};

function plainCode(error) {
  // Else the client of 0.3 says it in words, and that of 1.0 not at all.
  const known = Object.keys(codes).find((name) => error.constructor.name.includes(name));
  return codes[known] ?? Number(/\(Code: (-\d+)\)/.exec(error.message)?.[1] ?? (error.transport && -32603));
}

createInterface({ input: process.stdin }).on('line', (line) => run(JSON.parse(line)));
