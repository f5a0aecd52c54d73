import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isBuilt } from '#scripts/lib/source-hash';
import { exitWithMessage, withUsage } from '#scripts/lib/process';
import { createWorld, turn } from '#tests/bench/server/world';
import { commandOf, machineText, wholeNumber, writePage } from '#tests/bench/support/circumstances';
import { median } from '#tests/bench/support/figures';
import { processFigures } from '#tests/bench/support/process-figures';
import { newSession } from '#tests/bench/support/stream-answer';
import type { ProductionServer } from '#tests/support/production-server';

/*
 * Whether a server stays stable under a permanent load (npm run bench:steady): busy sessions, each followed by many
 * listeners, until so many chunks have been streamed or an hour is over. Samples its memory, open files and database.
 * A turn that does not end normally fails it.
 */

const USAGE = `npm run bench:steady -- [options]
  --chunks 200000     chunks of all answers together; an hour ends it in any case
  --sessions 10       sessions that are busy all the time
  --listeners 200     open event streams, shared out among the sessions
  --write-docs        write docs/internals/steady-load.md
`;

const CHUNKS_PER_TURN = 500;
const MOST_MS = 3_600_000;
/** Points of a chart: as many as can be told apart in it. */
const POINTS = 40;

interface Options {
  readonly chunks: number;
  readonly sessions: number;
  readonly listeners: number;
  readonly writeDocs: boolean;
}

/** The server at one moment. */
interface Sample {
  readonly chunks: number;
  readonly seconds: number;
  /** Resident, megabytes. */
  readonly memory: number;
  /** Processor time since it began, seconds. */
  readonly processor: number;
  readonly files: number;
  /** The file and its log, megabytes. */
  readonly database: number;
}

function readOptions(): Options | null {
  const { values } = parseArgs({
    options: {
      chunks: { type: 'string', default: '200000' },
      sessions: { type: 'string', default: '10' },
      listeners: { type: 'string', default: '200' },
      'write-docs': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  return {
    chunks: wholeNumber('chunks', values.chunks),
    sessions: wholeNumber('sessions', values.sessions),
    listeners: wholeNumber('listeners', values.listeners),
    writeDocs: values['write-docs'],
  };
}

const megabytes = (path: string) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) / 2 ** 20;

/** Reads an event stream until `signal`, and keeps nothing. */
async function listen(url: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(url, { signal });
  if (!response.ok || !response.body) throw new Error(`${response.status} of ${url}`);
  try {
    for await (const _ of response.body);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function measure(server: ProductionServer, options: Options): Promise<Sample[]> {
  const { chunks: wanted, sessions, listeners } = options;
  const startedAt = performance.now();
  const isOver = (chunks: number) => chunks >= wanted || performance.now() - startedAt > MOST_MS;
  const ids = await Promise.all(Array.from({ length: sessions }, () => newSession(server.url)));
  using hangUp = new DisposableStack();
  const listening = new AbortController();
  hangUp.defer(() => listening.abort());
  const heard = Array.from({ length: listeners }, (_, index) =>
    listen(`${server.url}/api/sessions/${ids[index % sessions]}/events`, listening.signal),
  );
  let chunks = 0;
  const samples: Sample[] = [];
  const look = () => {
    const { memory, cpuSeconds } = processFigures(server.pid);
    samples.push({
      chunks,
      seconds: (performance.now() - startedAt) / 1_000,
      memory,
      processor: cpuSeconds,
      files: readdirSync(`/proc/${server.pid}/fd`).length,
      database: megabytes(server.databaseFile) + megabytes(`${server.databaseFile}-wal`),
    });
  };
  const work = async (id: string) => {
    while (!isOver(chunks)) {
      await turn(server.url, id, `stream ${CHUNKS_PER_TURN} every 5`);
      chunks += CHUNKS_PER_TURN;
    }
  };
  const done = Promise.all(ids.map(work));
  const ended = done.then(
    () => true,
    () => true,
  );
  for (;;) {
    look();
    process.stderr.write(`${chunks} chunks, ${JSON.stringify(samples.at(-1))}\n`);
    if (await Promise.race([ended, pause(5_000, false)])) break;
  }
  await Promise.race([done, ...heard]);
  look();
  return samples;
}

/** As many of them as a chart has room for, the first and the last among them. */
function thinned(samples: readonly Sample[]): Sample[] {
  const step = Math.max(1, (samples.length - 1) / (POINTS - 1));
  return Array.from({ length: Math.min(POINTS, samples.length) }, (_, index) => samples[Math.round(index * step)]!);
}

function chart(title: string, samples: readonly Sample[], of: (sample: Sample) => number): string {
  const values = samples.map((sample) => Number(of(sample).toFixed(1)));
  const most = Math.ceil(Math.max(...values) * 1.1);
  const last = Math.round((samples.at(-1)?.chunks ?? 0) / 1_000);
  return [
    '```mermaid',
    'xychart-beta',
    `  title "${title}"`,
    `  x-axis "thousand chunks" 0 --> ${last}`,
    `  y-axis 0 --> ${most}`,
    `  line [${values.join(', ')}]`,
    '```',
  ].join('\n');
}

function asMarkdown(samples: readonly Sample[], options: Options): string {
  const [first, last] = [samples[0]!, samples.at(-1)!];
  const half = samples.slice(Math.floor(samples.length / 2));
  const range = (of: (sample: Sample) => number) =>
    `${Math.round(Math.min(...half.map(of)))} to ${Math.round(Math.max(...half.map(of)))}`;
  const perChunk = ((last.database - first.database) * 2 ** 20) / last.chunks;
  const points = thinned(samples);
  return `# Constant load

Whether memory and open files stay constant under load.

Measured with \`${commandOf('bench:steady', process.argv.slice(2))}\` on ${new Date().toISOString().slice(0, 10)}, ${machineText()}, Node ${process.versions.node}.

${options.sessions} sessions ran turns without a pause, each with an answer of ${CHUNKS_PER_TURN} chunks, and ${options.listeners} clients followed their events: ${last.chunks.toLocaleString('en')} chunks in ${Math.round(last.seconds / 60)} minutes. Every turn completed. Provider and clients shared the processors.

| | at the start | in the second half | median of it |
| --- | ---: | ---: | ---: |
| memory, MB | ${Math.round(first.memory)} | ${range((sample) => sample.memory)} | ${Math.round(median(half.map(({ memory }) => memory)))} |
| open files | ${first.files} | ${range((sample) => sample.files)} | ${median(half.map(({ files }) => files))} |

The server took ${(((last.processor - first.processor) * 1_000_000) / last.chunks).toFixed(0)} microseconds of processor time per chunk, including turns and followers. The database grew by ${Math.round(perChunk)} bytes per chunk, independent of the number of followers.

${chart('Memory of the server, MB', points, ({ memory }) => memory)}

${chart('Open files and connections', points, ({ files }) => files)}

${chart('Database and its log, MB', points, ({ database }) => database)}
`;
}

async function run(options: Options): Promise<void> {
  if (!(await isBuilt())) throw new Error('There is no build of the present sources: npm run build first.');
  process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
  await using stack = new AsyncDisposableStack();
  const world = await createWorld(stack);
  const samples = await measure(await world.startServer(world.databaseFile('steady')), options);
  const file = join(import.meta.dirname, '..', '..', 'docs', 'internals', 'steady-load.md');
  const page = asMarkdown(samples, options);
  process.stdout.write(page);
  if (options.writeDocs) await writePage(file, page);
}

const options = withUsage(USAGE, readOptions);
if (options === null) process.stdout.write(USAGE);
else await run(options).catch(exitWithMessage);
