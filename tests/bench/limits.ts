import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { withUsage } from '#scripts/lib/process';
import { projectPath } from '#scripts/lib/project';
import type { BodyLimits } from '#server/http/read-body';
import { bodyLimitsOf, bytesBody } from '#server/http/read-body';
import type { Handler } from '#server/http/route';
import { printRow } from '#tests/bench/support/figures';
import { NO_LIMITS } from '#tests/bench/support/no-limits';
import { processFigures } from '#tests/bench/support/process-figures';
import { ACCESS } from '#tests/support/access-table';
import { type CostlyBody, costlyBodies } from '#tests/support/costly-bodies';
import { freePort } from '#tests/support/free-port';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';
import { REFUSALS } from '#tests/support/refusals';
import { sendRequest } from '#tests/support/rest-client';

/*
 * What one request costs at most (npm run bench:limits, after npm run build): sends every route bodies at its limits,
 * of the shapes that its schema makes expensive, and reports how long the event loop was blocked and how much memory
 * was added. Then sends 200 of the worst concurrently to a server with the memory of docs/deploying.md.
 */

const USAGE = `npm run bench:limits -- [options]
  --only TEXT     only routes whose name has this text
  --no-crowd      leaves out the 200 requests at once
  --top 40        rows that are shown
`;

/** Aims: event loop, and memory in megabytes or in times of the body, whichever is more. */
const MOST_DELAY_MS = 250;
const MOST_MEMORY_MB = 150;
const MOST_TIMES_BODY = 5;
const CROWD = 200;
/** Of a server with 1 GB: half of it is V8's own limit in a container of that size. */
const SMALL_SERVER = { memoryMb: 1_024, heapMb: 512 };

interface Target {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** A body that the route accepts: it loads what the first request loads. */
  readonly base: object;
  readonly bodies: readonly CostlyBody[];
}

interface Figure {
  readonly name: string;
  readonly shape: string;
  readonly bytes: number;
  readonly status: number;
  readonly delayMs: number;
  readonly memoryMb: number;
}

