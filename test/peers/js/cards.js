// Copyright 2026 The caddy-a2a-guard Authors
// SPDX-License-Identifier: Apache-2.0

// The agents' cards. Clients get the same ones with the address to call, which
// may be a proxy's.

const about = {
  name: 'peer',
  description: 'Plays what it is told.',
  version: '1.0.0',
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
};

/** A card of protocol 1.0, of both bindings unless one is chosen. */
export function card10(url, rest) {
  const bindings = { JSONRPC: url, 'HTTP+JSON': url.replace(/\/$/, '') };
  return {
    ...about,
    supportedInterfaces: Object.entries(bindings)
      .filter(([binding]) => rest === undefined || rest === (binding !== 'JSONRPC'))
      .map(([protocolBinding, url]) => ({ url, protocolBinding, protocolVersion: '1.0', tenant: '' })),
    capabilities: { streaming: true, pushNotifications: false, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    signatures: [],
  };
}

/** A card of protocol 0.3. */
export function card03(url, rest = false) {
  return {
    ...about,
    url: rest ? url.replace(/\/$/, '') : url,
    preferredTransport: rest ? 'HTTP+JSON' : 'JSONRPC',
    protocolVersion: '0.3.0',
    capabilities: { streaming: true, pushNotifications: false },
  };
}
