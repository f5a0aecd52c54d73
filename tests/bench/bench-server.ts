import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isBuilt } from '#scripts/lib/source-hash';
import { exitWithMessage, withUsage } from '#scripts/lib/process';
import { LOAD_WORDS, measureLoad } from '#tests/bench/server/load';
import type { ServerReport } from '#tests/bench/server/report';
import { measureSessions } from '#tests/bench/server/sessions-growth';
import { reportAsMarkdown, tableAsText, tablesOf } from '#tests/bench/server/tables';
import { createWorld } from '#tests/bench/server/world';
import {
  commandOf,
  machineText,
  teller,
  wholeNumber,
  wholeNumbers,
  writePage,
  writeReport,
} from '#tests/bench/support/circumstances';

/*
 * What the production build bears (npm run bench:server): load and many sessions (long ones: bench:growth). Says on
 * standard error what it is at. Times never fail it; a turn that does not end as it should does.
 */

const USAGE = `npm run bench:server -- [options]
  --load 1,10,50              sessions at once
  --turns 200                 turns of each level of the load, shared out among its sessions
  --sessions 100,1000,10000   sessions in the database
  --large                     up to 100,000 sessions
  --rounds 9                  requests behind each median
  --out FILE                  where the JSON goes (default .data/bench/server.json)
  --write-docs                write docs/internals/benchmarks-server.md
`;

interface Options {
  readonly load: readonly number[];
  readonly turns: number;
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
    sessions: values.large ? [...sessions, 100_000] : sessions,
    rounds: wholeNumber('rounds', values.rounds),
    out: values.out,
    writeDocs: values['write-docs'],
  };
}

async function measure(stack: AsyncDisposableStack, options: Options): Promise<ServerReport> {
  const tell = teller();
  const world = await createWorld(stack);
  const { rounds } = options;
  const load = await measureLoad(world, options.load, options.turns, tell);
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
    sessions,
  };
}

async function run(options: Options): Promise<void> {
  if (!(await isBuilt())) throw new Error('There is no build of the present sources: npm run build first.');
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
  writeReport(options.out, `${JSON.stringify(report, null, 2)}\n`);
  const docs = join(import.meta.dirname, '..', '..', 'docs', 'internals', 'benchmarks-server.md');
  if (options.writeDocs) await writePage(docs, reportAsMarkdown(report));
  if (report.load.some(({ errors }) => errors > 0)) throw new Error('Some turns did not end as they should.');
}

const options = withUsage(USAGE, readOptions);
if (options === null) process.stdout.write(USAGE);
else await run(options).catch(exitWithMessage);
