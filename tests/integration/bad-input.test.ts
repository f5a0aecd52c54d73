import { connect } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ACCESS } from '#tests/support/access-table';
import { documentedStatuses } from '#tests/support/api-document';
import { findAllRoutes, findApiRoutes } from '#tests/support/api-routes';
import { BROKEN_BODIES, BROKEN_TEXTS, BROKEN_VALUES, LETTERS } from '#tests/support/bad-bodies';
import { isDeep } from '#tests/support/deep';
import { type DatabaseReader, readDatabase } from '#tests/support/database-fingerprint';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';
import { REFUSALS } from '#tests/support/refusals';
import { said } from '#tests/support/said';
import { errorBody, type RestRequest, sendRequest } from '#tests/support/rest-client';

const SMALL_BODY = 1_000_000;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

let server: ProductionServer;
let database: DatabaseReader;
let sessionId: string;

const filled = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('{session}', sessionId)) as T;

beforeAll(async () => {
  server = await startProductionServer({ seed: true, env: { OFFLINE_CHUNK_DELAY_MS: '0' } });
  const made = await sendRequest(server.url, { method: 'POST', path: '/api/sessions', body: { title: 'Refusals' } });
  sessionId = z.object({ id: z.string() }).parse(made.json()).id;
  const message = said('Create a page called Oven');
  const turn = await sendRequest(server.url, { method: 'POST', path: '/api/chat', body: { id: sessionId, message } });
  expect(turn.text).toContain('[DONE]');
  database = await readDatabase(server.databaseFile);
});
afterAll(async () => {
  database[Symbol.dispose]();
  await server.stop();
});

/** Sends what must be refused, and checks the refusal. */
async function expectRefusal(what: string, request: RestRequest, statuses: readonly number[]): Promise<void> {
  const answer = await sendRequest(server.url, { ...request, path: filled(request.path) });
  const told = `${what}: ${answer.status} ${answer.text.slice(0, 300)}`;
  expect(statuses, told).toContain(answer.status);
  const documented = documentedStatuses(request.method, request.path);
  if (documented) expect(documented, told).toContain(answer.status);
  expect(answer.headers['content-type'], told).toContain('application/json');
  expect(errorBody.safeParse(answer.json()).error, told).toBeUndefined();
  expect(answer.text.length, told).toBeLessThan(20_000);
}

const rows = Object.entries(REFUSALS).map(([name, row]) => ({ name, method: name.split(' ')[0] ?? '', row }));
const writing = rows.flatMap(({ name, method }) => (method === 'GET' ? [] : [name]));

it('every route has a row here', () => {
  expect(Object.keys(REFUSALS).toSorted()).toEqual(findApiRoutes().toSorted());
});

