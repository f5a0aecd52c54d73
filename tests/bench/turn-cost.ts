import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { withUsage } from '#scripts/lib/process';
import { median, milliseconds, percentile, printRow } from '#tests/bench/support/figures';
import { NO_LIMITS } from '#tests/bench/support/no-limits';
import { profileShares } from '#tests/bench/support/profile-shares';
import { processFigures } from '#tests/bench/support/process-figures';
import { startChild } from '#tests/bench/support/start-child';
import { lastWordOf, newSession, streamAnswer, type Timing, userMessage } from '#tests/bench/support/stream-answer';
import { startProductionServer } from '#tests/support/production-server';

/*
 * Compares the cost of a turn with a bare AI SDK route (npm run bench:turns): both stream from the same scripted
 * provider, in the same run, by turns. Ours stores every part, counts the context and can be resumed; the bare one
 * does nothing else.
 */

const USAGE = `npm run bench:turns -- [options]
  --cases one,many,crowd,busy,cancel   one stream; 100 at once; 300 at once; 60 that keep the processor busy; a stop
  --cpu-prof FOLDER                    the server writes a processor profile there, and its largest parts are shown
`;

const MODEL = 'openai/gpt-4o';
const RUNS = 15;
const WARM_UP_RUNS = 40;
/** Cancels that are measured: of 15, the slowest alone would be "95 of 100". */
const CANCEL_RUNS = 100;
/** Aims of a single stream at a model's pace. */
const MOST_TIMES_TOTAL = 1.15;
const MOST_LATER_MS = 8;
/** Runs of many streams that each figure is the median of, and its aims in times of the bare route's. */
const MANY_RUNS = 5;
const MOST_TIMES_MANY = { first: 1.5, total: 1.2, memory: 1.5 };
/** Aims of 60 streams that give the processor more to do than it can: milliseconds, 95 of 100. */
const MOST_BUSY_FIRST_MS = 2_000;
const MOST_BUSY_LIST_MS = 300;
/** Pause between two requests for the list of sessions during the run; milliseconds. */
const LIST_EVERY_MS = 100;
/** Aim of a cancel, until the provider sees the connection closed; milliseconds, 95 of 100. */
const MOST_CANCEL_MS = 50;

interface Peer {
  readonly name: string;
  readonly pid: number;
  /** Streams one answer in a new conversation. */
  stream(words: string): Promise<Timing>;
}

interface Told {
  readonly closedAt?: string;
}

function memory(pid: number): string {
  const { memory: now, peakMemory } = processFigures(pid);
  return `${Math.round(now)} MB, at most ${Math.round(peakMemory)} MB`;
}

/** What was aimed at, and whether it was met. One that was not fails the run. */
function judge(aim: string, isMet: boolean): void {
  printRow(`  aim: ${aim}`, isMet ? 'met' : 'NOT MET');
  if (!isMet) process.exitCode = 1;
}

interface Comparison {
  /** Milliseconds from the bare route's first word to ours. */
  readonly later: number;
  /** Our whole answer in times of the bare route's. */
  readonly times: number;
}

async function benchOneStream([ours, bare]: readonly [Peer, Peer], words: string): Promise<Comparison> {
  const timings: { ours: Timing[]; bare: Timing[] } = { ours: [], bare: [] };
  for (let run = 0; run < RUNS; run += 1) {
    timings.bare.push(await bare.stream(words));
    timings.ours.push(await ours.stream(words));
  }
  const of = (name: keyof Timing) =>
    [median(timings.ours.map((t) => t[name])), median(timings.bare.map((t) => t[name]))] as const;
  const [ourFirst, bareFirst] = of('first');
  const [ourTotal, bareTotal] = of('total');
  printRow(
    `first word, median of ${RUNS} ("${words}")`,
    milliseconds(ourFirst),
    milliseconds(bareFirst),
    `${milliseconds(ourFirst - bareFirst)} later`,
  );
  printRow(
    `whole answer, median of ${RUNS}`,
    milliseconds(ourTotal),
    milliseconds(bareTotal),
    `${(ourTotal / bareTotal).toFixed(2)} times`,
  );
  return { later: ourFirst - bareFirst, times: ourTotal / bareTotal };
}

