import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import { openConnection } from '#server/integrations/mcp-client/connection';
import { watchedFetch } from '#server/integrations/mcp-client/watched-fetch';
import { toRichResult } from '#server/integrations/mcp-client/tool-result';
import { startLoopback } from '#tests/support/loopback-server';

const MEGABYTE = 'x'.repeat(1_000_000);

const open = (
  address: { type: 'http' | 'sse'; url: string },
  signal = new AbortController().signal,
  onToolsChanged = () => {},
) => openConnection({ ...address, headers: {} }, { variables: {}, signal, onLost: () => {}, onToolsChanged });

/** What a client reads of a server's answer, and what is said of the connection. */
async function read(contentType: string, answer: (response: ServerResponse) => void) {
  await using server = await startLoopback((_, response) => {
    response.writeHead(200, { 'content-type': contentType });
    answer(response);
  });
  const heard: string[] = [];
  const response = await watchedFetch((method, how) => heard.push(`${method} ${how}`))(server.url, { method: 'POST' });
  const length = await response.text().then(
    (text) => text.length,
    (error: unknown) => String(error),
  );
  return { length, heard };
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

it('limits the size of an event, for any lines', async () => {
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

it('gives up on a server that opens a stream without an endpoint', async () => {
  const asked = Promise.withResolvers<void>();
  await using server = await startLoopback((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
    asked.resolve();
  });
  const given = new AbortController();
  const connecting = open({ type: 'sse', url: server.url }, given.signal);
  await asked.promise;
  given.abort(new Error('Nobody waits for it.'));
  await expect(connecting).rejects.toThrow('Nobody waits for it.');
});

it.each(['http', 'sse'] as const)('reports that no server listens at an address (%s)', async (type) => {
  const server = await startLoopback(() => undefined);
  await server.close();
  await expect(open({ type, url: `${server.url}/mcp` })).rejects.toThrow(
    `Nothing answers at ${new URL(server.url).host}: the connection was refused. Is the server running?`,
  );
});

/** A tool server over HTTP that answers with JSON (the specification's Streamable HTTP allows that for every request). */
async function withToolServer(
  answers: Readonly<Record<string, unknown>>,
  test: (connection: Awaited<ReturnType<typeof openConnection>>, asked: string[]) => Promise<void>,
): Promise<void> {
  const asked: string[] = [];
  await using server = await startLoopback((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      const message = body === '' ? {} : (JSON.parse(body) as { id?: number; method?: string });
      asked.push(message.method ?? '');
      const result = answers[message.method ?? ''];
      const { id } = message;
      if (id === undefined) return response.writeHead(request.method === 'GET' ? 405 : 202).end();
      if (typeof result === 'number') return response.writeHead(result).end();
      if (result === 'close') return request.socket.destroy();
      // As the SDK answers a method that it does not know.
      const answer = result === undefined ? { error: { code: -32_601, message: 'Method not found' } } : { result };
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });
  });
  const connection = await open({ type: 'http', url: `${server.url}/mcp` });
  try {
    await test(connection, asked);
  } finally {
    await connection.close();
  }
}

it.each([500, 403, 'close'])('connects to a server that answers the question about revisions with %s', (answer) =>
  withToolServer(
    { 'server/discover': answer, initialize: hello, 'tools/list': { tools: [good] } },
    async (connection, asked) => {
      expect((await connection.list()).map(({ name }) => name)).toEqual(['good']);
      expect(asked.slice(0, 2)).toEqual(['server/discover', 'initialize']);
    },
  ),
);

it('calls tools of a server of revision 2026-07-28, and hears that they have changed', async () => {
  const properties = { region: { type: 'string', 'x-mcp-header': 'Region' } } as const;
  const schema = fromJsonSchema<{ region: string }>({ type: 'object', properties });
  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: 'x', version: '1' }, { capabilities: { tools: { listChanged: true } } });
      server.registerTool('where', { inputSchema: schema }, ({ region }) => ({
        content: [{ type: 'text', text: region }],
      }));
      return server;
    },
    { legacy: 'reject' },
  );
  await using server = await serveWith(handler.fetch);
  const changed = Promise.withResolvers<void>();
  const connection = await open({ type: 'http', url: server.url }, undefined, () => changed.resolve());
  expect((await connection.list()).map(({ name }) => name)).toEqual(['where']);
  const result = await connection.call('where', { region: 'Köln' }, new AbortController().signal);
  expect(result).toMatchObject({ content: [{ text: 'Köln' }] });
  handler.notify.toolsChanged();
  await changed.promise;
  await connection.close();
  await handler.close();
});