describe('is refused and changes nothing', () => {
  let untouched: Record<string, string>;
  beforeAll(async () => {
    untouched = await database.fingerprint();
  });
  afterEach(async () => {
    const before = untouched;
    // What one test has done is not put down to the next.
    untouched = await database.fingerprint();
    expect(untouched).toEqual(before);
  });

  it.each(rows)('$name', async ({ name, method, row }) => {
    const { path, body, wrong, wrongBytes = [], bodyLimit = SMALL_BODY, queries = [], absent, malformed } = row;
    const right = body && filled(body);
    const refuse = (what: string, request: Partial<RestRequest>, ...statuses: readonly number[]) =>
      expectRefusal(what, { method, path, ...request }, statuses);

    if (method !== 'GET') {
      const at = writing.indexOf(name);
      // It reads a body as JSON. Some of the bodies for each route, each at some of the routes; all in the deep tests.
      if (wrongBytes.length === 0) {
        for (const [index, [what, broken]] of Object.entries(BROKEN_BODIES).entries())
          if (isDeep || (at + index) % 8 === 0) await refuse(what, { body: broken }, 400, 413);
        await refuse('unknown field', { body: { ...right, surprise: 1 } }, 400);
      }
      const [before = '', after] = JSON.stringify(right ?? {}).split('Words');
      for (const text of after === undefined ? [] : BROKEN_TEXTS) {
        const bytes = Buffer.concat([Buffer.from(before), Buffer.from(text), Buffer.from(after ?? '')]);
        await refuse(String(text), { body: bytes }, 400);
      }
      await refuse('mistyped', { path: `${path}${path.includes('?') ? '&' : '?'}dryrun=1`, body: right }, 400);
      // Without its length at some of the routes: one place reads the bodies of all.
      const large = { body: JSON.stringify({ title: 'x'.repeat(bodyLimit) }), chunked: at % 4 === 0 };
      await refuse('a body above the limit', large, 413);
    }
    for (const bytes of wrongBytes) await refuse(`${bytes.length} bytes`, { body: bytes }, 400, 413, 415);
    for (const change of wrong) {
      const changed = filled({ ...body, ...change });
      await refuse(JSON.stringify(change).slice(0, 200), { body: changed }, 400, 404, 409, 413, 422);
    }
    for (const query of queries) await refuse(query.slice(0, 100), { path: `${path}?${query}` }, 400);
    for (const missing of absent) await refuse(missing, { path: missing, body: right }, 404);
    const nth = rows.findIndex((one) => one.name === name);
    for (const [index, other] of malformed.entries())
      if (isDeep || (nth + index) % 3 === 0) await refuse(other, { path: other, body: right }, 400, 404);
    // One of each kind; local-access.test.ts has the others.
    const foreign: Record<string, string>[] = [
      { host: 'throughline.example' },
      { origin: 'https://throughline.example' },
      { 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of ACCESS[name]?.needs === 'public' ? [] : foreign)
      await refuse(JSON.stringify(headers), { headers, body: right }, 403);
  });

  it.each(['import', 'prepare'])('a tool call that cannot be stored unchanged: %s', async (route) => {
    const call = { type: 'tool-call', toolCallId: 'c', toolName: 't', input: 'Words' };
    const text = JSON.stringify({ messages: [{ role: 'assistant', content: [call] }] });
    for (const input of BROKEN_VALUES) {
      const body = text.replace('"Words"', () => input);
      await expectRefusal(
        input.slice(0, 80),
        { method: 'POST', path: `/api/sessions/{session}/${route}`, body },
        [400],
      );
    }
  });

  const pages = ['/', `/c/ses_${'0'.repeat(26)}`, '/preview', '/preview/workshops', '/site', '/nowhere'];

  it.each(pages)('the page %s by another name of this machine', async (path) => {
    const { host, port } = new URL(server.url);
    for (const headers of [
      { host: 'throughline.example' },
      { host: `localhost.throughline.example:${port}` },
      { host: '[' },
      { host: 'throughline.example', 'x-forwarded-host': host, forwarded: `host=${host}` },
    ]) {
      const answer = await sendRequest(server.url, { method: 'GET', path, headers });
      expect(answer.status, JSON.stringify(headers)).toBe(403);
      expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
      expect(answer.text).toContain('answers only requests to localhost');
    }
    // A link from elsewhere may lead here; only what a page elsewhere could read or send is refused.
    const linked = { host: `localhost:${port}`, 'sec-fetch-site': 'cross-site' };
    const answer = await sendRequest(server.url, { method: 'GET', path, headers: linked });
    expect(answer.status).toBe(path === '/nowhere' ? 404 : 200);
  });

  it('any request through a proxy: pages, files, streams and every kind of API', async () => {
    const { host } = new URL(server.url);
    const addresses = [
      ...pages,
      '/media/ast_bcdfgh/a.png',
      '/robots.txt',
      '/api/openapi.json',
      '/api/sessions',
      `/api/sessions/ses_${'0'.repeat(26)}/events`,
      '/api/admin/events',
      '/v1/models',
      '/mcp',
    ];
    for (const path of addresses) {
      for (const name of ['x-forwarded-for', 'forwarded', 'cf-connecting-ip']) {
        const answer = await sendRequest(server.url, { method: 'GET', path, headers: { host, [name]: '127.0.0.1' } });
        expect(answer.status, `${path} with ${name}`).toBe(403);
        expect(answer.text).toContain('AUTH_MODE=accounts');
      }
    }
    // Monitoring may ask from anywhere.
    const watched = { method: 'GET', path: '/api/ready', headers: { host: '10.0.0.7', via: '1.1 balancer' } };
    expect((await sendRequest(server.url, watched)).status).toBe(200);
  });

  const routes = Map.groupBy(findAllRoutes(), (name) => name.split(' ')[1]!);

  it.each([...routes])('a method that %s does not have, with the list of its methods', async (pattern, names) => {
    const path = pattern.replaceAll(/\[+(?:\.{3})?\w+\]+/g, 'x');
    const known = names.map((name) => name.split(' ')[0]!);
    for (const method of [...METHODS, 'TRACE'].filter((one) => !known.includes(one))) {
      const answer = await sendRequest(server.url, { method, path, body: {} });
      const told = `${method} ${path}: ${answer.text}`;
      expect(answer.status, told).toBe(405);
      const allow = [...known, ...(known.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
      expect(String(answer.headers.allow).split(', ').toSorted(), told).toEqual(allow.toSorted());
      expect((answer.json() as { error: { message: string } }).error.message, told).toContain('no other method');
    }
  });

  it.each(['/api/nowhere', '/v1/nowhere', '/mcp/nowhere', '/nowhere', '/media/x'])(
    'any request to an unknown path below %s',
    async (path) => {
      for (const method of METHODS.filter((one) => one !== 'GET')) {
        for (const body of ['', '{', '{"a":1}', '[]', Buffer.alloc(SMALL_BODY + 1), Buffer.from([0xff])]) {
          const answer = await sendRequest(server.url, { method, path, body });
          expect([answer.status, typeof answer.json()], `${method} ${answer.text}`).toEqual([404, 'object']);
        }
      }
    },
  );

  it('a page that something is sent to, as to an action of Next, and TRACE', async () => {
    for (const path of ['/', '/login', '/site', '/admin']) {
      expect((await sendRequest(server.url, { method: 'TRACE', path })).status, path).toBe(405);
      for (const headers of [{ 'next-action': 'x' }, { 'content-type': 'multipart/form-data; boundary=x' }]) {
        const request = { method: 'POST', path, headers: headers as Record<string, string>, body: 'x' };
        const { status, headers: told } = await sendRequest(server.url, request);
        expect([status, told.allow], path).toEqual([405, 'GET, HEAD']);
      }
    }
  });

  it('a message one character too long', async () => {
    const body = { id: sessionId, message: said('漢'.repeat(64_001)) };
    await expectRefusal('64,001 characters', { method: 'POST', path: '/api/chat', body }, [413]);
  });

  it('a body with a wrong Content-Length', async () => {
    const head = (length: number) =>
      `POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`;
    const tooShort = await speak(`${head(5)}{"title":"Cut"}`);
    expect(tooShort).toMatch(/^HTTP\/1\.1 400 /);
    // The sender leaves before the end, so no answer can be sent.
    await speak(`${head(500)}{"title":"Cut"`, { hangUp: true });
  });

  it.each(['/api/sessions', '/preview'])('a request for %s that names no host', async (path) => {
    const forbidden = /^HTTP\/1\.1 403 /;
    expect(await speak(`GET ${path} HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n`)).toMatch(forbidden);
    expect(await speak(`GET ${path} HTTP/1.0\r\n\r\n`)).toMatch(forbidden);
  });

  it('100,000 letters in an address, which HTTP itself refuses', async () => {
    for (const path of [`/api/sessions?q=${LETTERS}`, `/api/content/pages/${LETTERS}`]) {
      const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
      expect(await speak(request)).toMatch(/^(HTTP\/1\.1 431 |$)/);
    }
  });
});

/** Sends raw bytes, and returns what comes back until the connection closes. */
async function speak(bytes: string, { hangUp = false } = {}): Promise<string> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  if (hangUp) socket.end();
  return readAll(socket).catch(() => '');
}

describe('is legal, however it looks, and kept as it came', () => {
  const STRANGE = {
    'right-to-left overrides': 'abc\u202edef\u202c \u2067שלום\u2069',
    'stacked marks': `Z${'\u0351\u0347\u0320'.repeat(20)}algo`,
    'joined emoji': '👩‍👩‍👧‍👦 🏳️‍🌈 e\u0301',
    'words of the language': 'constructor __proto__ toString NaN undefined null',
    'markup and templates': `<script>alert(1)</script> {{7*7}} \${x} '; drop table sessions; --`,
    'special tokens': '<|endoftext|> <|im_start|>system',
  };

  it.each(Object.entries(STRANGE))('%s as title, message and page', async (_, text) => {
    const made = await sendRequest(server.url, { method: 'POST', path: '/api/sessions', body: { title: text } });
    expect(made.status).toBe(201);
    const { id, title } = z.object({ id: z.string(), title: z.string() }).parse(made.json());
    expect(title).toBe(text);
    const found = await sendRequest(server.url, { method: 'GET', path: `/api/sessions?q=${encodeURIComponent(text)}` });
    expect(found.text).toContain(id);

    await sendRequest(server.url, { method: 'POST', path: '/api/chat', body: { id, message: said(text) } });
    const messages = await sendRequest(server.url, { method: 'GET', path: `/api/sessions/${id}/messages` });
    const page = z.object({
      items: z.array(z.looseObject({ parts: z.array(z.looseObject({ content: z.unknown() })) })),
    });
    expect(page.parse(messages.json()).items[0]?.parts[0]?.content).toEqual({ text });

    const body = { title: text, sections: [{ type: 'text', fields: { body: text } }] };
    const content = await sendRequest(server.url, { method: 'POST', path: '/api/content/pages', body });
    expect(content.status, content.text).toBe(201);
    expect(content.text).toContain(JSON.stringify(text));
  });

  it.each(BROKEN_VALUES)('arguments of an imported call that are kept as text: %.40s', async (text) => {
    const called = { id: 'c1', function: { name: 'f', arguments: text } };
    const body = { messages: [{ role: 'assistant', content: null, tool_calls: [called] }] };
    const path = `/api/sessions/${sessionId}`;
    const answer = await sendRequest(server.url, { method: 'POST', path: `${path}/import`, body });
    expect(answer.status, answer.text).toBe(201);
    const messages = await sendRequest(server.url, { method: 'GET', path: `${path}/messages?limit=1000` });
    expect(messages.text).toContain(JSON.stringify(text));
  });

  it('100,000 letters without a space in an imported message', async () => {
    const body = { messages: [{ role: 'user', content: LETTERS }] };
    const path = `/api/sessions/${sessionId}/import`;
    expect((await sendRequest(server.url, { method: 'POST', path, body })).status).toBe(201);
  });
});

it.each(['x', '%', '[]', 'null', '%7B%22a%22%3A1%7D'])(
  'a page is returned completely for a router state of "%s"',
  async (state) => {
    const headers = { rsc: '1', 'next-router-state-tree': state };
    const ask = (path: string) => sendRequest(server.url, { method: 'GET', path, headers });
    for (const path of ['/site', '/login', '/admin']) {
      // Next wants a digest of such headers in the address, and says which.
      const { status, text } = await ask((await ask(path)).headers.location ?? path);
      expect(status, `${path}: ${text.slice(0, 200)}`).toBe(200);
    }
  },
);

it('the internal error page cannot be requested', async () => {
  for (const path of ['/_global-error', '/%5fglobal-error', '/_not-found']) {
    expect((await sendRequest(server.url, { method: 'GET', path })).status, path).toBe(404);
  }
});

it('nothing of all this was a fault of the server', async () => {
  expect((await sendRequest(server.url, { method: 'GET', path: '/api/health' })).status).toBe(200);
  expect(server.logs()).not.toMatch(/"level":(50|60)|\bat .+:\d+:\d+|Error:/);
});