/** First words and short requests while more is streamed than the processor bears. */
async function benchBusy(peer: Peer, url: string, count: number, words: string): Promise<void> {
  const listed: number[] = [];
  const before = processFigures(peer.pid);
  const streams = Promise.allSettled(Array.from({ length: count }, () => peer.stream(words)));
  const over = new AbortController();
  void streams.then(() => over.abort());
  while (!over.signal.aborted) {
    const startedAt = performance.now();
    await (await fetch(`${url}/api/sessions`)).arrayBuffer();
    listed.push(performance.now() - startedAt);
    await pause(LIST_EVERY_MS);
  }
  const results = await streams;
  const done = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const of = (times: readonly number[]) => [0.5, 0.95].map((p) => percentile(times, p).toFixed(0)).join(' / ');
  const firsts = done.map(({ first }) => first);
  const cpu = processFigures(peer.pid).cpuSeconds - before.cpuSeconds;
  printRow(`${count} streams at once ("${words}"), ${peer.name}: complete`, `${done.length} of ${count}`);
  printRow('  first word, whole answer: p50 / p95, ms', of(firsts), of(done.map(({ total }) => total)));
  printRow(`  GET /api/sessions meanwhile, ${listed.length} times: p50 / p95, ms`, of(listed));
  printRow('  memory; processor', memory(peer.pid), `${cpu.toFixed(1)} s`);
  judge(`all ${count} are complete`, done.length === count);
  judge(`first word, 95 of 100, under ${MOST_BUSY_FIRST_MS} ms`, percentile(firsts, 0.95) < MOST_BUSY_FIRST_MS);
  judge(`the list, 95 of 100, under ${MOST_BUSY_LIST_MS} ms`, percentile(listed, 0.95) < MOST_BUSY_LIST_MS);
}

interface Crowd {
  readonly complete: number;
  /** Milliseconds. */
  readonly first: { readonly p50: number; readonly p95: number };
  readonly total: { readonly p50: number; readonly p95: number };
}

async function crowdOf(peer: Peer, count: number, words: string): Promise<Crowd> {
  const results = await Promise.allSettled(Array.from({ length: count }, () => peer.stream(words)));
  const done = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const of = (name: keyof Timing) => {
    const times = done.map((timing) => timing[name]);
    return { p50: percentile(times, 0.5), p95: percentile(times, 0.95) };
  };
  return { complete: done.length, first: of('first'), total: of('total') };
}

/** Many concurrent streams, ours and the bare route's by turns. */
async function benchManyStreams(peers: readonly [Peer, Peer], count: number, words: string): Promise<void> {
  const crowds = peers.map((): Crowd[] => []);
  for (let run = 0; run < MANY_RUNS; run += 1)
    for (const [index, peer] of peers.entries()) crowds[index]!.push(await crowdOf(peer, count, words));
  const isComplete = crowds.flat().every(({ complete }) => complete === count);
  printRow(`${count} streams at once ("${words}"), median of ${MANY_RUNS} runs`);
  for (const [name, label] of [
    ['first', 'first word'],
    ['total', 'whole answer'],
  ] as const)
    for (const p of ['p50', 'p95'] as const) {
      const [ours, bare] = crowds.map((runs) => median(runs.map((run) => run[name][p]))) as [number, number];
      printRow(`  ${label}, ${p}`, milliseconds(ours), milliseconds(bare), `${(ours / bare).toFixed(2)} times`);
      judge(`at most ${MOST_TIMES_MANY[name]} times`, ours <= MOST_TIMES_MANY[name] * bare);
    }
  const [ours, bare] = peers.map(({ pid }) => processFigures(pid).peakMemory) as [number, number];
  printRow('  memory at most', `${ours.toFixed(0)} MB`, `${bare.toFixed(0)} MB`, `${(ours / bare).toFixed(2)} times`);
  judge(`at most ${MOST_TIMES_MANY.memory} times`, ours <= MOST_TIMES_MANY.memory * bare);
  judge(`all ${count} are complete`, isComplete);
}

/** More streams than two processors can write at a model's pace: none of them is lost. */
async function benchCrowd(peers: readonly [Peer, Peer], count: number, words: string): Promise<void> {
  for (const peer of peers) {
    const { complete, first, total } = await crowdOf(peer, count, words);
    const of = ({ p50, p95 }: Crowd['first']) => `${p50.toFixed(0)} / ${p95.toFixed(0)}`;
    printRow(`${count} streams at once ("${words}"), ${peer.name}: complete`, `${complete} of ${count}`);
    printRow('  first word, whole answer: p50 / p95, ms', of(first), of(total));
    printRow('  memory', memory(peer.pid));
    judge(`all ${count} are complete (how long they take is only shown)`, complete === count);
  }
}

