import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isBuilt } from '#scripts/lib/source-hash';
import { exitWithMessage } from '#scripts/lib/process';
import { projectPath } from '#scripts/lib/project';
import { teller, wholeNumber } from '#tests/bench/support/circumstances';
import { median, printRow } from '#tests/bench/support/figures';
import { processFigures } from '#tests/bench/support/process-figures';
import { startProductionServer } from '#tests/support/production-server';

/*
 * What a start costs until the server is ready, and until its first page is served (npm run bench:start). With
 * --beside, the build of another checkout starts in turn with this one, as this one starts in turn with itself.
 */

const USAGE = `npm run bench:start -- [options]
  --rounds 5        starts behind each median; one more fills the caches
  --beside DIR      a checkout of another commit with its packages and its build
`;

/** A server finds by itself what it has compiled before, as it does outside of tests. */
const env = { NODE_COMPILE_CACHE: '' };

interface Start {
  /** Milliseconds until it answers that it is ready, and processor time until then in seconds. */
  readonly ready: number;
  readonly cpu: number;
  /** Milliseconds from readiness until the chat's page is served, and processor time until then in seconds. */
  readonly page: number;
  readonly cpuWithPage: number;
  /** Megabytes then. */
  readonly memory: number;
}

function readOptions() {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '5' }, beside: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    process.exit(0);
  }
  return { rounds: wholeNumber('rounds', values.rounds), beside: values.beside };
}

async function start(project: string, databaseFile: string): Promise<Start> {
  const startedAt = performance.now();
  await using server = await startProductionServer({ project, databaseFile, env });
  const ready = performance.now() - startedAt;
  const { cpuSeconds: cpu } = processFigures(server.pid);
  const askedAt = performance.now();
  const response = await fetch(server.url);
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${text.slice(0, 300)}`);
  const page = performance.now() - askedAt;
  const { cpuSeconds: cpuWithPage, memory } = processFigures(server.pid);
  return { ready, cpu, page, cpuWithPage, memory };
}

async function run(): Promise<void> {
  const { rounds, beside } = readOptions();
  if (!(await isBuilt())) throw new Error('There is no build of the present sources: npm run build first.');
  const folder = mkdtempSync(join(tmpdir(), 'throughline-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const others = beside === undefined ? [] : [{ name: beside, project: resolve(beside) }];
  const builds = [{ name: 'this build', project: projectPath('.') }, ...others].map((build, index) => {
    const databaseFile = join(folder, `${index}.db`);
    return { ...build, databaseFile, starts: [] as Start[] };
  });
  const tell = teller();
  for (let round = 0; round <= rounds; round += 1)
    for (const { name, project, databaseFile, starts } of builds) {
      const figures = await start(project, databaseFile);
      tell(`${name}: ready after ${figures.ready.toFixed(0)} ms`);
      if (round > 0) starts.push(figures);
    }
  printRow('', 'ready', 'processor time', 'first page after', 'processor time', 'memory');
  for (const { name, starts } of builds) {
    const of = (figure: keyof Start) => median(starts.map((each) => each[figure]));
    const [ready, page] = [of('ready'), of('page')].map((time) => `${time.toFixed(0)} ms`);
    const [cpu, cpuWithPage] = [of('cpu'), of('cpuWithPage')].map((time) => `${time.toFixed(2)} s`);
    printRow(name, ready!, cpu!, page!, cpuWithPage!, `${of('memory').toFixed(0)} MB`);
  }
}

await run().catch(exitWithMessage);
