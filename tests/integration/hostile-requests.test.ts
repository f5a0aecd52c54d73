import { connect, type Socket } from 'node:net';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bytesBody } from '#server/http/read-body';
import { type DatabaseReader, readDatabase } from '#tests/support/database-fingerprint';
import { isDeep } from '#tests/support/deep';
import { ACCESS } from '#tests/support/access-table';
import { costlyBodies } from '#tests/support/costly-bodies';
import { hostileRequests } from '#tests/support/hostile-requests';
import { inputRoutes } from '#tests/support/input-schemas';
import { REFUSALS } from '#tests/support/refusals';
import { type RestRequest, sendRequest } from '#tests/support/rest-client';
import { useScriptedServer } from '#tests/support/scripted-server';

/** All 10,000 in `npm run test:deep`. */
const REQUESTS = isDeep ? 10_000 : 400;
const AT_ONCE = 16;
/** Of bodies that are made from the schemas of the routes: all 5,000 in `npm run test:deep`. */
const MALFORMED = isDeep ? 5_000 : 200;
/** Clients that send a body a byte at a time, and never to its end. */
const SLOW = 100;

/** What no client library would send. */
const GARBAGE: readonly string[] = [
  '\r\n\r\n',
  'GET\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
  'GET /api/sessions\r\n\r\n',
  'NONSENSE /api/sessions HTTP/1.1\r\nhost: localhost\r\n\r\n',
  'GET http://elsewhere.example/ HTTP/1.1\r\nhost: localhost\r\n\r\n',
  'GET //elsewhere.example/api HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
  'GET /api/../../etc/passwd HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
  'GET /\0 HTTP/1.1\r\nhost: localhost\r\n\r\n',
  'GET /api/sessions HTTP/1.1\r\nhost: localhost\r\nhost: elsewhere.example\r\nconnection: close\r\n\r\n',
  `GET /api/sessions HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`,
  'POST /api/sessions HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n',
  'POST /api/sessions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET ',
  'POST /api/sessions HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
  'POST /api/sessions HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\ncontent-length: 99\r\n\r\n',
  'GET /api/health HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
];

const server = useScriptedServer(() => ({ text: 'Done.' }));
let database: DatabaseReader;
let sessionId: string;

beforeAll(async () => {
  const made = await sendRequest(server.url, { method: 'POST', path: '/api/sessions', body: { title: 'Under fire' } });
  sessionId = z.object({ id: z.string() }).parse(made.json()).id;
  database = await readDatabase(server.databaseFile);
});
afterAll(() => database[Symbol.dispose]());

/** Requests whose bodies are full of what a route's schema has places for, each with something that makes it wrong. */
function malformedRequests(count: number): RestRequest[] {
  const targets = inputRoutes().flatMap(({ name, spec }) => {
    const row = REFUSALS[name] ?? { path: ACCESS[name]?.path, body: ACCESS[name]?.body };
    const wrong = WRONG_BODIES[name] ?? { ...row.body, zzz_unknown: 1 };
    const isJson = spec.body !== undefined && spec.body !== bytesBody;
    return isJson && row.path !== undefined ? [{ name, path: row.path, schema: spec.body, wrong }] : [];
  });
  const requests: RestRequest[] = [];
  for (let round = 0; requests.length < count; round += 1) {
    const limits = { bytes: 2_000 * 2 ** (round % 7), values: 300 * 2 ** (round % 7) };
    for (const { name, path, schema, wrong } of targets)
      for (const { text } of costlyBodies(schema, wrong, limits))
        requests.push({ method: name.split(' ')[0]!, path, body: text() });
  }
  return requests.slice(0, count);
}

/** Of routes that take fields which they do not know. */
const WRONG_BODIES: Readonly<Record<string, object>> = {
  'POST /v1/chat/completions': { model: '', messages: [{ role: 'zzz' }] },
  'POST /v1/messages': { model: '', messages: [{ role: 'zzz' }] },
  'POST /v1/messages/count_tokens': { model: '', messages: [{ role: 'zzz' }] },
  'POST /v1/responses': { model: '', input: [{ type: 'zzz' }] },
  'POST /v1/responses/compact': { model: '', input: [{ type: 'zzz' }] },
  'POST /mcp': { jsonrpc: '1.0' },
};

function openSocket(): Socket {
  const { port, hostname } = new URL(server.url);
  // What comes back, or that the server hangs up, is looked at where it matters.
  return connect(Number(port), hostname).on('error', () => undefined);
}

