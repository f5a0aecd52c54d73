import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isBuilt } from '#scripts/lib/source-hash';
import { exitWithMessage, withUsage } from '#scripts/lib/process';
import { measureHistory } from '#tests/bench/server/history-growth';
import { growthPage, growthTable, tableAsText } from '#tests/bench/server/tables';
import { createWorld } from '#tests/bench/server/world';
import {
  commandOf,
  machineText,
  teller,
  wholeNumber,
  wholeNumbers,
  writePage,
} from '#tests/bench/support/circumstances';

/*
 * What a conversation costs that grows (npm run bench:growth): opening it, its context report, a search, the list of
 * sessions, a step of the agent. Fails where one of them grows faster than its aim.
 */

const USAGE = `npm run bench:growth -- [options]
  --messages 100,1000,10000,100000   messages in a session, multiples of 20
  --rounds 9                         requests behind each median
  --write-docs                       write docs/internals/growth.md
`;

function readOptions() {
  const { values } = parseArgs({
    options: {
      messages: { type: 'string', default: '100,1000,10000,100000' },
      rounds: { type: 'string', default: '9' },
      'write-docs': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  return {
    messages: wholeNumbers('messages', values.messages, 20),
    rounds: wholeNumber('rounds', values.rounds),
    writeDocs: values['write-docs'],
  };
}

async function run({ messages, rounds, writeDocs }: NonNullable<ReturnType<typeof readOptions>>): Promise<void> {
  if (!(await isBuilt())) throw new Error('There is no build of the present sources: npm run build first.');
  // Servers, provider and folder go with the process.
  process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
  const stack = new AsyncDisposableStack();
  let growth;
  try {
    growth = await measureHistory(await createWorld(stack), messages, rounds, teller());
  } finally {
    await stack.disposeAsync();
  }
  const table = growthTable('Messages', 'messages in the session', growth, rounds);
  process.stdout.write(`${tableAsText(table)}\n`);
  const docs = join(import.meta.dirname, '..', '..', 'docs', 'internals', 'growth.md');
  const written = {
    at: new Date().toISOString(),
    command: commandOf('bench:growth', process.argv.slice(2)),
    machine: machineText(),
    node: process.versions.node,
  };
  if (writeDocs) await writePage(docs, growthPage(written, table));
  const growing = growth.rows.filter(({ grows }) => grows).map(({ measure }) => measure);
  if (growing.length > 0) throw new Error(`Grows faster than it may: ${growing.join('; ')}.`);
}

const options = withUsage(USAGE, readOptions);
if (options === null) process.stdout.write(USAGE);
else await run(options).catch(exitWithMessage);
