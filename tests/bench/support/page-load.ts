import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/*
 * Visitors in a process of their own: asks for pages at a steady pace, whether or not the answers keep up, until its
 * parent says stop; then it tells what it got. The job comes as JSON in LOAD_JOB.
 */

/** What to ask for. */
export interface LoadJob {
  readonly url: string;
  readonly host: string;
  readonly paths: readonly string[];
  readonly perSecond: number;
}

/** What came back. */
export interface LoadResult {
  readonly seconds: number;
  readonly answered: number;
  /** Anything but a whole page. */
  readonly failed: number;
  /** Milliseconds until the whole answer was there. */
  readonly times: readonly number[];
}

/** Requests are sent in bunches; milliseconds between two. */
const BUNCH_MS = 10;

async function load({ url, host, paths, perSecond }: LoadJob, isOver: () => boolean): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const { hostname, port } = new URL(url);
  const times: number[] = [];
  let failed = 0;
  let sent = 0;
  const open = new Set<symbol>();
  const visit = (path: string) => {
    const startedAt = performance.now();
    const name = Symbol(path);
    open.add(name);
    const end = (isWhole: boolean) => {
      open.delete(name);
      if (isWhole) times.push(performance.now() - startedAt);
      else failed += 1;
    };
    const headers = { host, 'accept-encoding': 'br, gzip' };
    get({ hostname, port, path, agent, headers }, (response) => {
      response.resume().once('end', () => end(response.statusCode === 200));
    }).once('error', () => end(false));
  };
  const begunAt = performance.now();
  while (!isOver()) {
    const due = ((performance.now() - begunAt) / 1_000) * perSecond;
    for (; sent < due; sent += 1) visit(paths[sent % paths.length]!);
    await pause(BUNCH_MS);
  }
  const seconds = (performance.now() - begunAt) / 1_000;
  while (open.size > 0) await pause(BUNCH_MS);
  agent.destroy();
  return { seconds, answered: times.length, failed, times };
}

process.once('disconnect', () => process.exit());
let isOver = false;
process.once('message', () => (isOver = true));
process.send?.({ url: '' });
const result = await load(JSON.parse(process.env['LOAD_JOB'] ?? '') as LoadJob, () => isOver);
process.send?.(result, () => process.exit());