/** Every route with a body, and the bodies that are sent to it. */
async function readTargets(only: string): Promise<Target[]> {
  const targets: Target[] = [];
  for (const file of globSync('app/**/route.ts', { cwd: projectPath('.') })) {
    if (!/^app\/(api|v1|mcp|forms)\//.test(file) || file.includes('openapi.json')) continue;
    const handlers = (await import(projectPath(file))) as Readonly<Record<string, Handler | undefined>>;
    for (const [method, handler] of Object.entries(handlers)) {
      const name = `${method} ${file.slice('app'.length, -'/route.ts'.length)}`;
      const row = REFUSALS[name] ?? { path: undefined, body: undefined };
      const access = ACCESS[name];
      const path = row.path ?? access?.path;
      if (!handler?.spec.body || path === undefined || !name.includes(only)) continue;
      const limits = bodyLimitsOf(handler.spec);
      const base = row.body ?? access?.body ?? {};
      const bodies =
        handler.spec.body === bytesBody ? fileBodies(name, limits) : costlyBodies(handler.spec.body, base, limits);
      targets.push({ name, method, path, base, bodies });
    }
  }
  return targets;
}

/** Files that are costly to read. */
function fileBodies(name: string, { bytes }: BodyLimits): CostlyBody[] {
  const file = (shape: string, head: string, item: string, tail: string) => ({
    shape,
    text: () => head + item.repeat((bytes - head.length - tail.length) / item.length) + tail,
  });
  if (!name.endsWith('/imports')) return [file('one byte many times', '', 'x', '')];
  const wxr = '<?xml version="1.0"?><rss><channel><wp:wxr_version>1.2</wp:wxr_version>';
  const end = '</channel></rss>';
  const site = '{"format":"throughline-site/1","exportedAt":1,"settings":{},"navigation":[],"redirects":[],"media":[],';
  const instructions = '"standingInstructions":{"voice":"","glossary":[],"rules":[]},';
  const entry =
    '{"id":"e","type":"page","paths":[],"draft":{"title":"x","slug":"x","sections":[]},"published":null,"publishedAt":null,"publishAt":null,"createdAt":1,"updatedAt":1},';
  return [
    file('JSON: empty objects', `${site}${instructions}"entries":[`, '{},', '{}]}'),
    file('JSON: entries', `${site}${instructions}"entries":[`, entry, `${entry.slice(0, -1)}]}`),
    file('JSON: one text', `${site}${instructions}"entries":["`, 'x', '"]}'),
    { shape: 'JSON: 490,000 values', text: () => `${site}${instructions}"entries":[${'{},'.repeat(490_000)}{}]}` },
    file('XML: small elements', wxr, '<a/>', end),
    file('XML: small items', wxr, '<item><title>x</title></item>', end),
    file('XML: attributes', wxr, '<a b="c" d="e"/>', end),
    file('XML: one text', wxr, 'x', end),
    { shape: 'XML: one item of small elements', text: () => `${wxr}<item>${'<a/>'.repeat(1_200_000)}</item>${end}` },
    {
      shape: 'XML: six such items',
      text: () => `${wxr}${`<item>${'<a/>'.repeat(1_200_000)}</item>`.repeat(6)}${end}`,
    },
  ];
}

interface Watched {
  readonly server: ProductionServer;
  /** Longest delay since the last call, and a fresh start for the next. */
  readonly delay: () => Promise<number>;
}

async function startWatched(env: Readonly<Record<string, string>> = {}): Promise<Watched> {
  const port = await freePort();
  const watch = join(import.meta.dirname, 'support/watch-loop.mjs');
  const server = await startProductionServer({
    seed: true,
    env: {
      ...NO_LIMITS,
      OFFLINE_CHUNK_DELAY_MS: '0',
      CHECK_ANSWERS: '0',
      WATCH_PORT: String(port),
      NODE_OPTIONS: `--import=${watch} ${env['NODE_OPTIONS'] ?? ''}`,
    },
  });
  return {
    server,
    delay: async () => Number((await sendRequest(`http://127.0.0.1:${port}`, { method: 'GET', path: '/' })).text),
  };
}

async function newSession(url: string): Promise<string> {
  const made = await sendRequest(url, { method: 'POST', path: '/api/sessions', body: {} });
  return (made.json() as { id: string }).id;
}

/** Sets the peak of a process's memory back to what it holds. */
function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

async function measure({ server, delay }: Watched, target: Target, body: CostlyBody, session: string): Promise<Figure> {
  const { method, name } = target;
  const path = target.path.replaceAll('{session}', session);
  const text = body.text().replaceAll('{session}', session);
  await delay();
  await pause(40);
  const { pid } = server;
  forgetPeak(pid);
  const { memory: before } = processFigures(pid);
  const headers = { 'content-type': 'application/json' };
  const request = { method, path, headers, body: text, leavesStreams: true };
  const answer = await sendRequest(server.url, request).catch(() => ({ status: 0 }));
  const { peakMemory } = processFigures(pid);
  const delayMs = await delay();
  const bytes = Buffer.byteLength(text);
  return { name, shape: body.shape, bytes, status: answer.status, delayMs, memoryMb: peakMemory - before };
}

function isMet({ delayMs, memoryMb, bytes }: Figure): boolean {
  return delayMs <= MOST_DELAY_MS && memoryMb <= Math.max(MOST_MEMORY_MB, (MOST_TIMES_BODY * bytes) / 1e6);
}

function show({ name, shape, bytes, status, delayMs, memoryMb }: Figure): void {
  const cells = [`${Math.round(delayMs)} ms`, `${Math.round(memoryMb)} MB`, `${(bytes / 1e6).toFixed(2)} MB`, status];
  printRow(`${name} ${shape}`.slice(0, 100), cells.join('  '));
}

/** Many of the worst requests concurrently, against a server with little memory. */
async function crowd(targets: readonly Target[], worst: readonly Figure[]): Promise<boolean> {
  const { server } = await startWatched({ NODE_OPTIONS: `--max-old-space-size=${SMALL_SERVER.heapMb}` });
  const session = await newSession(server.url);
  forgetPeak(server.pid);
  // Each body is made once: two hundred of them would not fit into the memory of this process.
  const kinds = worst.map(({ name, shape }) => {
    const { method, path, bodies } = targets.find((each) => each.name === name)!;
    const text = bodies.find((each) => each.shape === shape)!.text();
    const body = Buffer.from(text.replaceAll('{session}', session));
    return { method, path: path.replaceAll('{session}', session), body, leavesStreams: true };
  });
  const requests = Array.from({ length: CROWD }, (_, index) => kinds[index % kinds.length]!);
  const began = Date.now();
  const answers = await Promise.all(
    requests.map((request) =>
      sendRequest(server.url, request).then(
        ({ status }) => status,
        () => 0,
      ),
    ),
  );
  const { peakMemory } = processFigures(server.pid);
  const isWell = (await sendRequest(server.url, { method: 'GET', path: '/api/ready' })).status === 200;
  const statuses = Object.entries(Object.groupBy(answers, String)).map(([status, all]) => `${all?.length} × ${status}`);
  printRow(`${CROWD} of the ${worst.length} worst at once`, statuses.join(', '));
  printRow('  peak of memory; seconds', `${Math.round(peakMemory)} MB; ${Math.round((Date.now() - began) / 1_000)} s`);
  await server.stop();
  return isWell && peakMemory < SMALL_SERVER.memoryMb;
}

await withUsage(USAGE, async () => {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      top: { type: 'string', default: '40' },
      crowd: { type: 'boolean', default: true },
    },
    allowNegative: true,
  });
  const targets = await readTargets(values.only);
  let watched = await startWatched();
  let session = await newSession(watched.server.url);
  const figures: Figure[] = [];
  for (const target of targets) {
    await measure(watched, target, { shape: 'accepted', text: () => JSON.stringify(target.base) }, session);
    for (const body of target.bodies) {
      const figure = await measure(watched, target, body, session);
      figures.push(figure);
      if (!isMet(figure)) show(figure);
      if (figure.status !== 0) continue;
      console.log(`The server did not answer: ${figure.name} ${figure.shape}`);
      await watched.server.kill();
      watched = await startWatched();
      session = await newSession(watched.server.url);
    }
  }
  await watched.server.stop();
  const worst = figures.toSorted((one, other) => other.delayMs - one.delayMs);
  const inMemory = figures.toSorted((one, other) => other.memoryMb - one.memoryMb);
  console.log(`${figures.length} bodies for ${targets.length} routes`);
  worst.slice(0, Number(values.top)).forEach(show);
  console.log('by memory');
  inMemory.slice(0, 10).forEach(show);
  const missed = figures.filter((figure) => !isMet(figure));
  console.log(`${missed.length} above the aims of ${MOST_DELAY_MS} ms and ${MOST_MEMORY_MB} MB or 5 times the body`);
  const large = inMemory.slice(0, 4).concat(worst.slice(0, 4));
  const isWell = !values.crowd || (await crowd(targets, large));
  if (missed.length > 0 || !isWell) process.exitCode = 1;
});
