import { setTimeout as pause } from 'node:timers/promises';
import { median, printRow } from '#tests/bench/support/figures';
import { NO_LIMITS } from '#tests/bench/support/no-limits';
import { newSession, streamAnswer, type Timing, userMessage } from '#tests/bench/support/stream-answer';
import { startLibsqlServer } from '#tests/support/libsql-server';
import { demoSiteFile, type ProductionServer, startProductionServer } from '#tests/support/production-server';

/*
 * What the server asks of its database, and how long users wait for it: on a file, on the tests' stand-in for a libSQL
 * server, and on one that is 20 ms away. The stand-in runs in this process, on the same machine.
 */

const RUNS = 7;
/** Turns that load what the first ones load. */
const WARM_UP_TURNS = 3;
/** Until what follows an answer in the background was requested; milliseconds. */
const REST_MS = 400;
const IDLE_MS = 20_000;
const AT_ONCE = 10;
const DISTANT_MS = 20;
/** The built-in assistant answers with some sentences, word by word: in about a second. */
const PLAIN = 'What can you do?';

/** A server of the app, and the number of requests that it has sent to its database. */
interface Place {
  readonly name: string;
  readonly url: string;
  requests(): number;
}

/** Times, and requests to the database, of the runs of one action. */
interface Action {
  readonly times: readonly number[][];
  readonly requests: readonly number[];
}

const say = async (url: string, sessionId: string, words: string): Promise<Timing> =>
  streamAnswer(`${url}/api/chat`, { id: sessionId, message: userMessage(words) }, null);

async function get(url: string): Promise<number[]> {
  const startedAt = performance.now();
  const response = await fetch(url);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${response.status} of ${url}`);
  return [performance.now() - startedAt];
}

async function createPage(url: string, title: string): Promise<number[]> {
  const startedAt = performance.now();
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ title });
  const response = await fetch(`${url}/api/content/pages`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(await response.text());
  return [performance.now() - startedAt];
}

async function repeated(place: Place, act: (run: number) => Promise<readonly number[]>): Promise<Action> {
  const times: number[][] = [];
  const requests: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const before = place.requests();
    times.push([...(await act(run))]);
    await pause(REST_MS);
    requests.push(place.requests() - before);
  }
  return { times, requests };
}

/** The figures of one action in a column: the median of each time, and of the requests. */
function column({ times, requests }: Action, isFile: boolean): string {
  const medians = (times[0] ?? []).map((_, index) => median(times.map((run) => run[index] ?? 0)).toFixed(0));
  return `${medians.join(' / ')} ms${isFile ? '' : `, ${median(requests)}`}`;
}

async function measure(place: Place): Promise<Record<string, string>> {
  const { url } = place;
  const isFile = place.name === 'file';
  const sessionId = await newSession(url);
  const timed = ({ first, total }: Timing) => [first, total];
  for (let turn = 0; turn < WARM_UP_TURNS; turn += 1) await say(url, sessionId, PLAIN);
  const rows: Record<string, string> = {};
  const add = async (name: string, act: (run: number) => Promise<readonly number[]>) => {
    rows[name] = column(await repeated(place, act), isFile);
  };
  await add('plain message: first word / whole', async () => timed(await say(url, sessionId, PLAIN)));
  await add('message with one tool edit: first word / whole', async (run) =>
    timed(await say(url, sessionId, `Create a page called Kiln ${run} about clay`)),
  );
  const others = await Promise.all(Array.from({ length: AT_ONCE }, () => newSession(url)));
  await add(`${AT_ONCE} plain messages at once: first word / whole, p50`, async () => {
    const all = await Promise.all(others.map((id) => say(url, id, PLAIN)));
    return [median(all.map(({ first }) => first)), median(all.map(({ total }) => total))];
  });
  await add('page created by hand', (run) => createPage(url, `By hand ${run}`));
  await add('chat page', () => get(`${url}/c/${sessionId}`));
  await add('page of messages', () => get(`${url}/api/sessions/${sessionId}/messages?limit=50`));
  await add("visitor's home page below /site", () => get(`${url}/site`));
  const before = place.requests();
  await pause(IDLE_MS);
  rows['idle, requests per second'] = ((place.requests() - before) / (IDLE_MS / 1_000)).toFixed(2);
  return rows;
}

/** Prints the table of what a database server costs beside a file. */
export async function benchDatabases(): Promise<void> {
  const env = { ...NO_LIMITS, LOG_LEVEL: 'error' };
  const measured: [string, Record<string, string>][] = [];
  const run = async (name: string, server: ProductionServer, requests: () => number) => {
    measured.push([name, await measure({ name, url: server.url, requests })]);
  };
  {
    await using server = await startProductionServer({ env, seed: true });
    await run('file', server, () => 0);
  }
  for (const delayMs of [0, DISTANT_MS]) {
    await using database = await startLibsqlServer({ copyOf: demoSiteFile(), delayMs });
    await using server = await startProductionServer({ env: { ...env, DATABASE_URL: database.url } });
    await run(`stand-in, ${delayMs} ms away`, server, () => database.requests);
  }
  printRow('milliseconds, requests to the database', ...measured.map(([name]) => name));
  for (const label of Object.keys(measured[0]?.[1] ?? {}))
    printRow(label, ...measured.map(([, rows]) => rows[label] ?? ''));
}
