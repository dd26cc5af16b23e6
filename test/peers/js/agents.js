// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// Serves both agents on 127.0.0.1 and prints one JSON line with their ports by
// protocol version. Ends when its standard input does.

import { once } from 'node:events';
import express from 'express';

import { agent03 } from './agent03.js';
import { agent10 } from './agent10.js';

async function serve(agent) {
  const server = express().use(agent).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server.address().port;
}

process.stdin.on('end', () => process.exit()).resume();
console.log(JSON.stringify({ '1.0': await serve(agent10()), '0.3': await serve(agent03()) }));
