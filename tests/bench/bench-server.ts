import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { isBuilt } from '#scripts/lib/build';
import { exitWithMessage, withUsage } from '#scripts/lib/process';
import { measureHistory } from '#tests/bench/server/history-growth';
import { LOAD_WORDS, measureLoad } from '#tests/bench/server/load';
import type { ServerReport } from '#tests/bench/server/report';
import { measureSessions } from '#tests/bench/server/sessions-growth';
import { reportAsMarkdown, tableAsText, tablesOf } from '#tests/bench/server/tables';
import { createWorld } from '#tests/bench/server/world';
import { commandOf, machine } from '#tests/bench/support/circumstances';

/*
 * What the production build bears (npm run bench:server): load, long histories, many sessions. Says on standard error
 * what it is at. Times never fail it; a turn that does not end as it should does.
 */

const USAGE = `npm run bench:server -- [options]
  --load 1,10,50              sessions at once
  --turns 200                 turns of each level of the load, shared out among its sessions
  --history 100,...,100000    messages in a session, multiples of 20
  --sessions 100,1000,10000   sessions in the database
  --large                     up to 100,000 sessions
  --rounds 9                  requests behind each median
  --out FILE                  where the JSON goes (default .data/bench/server.json)
  --write-docs                write docs/internals/benchmarks-server.md
`;

interface Options {
  readonly load: readonly number[];
  readonly turns: number;
  readonly history: readonly number[];
  readonly sessions: readonly number[];
  readonly rounds: number;
  readonly out: string;
  readonly writeDocs: boolean;
}

/** Null where only the usage is asked for. */
function readOptions(): Options | null {
  const { values } = parseArgs({
    options: {
      load: { type: 'string', default: '1,10,50' },
      turns: { type: 'string', default: '200' },
      history: { type: 'string', default: '100,1000,10000,100000' },
      sessions: { type: 'string', default: '100,1000,10000' },
      large: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '9' },
      out: { type: 'string', default: '.data/bench/server.json' },
      'write-docs': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const sessions = wholeNumbers('sessions', values.sessions);
  return {
    load: wholeNumbers('load', values.load),
    turns: wholeNumber('turns', values.turns),
    history: wholeNumbers('history', values.history, 20),
    sessions: values.large ? [...sessions, 100_000] : sessions,
    rounds: wholeNumber('rounds', values.rounds),
    out: values.out,
    writeDocs: values['write-docs'],
  };
}

const wholeNumbers = (name: string, list: string, step = 1) =>
  list.split(',').map((text) => wholeNumber(name, text, step));

function wholeNumber(name: string, text: string, step = 1): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value === 0 || value % step !== 0) {
    const kind = step === 1 ? 'whole numbers' : `multiples of ${step}`;
    throw new Error(`--${name} takes ${kind} above 0, not "${text}".`);
  }
  return value;
}

function machineText(): string {
  const { cores, processor, memoryGb, system } = machine();
  return `${cores} processors (${processor}), ${memoryGb} GB, ${system}`;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

async function formatted(file: string, text: string): Promise<string> {
  return format(text, { ...(await resolveConfig(file)), filepath: file });
}

async function measure(stack: AsyncDisposableStack, options: Options): Promise<ServerReport> {
  const startedAt = performance.now();
  const tell = (line: string) => {
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4);
    process.stderr.write(`${seconds} s  ${line}\n`);
  };
  const world = await createWorld(stack);
  const { rounds } = options;
  const load = await measureLoad(world, options.load, options.turns, tell);
  const history = await measureHistory(world, options.history, rounds, tell);
  const sessions = await measureSessions(world, options.sessions, rounds, tell);
  tell('done');
  return {
    at: new Date().toISOString(),
    command: commandOf('bench:server', process.argv.slice(2)),
    machine: machineText(),
    node: process.versions.node,
    words: LOAD_WORDS,
    rounds,
    load,
    history,
    sessions,
  };
}

async function run(options: Options): Promise<void> {
  if (!isBuilt()) throw new Error('There is no build of the present sources: npm run build first.');
  // Servers, provider and folder go with the process.
  process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
  let report: ServerReport;
  const stack = new AsyncDisposableStack();
  try {
    report = await measure(stack, options);
  } finally {
    await stack.disposeAsync();
  }
  for (const table of tablesOf(report)) process.stdout.write(`${tableAsText(table)}\n`);
  write(options.out, `${JSON.stringify(report, null, 2)}\n`);
  const docs = join(import.meta.dirname, '..', '..', 'docs', 'internals', 'benchmarks-server.md');
  if (options.writeDocs) write(docs, await formatted(docs, reportAsMarkdown(report)));
  if (report.load.some(({ errors }) => errors > 0)) throw new Error('Some turns did not end as they should.');
}

const options = withUsage(USAGE, readOptions);
if (options === null) process.stdout.write(USAGE);
else await run(options).catch(exitWithMessage);
