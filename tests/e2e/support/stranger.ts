import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';

/** A foreign server, where leaked secrets would arrive: records all requests. */
export async function startStranger() {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>collected</title>');
  }).listen(0, '127.0.0.1');
  // Connections alone would tell a secret in a host's name.
  let connections = 0;
  server.on('connection', () => (connections += 1));
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    connectionCount: () => connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * What the page, or a frame in it, tries to do against its Content-Security-Policy, from now on. The browser's own
 * console says it, also for frames in which no script may listen.
 */
export function collectPolicyViolations(page: Page): readonly string[] {
  const violations: string[] = [];
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text()))
      violations.push(`${message.text()} (${message.location().url})`);
  });
  return violations;
}
