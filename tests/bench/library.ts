import { parseArgs } from 'node:util';
import { isBuilt } from '#scripts/lib/source-hash';
import { exitWithMessage, withUsage } from '#scripts/lib/process';
import { machineText, wholeNumber } from '#tests/bench/support/circumstances';
import { milliseconds, percentile, printRow } from '#tests/bench/support/figures';
import { NO_LIMITS } from '#tests/bench/support/no-limits';
import { startProductionServer } from '#tests/support/production-server';

/*
 * What the library costs on a large site (npm run bench:library, after npm run build): the list and its search, reading
 * all that a search finds in order to select it, and the first answer of publishing the selection and of undoing that.
 */

const USAGE = `npm run bench:library -- [options]
  --pages 2000     pages of the site
  --selected 300   pages that are selected and published
  --rounds 20      measurements behind each figure; of publishing and undo, as many requests as they take
`;

/** As the screen sends them (components/pages). */
const PER_LIST = 30;
const PER_SELECTION = 100;
const PER_BATCH = 20;
const PER_UNDO = 50;

/** The parts of the answers that are read here. */
interface Answers {
  readonly items: readonly { readonly id: string; readonly change?: { readonly id: string } | null }[];
  readonly nextCursor: string | null;
  readonly total: number;
}

async function main(pages: number, selected: number, rounds: number): Promise<void> {
  if (!(await isBuilt())) throw new Error('There is no build of the present sources: npm run build first.');
  await using server = await startProductionServer({ env: { ...NO_LIMITS, CHECK_ANSWERS: '0' } });
  const ask = async (path: string, body?: object): Promise<Answers> => {
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(`${server.url}/api/content${path}`, {
      ...sent,
      headers: { 'content-type': 'application/json' },
    });
    if (!answer.ok) throw new Error(`${path}: ${String(answer.status)} ${await answer.text()}`);
    return (await answer.json()) as Answers;
  };
  for (let number = 0; number < pages; number += 1) {
    const body = number < selected ? 'Fired in the anagama.' : 'Fired in the electric kiln.';
    await ask('/pages', { title: `Page ${String(number)}`, sections: [{ type: 'text', fields: { body } }] });
  }
  const timed = async (work: () => Promise<unknown>) => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };
  const report = (name: string, times: readonly number[]) =>
    printRow(name, milliseconds(percentile(times, 0.5)), milliseconds(percentile(times, 0.95)));
  const repeated = async (work: () => Promise<unknown>) => {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) times.push(await timed(work));
    return times;
  };
  const selection = async () => {
    const ids: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const next: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = await ask(`/pages?search=anagama&limit=${String(PER_SELECTION)}${next}`);
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    return ids;
  };

  process.stdout.write(`${String(pages)} pages. ${machineText()}\n`);
  printRow('', 'p50', 'p95');
  report('first answer of the list', await repeated(() => ask(`/pages?limit=${String(PER_LIST)}`)));
  report(
    'first answer of the tree, all pages at its top',
    await repeated(() => ask(`/pages?parent=none&sort=title&limit=${String(PER_LIST)}`)),
  );
  report('first answer of a search', await repeated(() => ask(`/pages?search=anagama&limit=${String(PER_LIST)}`)));
  report(`select all ${String(selected)} that were found`, await repeated(selection));
  const ids = await selection();
  const changes: string[] = [];
  const publishing: number[] = [];
  for (let from = 0; from < ids.length; from += PER_BATCH) {
    publishing.push(
      await timed(async () => {
        const { items } = await ask('/batch', { action: 'publish', ids: ids.slice(from, from + PER_BATCH) });
        changes.push(...items.flatMap(({ change }) => change?.id ?? []));
      }),
    );
  }
  report(`an answer of publishing, ${String(PER_BATCH)} pages each`, publishing);
  const newest = changes.toReversed();
  const undoing: number[] = [];
  for (let from = 0; from < newest.length; from += PER_UNDO)
    undoing.push(await timed(() => ask('/undo', { changeIds: newest.slice(from, from + PER_UNDO) })));
  report(`an answer of the undo, ${String(PER_UNDO)} pages each`, undoing);
  if (changes.length !== ids.length)
    throw new Error(`Only ${String(changes.length)} of ${String(ids.length)} were published.`);
}

const { values } = withUsage(USAGE, () =>
  parseArgs({
    options: {
      pages: { type: 'string', default: '2000' },
      selected: { type: 'string', default: '300' },
      rounds: { type: 'string', default: '20' },
    },
  }),
);
await main(
  wholeNumber('--pages', values.pages),
  wholeNumber('--selected', values.selected),
  wholeNumber('--rounds', values.rounds),
).catch(exitWithMessage);
