import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { openConnection, watchedFetch } from '#server/mcp/connection';

const MEGABYTE = 'x'.repeat(1_000_000);

/** What a client reads of a server's answer, and what is said of the connection. */
async function read(contentType: string, answer: (response: ServerResponse) => void) {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': contentType });
    answer(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const heard: string[] = [];
  const fetchWatched = watchedFetch((method, how) => heard.push(`${method} ${how}`));
  try {
    const response = await fetchWatched(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
      method: 'POST',
    });
    const length = await response.text().then(
      (text) => text.length,
      (error: unknown) => String(error),
    );
    return { length, heard };
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}

const send = (response: ServerResponse, pieces: readonly string[]) => {
  for (const piece of pieces) response.write(piece);
  response.end();
};

it('takes in no more of an answer than a message may have', async () => {
  const { length } = await read('application/json', (response) =>
    send(
      response,
      Array.from({ length: 33 }, () => MEGABYTE),
    ),
  );
  expect(length).toMatch(/above 32,000,000 bytes/);
});

it('takes in no more of an event, whatever lines it comes in', async () => {
  const { length, heard } = await read('text/event-stream', (response) =>
    send(
      response,
      Array.from({ length: 33 }, () => `data: ${MEGABYTE}\n`),
    ),
  );
  expect(length).toMatch(/above 32,000,000 bytes/);
  expect(heard).toEqual(['POST broken']);
});

it.each(['\n\n', '\r\n\r\n'])('reads a stream for as long as it lasts, its events ending in %j', async (end) => {
  const events = Array.from({ length: 33 }, () => `data: ${MEGABYTE}${end}`);
  const { length, heard } = await read('text/event-stream', (response) => send(response, events));
  expect(length).toBe(events.join('').length);
  expect(heard).toEqual(['POST ended']);
});

it('gives up a server that opens a stream and never says where to write to', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const given = new AbortController();
  const ignore = () => undefined;
  try {
    const connecting = openConnection(
      { type: 'sse', url, headers: {} },
      { variables: {}, signal: given.signal, onLost: ignore, onToolsChanged: ignore },
    );
    await once(server, 'request');
    given.abort(new Error('Nobody waits for it.'));
    await expect(connecting).rejects.toThrow('Nobody waits for it.');
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

it.each(['http', 'sse'] as const)('says that nothing listens at an address (%s)', async (type) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.close();
  await once(server, 'close');
  const ignore = () => undefined;
  await expect(
    openConnection(
      { type, url: `http://${host}/mcp`, headers: {} },
      { variables: {}, signal: new AbortController().signal, onLost: ignore, onToolsChanged: ignore },
    ),
  ).rejects.toThrow(`Nothing answers at ${host}: the connection was refused. Is the server running?`);
});