/** Serves a handler of the web platform over HTTP. */
function serveWith(handle: (request: Request) => Promise<Response>) {
  const answer = async (request: Request, outgoing: ServerResponse) => {
    const response = await handle(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body) Readable.fromWeb(response.body as WebStream).pipe(outgoing);
    else outgoing.end();
  };
  return startLoopback((incoming, outgoing) => {
    const url = `http://127.0.0.1${incoming.url ?? ''}`;
    const headers = new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
    const { method = 'GET' } = incoming;
    const body = method === 'POST' ? { body: Readable.toWeb(incoming) as BodyInit, duplex: 'half' as const } : {};
    void answer(new Request(url, { method, headers, ...body }), outgoing);
  });
}

const hello = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } };
const odd = JSON.parse(readFileSync('tests/fixtures/mcp/tools-list-odd.json', 'utf8')) as Record<string, object>;
const good = { name: 'good', inputSchema: { type: 'object' } };

it.each<[string, object, string[]]>([
  ['null entry', odd['null entry']!, ['good']],
  ['no inputSchema', odd['no inputSchema']!, ['good', 'bare']],
  ['inputSchema null', odd['inputSchema null']!, ['good', 'bare']],
  ['hints as text', odd['hints as text']!, ['good', 'h']],
  ['required null goes out', odd['required null goes out']!, ['good', 'rn']],
  ['same cursor for ever', odd['same cursor for ever']!, ['p0']],
  ['a name that is no text', { tools: [good, { name: 7 }, { name: '' }, 'x', []] }, ['good']],
  [
    'a description and annotations of other kinds',
    { tools: [{ ...good, description: 7, annotations: 'no' }] },
    ['good'],
  ],
  [
    'a schema that is true or a list',
    {
      tools: [
        { name: 'a', inputSchema: true },
        { name: 'b', inputSchema: [] },
      ],
    },
    ['a', 'b'],
  ],
  ['no list at all', { tools: null, nextCursor: 7 }, []],
])('shows the tools of a server in spite of odd ones: %s', (_, page, names) =>
  withToolServer({ initialize: hello, 'tools/list': page }, async (connection, asked) => {
    expect((await connection.list()).map(({ name }) => name)).toEqual(names);
    expect(asked.filter((method) => method === 'tools/list').length).toBeLessThanOrEqual(2);
  }),
);

it('reads hints that are written as text', () =>
  withToolServer({ initialize: hello, 'tools/list': odd['hints as text'] }, async (connection) => {
    expect((await connection.list())[1]?.annotations).toEqual({ readOnlyHint: true });
  }));

it.each([
  { protocolVersion: '2025-06-18', capabilities: { tools: {} } },
  { protocolVersion: '2025-06-18', capabilities: null, serverInfo: null },
  { protocolVersion: '2024-11-05', serverInfo: 'x' },
])('connects to a server that answers %j to initialize', (initialized) =>
  withToolServer({ initialize: initialized, 'tools/list': { tools: [good] } }, async (connection) => {
    expect(await connection.list()).toHaveLength(1);
  }),
);

it.each([
  ['Hello', 'Hello'],
  [{ type: 'text', text: 'Hello' }, 'Hello'],
  [['Hel', null, { type: 'text', text: 'lo' }, 7], 'Hel lo'],
  [null, ''],
])('reads a result whose content is %j', (content, words) =>
  withToolServer({ initialize: hello, 'tools/call': { content } }, async (connection) => {
    const result = toRichResult(await connection.call('good', {}, new AbortController().signal));
    const texts = result.parts.map((part) => ('text' in part ? part.text : ''));
    expect(texts.join(' ')).toBe(words);
  }),
);
