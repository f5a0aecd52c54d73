import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatted } from '#scripts/lib/tests/formatted';
import { isBuilt } from '#scripts/lib/source-hash';
import { exitWithMessage, withUsage } from '#scripts/lib/process';
import { projectPath } from '#scripts/lib/project';
import { commandOf, machine } from '#tests/bench/support/circumstances';
import { median, percentile } from '#tests/bench/support/figures';
import { NO_LIMITS } from '#tests/bench/support/no-limits';
import type { LoadJob, LoadResult } from '#tests/bench/support/page-load';
import { processFigures } from '#tests/bench/support/process-figures';
import { startChild } from '#tests/bench/support/start-child';
import { lastWordOf, newSession, streamAnswer, type Timing, userMessage } from '#tests/bench/support/stream-answer';
import { accountsEnvironment, type AccountsServer, startAccountsServer } from '#tests/support/accounts-server';
import { freePort } from '#tests/support/free-port';

/*
 * What the published site costs under its own host (npm run bench:site): so many page views a second while answers of
 * the assistant stream. In the same run, a plain server of the same site as files, in a separate process, takes the
 * same load during the same answers: the cost of the machine alone.
 */

const USAGE = `npm run bench:site -- [options]
  --views 500       page views a second
  --rounds 8        answers of each kind behind each median
  --write-docs      write docs/internals/benchmarks-site.md
`;

/** An answer as models stream it, and one whose words come as fast as the server takes them. */
const ANSWERS = { paced: 'stream 300 every 8', unpaced: 'stream 400 every 0' };
type AnswerKind = keyof typeof ANSWERS;

const MOST_SLOWED = 1.2;

interface Situation {
  readonly name: string;
  readonly job: Pick<LoadJob, 'url' | 'host'> | null;
}

interface Figures {
  readonly name: string;
  readonly load: LoadResult | null;
  /** Processor time of our server for a second, milliseconds. */
  readonly cpu: number;
  readonly answers: Readonly<Record<AnswerKind, readonly Timing[]>>;
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      views: { type: 'string', default: '500' },
      rounds: { type: 'string', default: '8' },
      'write-docs': { type: 'boolean', default: false },
    },
  });
  const [views, rounds] = [Number(values.views), Number(values.rounds)];
  if (!(views > 0 && rounds > 0)) throw new Error('--views and --rounds take numbers above 0.');
  return { views, rounds, writeDocs: values['write-docs'] };
}

/** The pages of the site, as its sitemap has them. */
async function pathsOf(peer: string): Promise<string[]> {
  const sitemap = await (await fetch(`${peer}/sitemap.xml`)).text();
  return [...sitemap.matchAll(/<loc>https?:\/\/[^/]+(\/[^<]*)<\/loc>/g)].map(([, path = '/']) => path);
}

async function answerOf({ url, people, origin }: AccountsServer, kind: AnswerKind): Promise<Timing> {
  const headers = { cookie: people.editor.cookie, origin };
  const id = await newSession(url, headers);
  const body = { id, message: userMessage(ANSWERS[kind]) };
  return streamAnswer(`${url}/api/chat`, body, lastWordOf(ANSWERS[kind]), undefined, headers);
}

async function measure(server: AccountsServer, { name, job }: Situation, paths: readonly string[], options: Options) {
  const visitors = job && (await startChild('page-load.ts', loadEnv({ ...job, paths, perSecond: options.views })));
  const before = processFigures(server.pid);
  const startedAt = performance.now();
  const answers: Record<AnswerKind, Timing[]> = { paced: [], unpaced: [] };
  for (let round = 0; round < options.rounds; round += 1)
    for (const kind of ['paced', 'unpaced'] as const) answers[kind].push(await answerOf(server, kind));
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpu = ((processFigures(server.pid).cpuSeconds - before.cpuSeconds) * 1_000) / seconds;
  let load: LoadResult | null = null;
  if (visitors) {
    const told = once(visitors.child, 'message');
    visitors.child.send('stop');
    [load] = (await told) as [LoadResult];
  }
  return { name, load, cpu, answers } satisfies Figures;
}

const loadEnv = (job: LoadJob) => ({ LOAD_JOB: JSON.stringify(job) });

type Options = ReturnType<typeof readOptions>;

const ms = (value: number) => value.toFixed(value < 100 ? 1 : 0);
const ratio = (value: number, base: number) => `${ms(value)} (${(value / base).toFixed(2)} times)`;
const total = (figures: Figures, kind: AnswerKind) => median(figures.answers[kind].map((timing) => timing.total));
const first = (figures: Figures) => median(figures.answers.paced.map((timing) => timing.first));