/** Sends everything, so many at a time, and counts the answers by status; 0: the connection was cut. */
async function fire(requests: readonly RestRequest[], onFault: (told: string) => void): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  const rest = requests.values();
  const shooters = Array.from({ length: AT_ONCE }, async () => {
    for (const request of rest) {
      const sent = { ...request, path: request.path.replaceAll('{session}', sessionId), leavesStreams: true };
      const answer = await sendRequest(server.url, sent).catch(() => null);
      const status = answer?.status ?? 0;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status >= 500) onFault(`${sent.method} ${sent.path.slice(0, 200)}: ${status} ${answer?.text.slice(0, 200)}`);
    }
  });
  await Promise.all(shooters);
  return statuses;
}

const isWell = async () => (await sendRequest(server.url, { method: 'GET', path: '/api/ready' })).status === 200;
const residentMb = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1_000;

describe('under hostile requests', () => {
  it(`${REQUESTS} of them leave the server well, the store as it was, and no 5xx`, { timeout: 900_000 }, async () => {
    const rows = Object.entries(REFUSALS).map(([name, row]) => ({ method: name.split(' ')[0] ?? '', row }));
    const requests = hostileRequests(rows, REQUESTS);
    const sentTo = (part: string) => requests.filter(({ path }) => path.startsWith(part)).length;
    expect(sentTo('/v1/')).toBeGreaterThan(REQUESTS / 20);
    expect(REQUESTS - sentTo('/v1/') - sentTo('/api/')).toBeGreaterThan(REQUESTS / 40);
    const untouched = await database.fingerprint();
    const slow = Array.from({ length: SLOW }, () => {
      const socket = openSocket();
      socket.write('POST /api/sessions HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100000\r\n\r\n{');
      const dribble = setInterval(() => socket.write('"'), 500);
      return socket.on('close', () => clearInterval(dribble));
    });

    const faults: string[] = [];
    const statuses = await fire(requests, (told) => faults.push(told));
    for (const socket of slow) socket.destroy();
    const figures = JSON.stringify(Object.fromEntries([...statuses].toSorted(([a], [b]) => a - b)));
    console.log(`answers by status: ${figures}; resident afterwards: ${Math.round(residentMb())} MB`);

    expect(faults).toEqual([]);
    const times = (...of: readonly number[]) => of.reduce((sum, status) => sum + (statuses.get(status) ?? 0), 0);
    expect(times(400)).toBeGreaterThan(REQUESTS / 8);
    expect(times(400, 404, 405)).toBeGreaterThan(REQUESTS / 2);
    expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(REQUESTS);
    expect(statuses.get(0) ?? 0).toBeLessThan(REQUESTS / 100);
    // Reading visitors' messages is recorded in the audit log.
    const { audit_entries: _, ...kept } = await database.fingerprint();
    const { audit_entries: __, ...before } = untouched;
    expect(kept).toEqual(before);
    expect(await isWell()).toBe(true);
    expect(server.logs()).not.toContain('request failed');
  });

  it(
    `${MALFORMED} bodies of the wrong shape, made from the schemas, change nothing`,
    { timeout: 1_800_000 },
    async () => {
      const untouched = await database.fingerprint();
      const faults: string[] = [];
      const statuses = await fire(malformedRequests(MALFORMED), (told) => faults.push(told));
      expect(faults).toEqual([]);
      const accepted = [...statuses.keys()].filter((status) => status < 400);
      expect(accepted).toEqual([]);
      expect(await database.fingerprint()).toEqual(untouched);
      expect(await isWell()).toBe(true);
      expect(server.logs()).not.toContain('request failed');
    },
  );

  it('invalid HTTP gets an error or a closed connection, and disturbs no other request', async () => {
    const untouched = await database.fingerprint();
    for (const text of GARBAGE) {
      const socket = openSocket();
      const closed = new Promise<string>((resolve) => {
        let answer = '';
        socket.setEncoding('latin1').on('data', (piece: string) => (answer += piece));
        socket.on('close', () => resolve(answer));
      });
      socket.end(text, 'latin1');
      const answer = await closed;
      expect(answer, text.slice(0, 80)).not.toMatch(/^HTTP\/1\.1 5/);
      expect(await isWell(), text.slice(0, 80)).toBe(true);
    }
    expect(await database.fingerprint()).toEqual(untouched);
  });
});