async function benchCancel(url: string, provider: ChildProcess): Promise<void> {
  const times: number[] = [];
  // The first one loads the route, and is not counted: what is not warm yet is another question.
  for (let run = 0; run <= CANCEL_RUNS; run += 1) {
    const id = await newSession(url);
    const spoke = Promise.withResolvers<void>();
    const answer = streamAnswer(`${url}/api/chat`, { id, message: userMessage('stream 5000 every 2') }, null, () =>
      spoke.resolve(),
    );
    await spoke.promise;
    const closed = once(provider, 'message') as Promise<[Told]>;
    const askedAt = process.hrtime.bigint();
    const cancelled = fetch(`${url}/api/chat/${id}/cancel`, { method: 'POST' });
    const [{ closedAt = '0' }] = await closed;
    if (run > 0) times.push(Number(BigInt(closedAt) - askedAt) / 1e6);
    await (await cancelled).arrayBuffer();
    await answer;
  }
  printRow(
    `cancel until the provider's connection is closed, median`,
    milliseconds(median(times)),
    `p95 ${milliseconds(percentile(times, 0.95))}`,
  );
  judge(`95 of 100 under ${MOST_CANCEL_MS} ms`, percentile(times, 0.95) < MOST_CANCEL_MS);
}

/** Parts of a profile that are shown. */
const MOST_PARTS = 16;
const CASES = ['one', 'many', 'crowd', 'busy', 'cancel'] as const;

/** Null where only the usage is asked for. */
function readOptions() {
  const { values } = parseArgs({
    options: {
      cases: { type: 'string', default: CASES.join(',') },
      'cpu-prof': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const asked = values.cases.split(',');
  const cases = CASES.filter((name) => asked.includes(name));
  if (cases.length !== asked.length) throw new Error(`--cases takes ${CASES.join(', ')}, not "${values.cases}".`);
  return { cases, profiles: values['cpu-prof'] };
}

async function measure({ cases, profiles }: NonNullable<ReturnType<typeof readOptions>>): Promise<void> {
  const provider = await startChild('scripted-provider.ts');
  const env = { OPENROUTER_API_KEY: 'bench', OPENROUTER_BASE_URL: provider.url, DEFAULT_MODEL: MODEL };
  const route = await startChild('bare-route.ts', env);
  const profiled = profiles === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles}` };
  const server = await startProductionServer({ env: { ...env, ...NO_LIMITS, LOG_LEVEL: 'error', ...profiled } });
  try {
    const ours: Peer = {
      name: 'Throughline',
      pid: server.pid,
      stream: async (words) =>
        streamAnswer(
          `${server.url}/api/chat`,
          { id: await newSession(server.url), message: userMessage(words) },
          lastWordOf(words),
        ),
    };
    const bare: Peer = {
      name: 'bare route',
      pid: route.child.pid ?? 0,
      stream: (words) => streamAnswer(route.url, { message: userMessage(words) }, lastWordOf(words)),
    };
    // Both have to be compiled first: what a server costs in its first minute is another question.
    for (let n = 0; n < WARM_UP_RUNS; n += 1) for (const peer of [ours, bare]) await peer.stream('stream 200 every 0');
    printRow('', 'Throughline', 'bare AI SDK route', 'difference');
    if (cases.includes('one')) await benchPaces([ours, bare]);
    if (cases.includes('many')) await benchManyStreams([ours, bare], 100, 'stream 500 every 5');
    if (cases.includes('crowd')) await benchCrowd([ours, bare], 300, 'stream 500 every 5');
    if (cases.includes('busy')) await benchBusy(ours, server.url, 60, 'stream 500 every 10');
    if (cases.includes('cancel')) await benchCancel(server.url, provider.child);
  } finally {
    await server.stop();
    route.child.kill();
    provider.child.kill();
  }
  if (profiles === undefined) return;
  for (const { part, share } of profileShares(profiles).slice(0, MOST_PARTS))
    printRow(part, `${(share * 100).toFixed(1)} %`);
}

async function benchPaces(peers: readonly [Peer, Peer]): Promise<void> {
  const paced = await benchOneStream(peers, 'stream 2000 every 1');
  judge(`first word at most ${MOST_LATER_MS} ms later`, paced.later <= MOST_LATER_MS);
  judge(`whole answer at most ${MOST_TIMES_TOTAL} times`, paced.times <= MOST_TIMES_TOTAL);
  const unpaced = await benchOneStream(peers, 'stream 2000 every 0');
  const where = unpaced.times <= MOST_TIMES_TOTAL ? 'within' : 'above';
  printRow(
    `  no aim, only shown: no model is that fast, so all that is left is our cost`,
    `${where} ${MOST_TIMES_TOTAL} times`,
  );
}

const options = withUsage(USAGE, readOptions);
if (options === null) process.stdout.write(USAGE);
else await measure(options);