function rowsOf(all: readonly Figures[]): string[][] {
  const [alone] = all;
  return all.map((figures) => {
    const { load, name, cpu } = figures;
    return [
      name,
      load === null ? '' : (load.answered / load.seconds).toFixed(0),
      load === null ? '' : String(load.failed),
      load === null ? '' : [0.5, 0.95, 0.99].map((p) => ms(percentile(load.times, p))).join(' / '),
      ratio(first(figures), first(alone!)),
      ratio(total(figures, 'paced'), total(alone!, 'paced')),
      ratio(total(figures, 'unpaced'), total(alone!, 'unpaced')),
      cpu.toFixed(0),
    ];
  });
}

const HEAD = [
  'while',
  'page views a second',
  'failed',
  'page, ms: p50 / p95 / p99',
  'first word, ms',
  'answer as models stream it, ms',
  'answer without pauses, ms',
  'processor of the server, ms per second',
];

async function report(rows: readonly (readonly string[])[], paths: readonly string[]): Promise<void> {
  const { cores, processor, memoryGb, system } = machine();
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = HEAD.map((_, index) => (index === 0 ? '---' : '---:'));
  const text = [
    '# The published site under load',
    'How fast pages are served to visitors, and what that costs the people who work with the assistant.',
    `Measured with \`${commandOf('bench:site', process.argv.slice(2))}\` on ${new Date().toISOString().slice(0, 10)}, ${cores} processors (${processor}), ${memoryGb} GB, ${system}, Node ${process.versions.node}. Server, provider, visitors and the plain file server share these processors.`,
    `Visitors request the ${paths.length} pages of the demo site at a constant rate over open connections, while one user gets answers of the assistant; times of answers are medians. The plain server is a separate process with the static export; its row shows the effect of the load alone.`,
    [HEAD, rule, ...rows].map(line).join('\n'),
    LIGHTHOUSE,
  ].join('\n\n');
  const file = projectPath('docs/internals/benchmarks-site.md');
  writeFileSync(file, await formatted(file, `${text}\n`));
}

const LIGHTHOUSE = `\`npm run bench:lighthouse\` measures the pages on a simulated phone; its reports are in [tests/bench/lighthouse](../../tests/bench/lighthouse).`;

async function run(options: Options): Promise<void> {
  if (!(await isBuilt())) throw new Error('There is no build of the present sources: npm run build first.');
  process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
  const folder = mkdtempSync(join(tmpdir(), 'throughline-bench-site-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const provider = await startChild('scripted-provider.ts');
  const port = await freePort();
  const host = `kiln.localhost:${port}`;
  const env = {
    ...NO_LIMITS,
    ...accountsEnvironment(port),
    SITE_URL: `http://${host}`,
    OPENROUTER_API_KEY: 'bench',
    OPENROUTER_BASE_URL: provider.url,
    DEFAULT_MODEL: 'openai/gpt-4o',
    LOG_LEVEL: 'error',
  };
  const server = await startAccountsServer({ port, seed: true, env });
  try {
    const exportEnv = { ...process.env, ...env, DATABASE_URL: `file:${server.databaseFile}` };
    execFileSync(process.execPath, ['scripts/export-site.ts', folder], { cwd: projectPath('.'), env: exportEnv });
    const peer = await startChild('file-server.ts', { FOLDER: folder });
    const paths = await pathsOf(peer.url);
    const situations: readonly Situation[] = [
      { name: 'no visitors', job: null },
      { name: 'visits to a plain file server', job: { url: peer.url, host: new URL(peer.url).host } },
      { name: 'visits to the site', job: { url: server.url, host } },
      { name: 'no visitors, repeated', job: null },
    ];
    for (const kind of ['paced', 'unpaced', 'unpaced'] as const) await answerOf(server, kind);
    const all: Figures[] = [];
    for (const situation of situations) {
      process.stderr.write(`${situation.name}\n`);
      all.push(await measure(server, situation, paths, options));
    }
    const rows = rowsOf(all);
    for (const row of [HEAD, ...rows]) process.stdout.write(`${row.join('  |  ')}\n`);
    if (options.writeDocs) await report(rows, paths);
    judge(all, options);
    peer.child.kill();
  } finally {
    await server.stop();
    provider.child.kill();
  }
}

/** What was aimed at. One that was not met fails the run. */
function judge(all: readonly Figures[], { views }: Options): void {
  const [alone, , site] = all;
  const load = site!.load!;
  const slowed = total(site!, 'paced') / total(alone!, 'paced');
  const aims: readonly (readonly [string, boolean])[] = [
    [`${views} page views a second, none failed`, load.failed === 0 && load.answered / load.seconds > views * 0.98],
    [`an answer is slowed by at most a fifth (${slowed.toFixed(2)} times)`, slowed <= MOST_SLOWED],
  ];
  for (const [aim, isMet] of aims) {
    process.stdout.write(`aim: ${aim}: ${isMet ? 'met' : 'NOT MET'}\n`);
    if (!isMet) process.exitCode = 1;
  }
}

await run(withUsage(USAGE, readOptions)).catch(exitWithMessage);
