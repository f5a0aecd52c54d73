import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Browser, chromium, type Page } from '@playwright/test';
import { z } from 'zod';
import { findChromium } from '#scripts/lib/tests/chromium';
import { translator } from '#components/i18n.ts';
import { median, milliseconds, percentile, printRow } from '#tests/bench/support/figures';
import { FIRST_WORDS, longHistory, NEWEST_WORDS } from '#tests/support/long-history';
import { installProbe, type Probe } from '#tests/bench/support/page-probe';
import { startPlainPage } from '#tests/bench/support/plain-page';
import { startProductionServer } from '#tests/support/production-server';

const tTranscript = translator('transcript');
const t = translator('composer');

/*
 * What a conversation of 2,000 messages costs in the browser (npm run bench:browser), on the production build:
 * opening, scrolling, typing while an answer streams. The same run measures a page of plain paragraphs with the same
 * texts and no framework. A busy machine affects both.
 *
 * Also one of 5,000 on a processor that is slowed down four times: its long tasks. `--only-slow` leaves out the rest.
 */

const MESSAGES = 2_000;
/** Of the conversation on the slow processor, and how many times slower it is. */
const MANY_MESSAGES = 5_000;
const SLOWER = 4;
const MOST_SLOW_TASK_MS = 50;
/** Turns of the wheel there, up and down again. */
const SLOW_TURNS = 80;
const SLOW_KEYS = 60;
const RUNS = Number(process.env['BENCH_RUNS'] ?? '10');
const KEYS = 150;
/** Between two key presses, and of watching a stream without typing; milliseconds. */
const KEY_PAUSE = 40;
const WATCH = 5_000;
/** Between two openings; milliseconds. */
const REST = 700;
/** One turn of the wheel, pixels, and the pause after it, milliseconds. */
const WHEEL = 800;
const WHEEL_PAUSE = 25;
const FRAME = 1_000 / 60;

const MOST_INTERACTIVE_MS = 1_500;
const MOST_LONG_TASK_MS = 100;
const MOST_KEY_MS = 50;
const MOST_SCRIPT_KB = 350;
/** What Core Web Vitals call good; ours should not be seen at all. */
const MOST_SHIFT = 0.05;

type ProbeFigures = Pick<Probe, 'longTasks' | 'shift' | 'keys' | 'frames'>;

const probeOf = (page: Page) =>
  page.evaluate(() => JSON.parse(JSON.stringify((globalThis as unknown as { probe: Probe }).probe)) as Probe);
const resetProbe = (page: Page) => page.evaluate(() => (globalThis as unknown as { probe: Probe }).probe.reset());
const kilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(0)} kB`;
const longest = (tasks: readonly number[]) =>
  tasks.length === 0 ? 'none' : `${tasks.length}, longest ${milliseconds(Math.max(...tasks))}`;
const dropped = (frames: readonly number[]) =>
  frames.reduce((sum, time) => sum + Math.max(0, Math.round(time / FRAME) - 1), 0);
const framesText = ({ frames }: ProbeFigures) => `${dropped(frames)} of ${frames.length + dropped(frames)}`;

/** What was aimed at, and whether it was met. One that was not fails the run. */
function judge(aim: string, isMet: boolean): void {
  printRow(`  aim: ${aim}`, isMet ? 'met' : 'NOT MET');
  if (!isMet) process.exitCode = 1;
}

async function newPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.addInitScript(installProbe, { first: FIRST_WORDS, newest: NEWEST_WORDS });
  return context.newPage();
}

/** Opens the page and presses keys until one is shown. Gives milliseconds from the start of the navigation. */
async function open(page: Page, url: string): Promise<{ drawn: number; interactive: number }> {
  await page.goto(url, { waitUntil: 'commit' });
  for (;;) {
    await page.keyboard.press('a');
    const { drawnAt, interactiveAt } = await probeOf(page);
    if (drawnAt !== null && interactiveAt !== null) return { drawn: drawnAt, interactive: interactiveAt };
    await pause(20);
  }
}

interface Opening {
  readonly interactive: number[];
  readonly drawn: number[];
  readonly longTasks: number[];
}

/** With an empty cache each time, or again and again in the same browser. */
async function openMany(browser: Browser, url: string, isWarm: boolean): Promise<Opening> {
  const opening: Opening = { interactive: [], drawn: [], longTasks: [] };
  let page = await newPage(browser);
  if (isWarm) await open(page, url);
  for (let run = 0; run < RUNS; run += 1) {
    const { drawn, interactive } = await open(page, url);
    opening.drawn.push(drawn);
    opening.interactive.push(interactive);
    opening.longTasks.push(...(await probeOf(page)).longTasks);
    // What the server still does for this opening is not the next one's.
    await pause(REST);
    if (isWarm) continue;
    await page.context().close();
    page = await newPage(browser);
  }
  await page.context().close();
  return opening;
}

async function benchOpening(browser: Browser, ours: string, plain: string): Promise<void> {
  for (const cache of ['cold', 'warm'] as const) {
    const [our, their] = [
      await openMany(browser, ours, cache === 'warm'),
      await openMany(browser, plain, cache === 'warm'),
    ];
    const text = (times: readonly number[]) =>
      `${Math.min(...times).toFixed(0)} / ${median(times).toFixed(0)} / ${percentile(times, 0.95).toFixed(0)}`;
    printRow(
      `open, ${cache} cache, ${RUNS} times: interactive, best / p50 / p95, ms`,
      text(our.interactive),
      text(their.interactive),
    );
    printRow('  newest message drawn', text(our.drawn), text(their.drawn));
    printRow('  long tasks of all openings', longest(our.longTasks), longest(their.longTasks));
    judge(`p95 under ${MOST_INTERACTIVE_MS} ms`, percentile(our.interactive, 0.95) < MOST_INTERACTIVE_MS);
  }
}

/** Without a key press, after which shifts do not count. */
async function benchWeight(browser: Browser, ours: string, plain: string): Promise<void> {
  const figures: { scripts: number; later: number; heap: number; nodes: number; shift: number }[] = [];
  for (const url of [ours, plain]) {
    const page = await newPage(browser);
    const scripts = () =>
      page.evaluate(() =>
        (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
          .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
          .map(({ name, encodedBodySize }) => ({ name, size: encodedBodySize })),
      );
    await page.goto(url);
    await page.waitForFunction(() => (globalThis as unknown as { probe: Probe }).probe.drawnAt !== null);
    const html = await (await fetch(url)).text();
    await pause(3_000);
    const all = await scripts();
    const sum = (list: typeof all) => list.reduce((total, { size }) => total + size, 0);
    const client = await page.context().newCDPSession(page);
    await client.send('HeapProfiler.collectGarbage');
    await client.send('Performance.enable');
    const { metrics } = await client.send('Performance.getMetrics');
    const metric = (name: string) => metrics.find((candidate) => candidate.name === name)?.value ?? Number.NaN;
    figures.push({
      scripts: sum(all.filter(({ name }) => html.includes(new URL(name).pathname))),
      later: sum(all),
      heap: metric('JSHeapUsedSize'),
      nodes: metric('Nodes'),
      shift: (await probeOf(page)).shift,
    });
    await page.context().close();
  }
  const [our, their] = figures as [(typeof figures)[0], (typeof figures)[0]];
  printRow('scripts that the page names, compressed', kilobytes(our.scripts), kilobytes(their.scripts));
  printRow('scripts 3 s after the newest message is drawn', kilobytes(our.later), kilobytes(their.later));
  judge(`at first under ${MOST_SCRIPT_KB} kB`, our.scripts < MOST_SCRIPT_KB * 1_000);
  printRow('heap after loading; nodes', ...[our, their].map((f) => `${(f.heap / 1e6).toFixed(1)} MB; ${f.nodes}`));
  printRow('layout shift on loading', our.shift.toFixed(4), their.shift.toFixed(4));
  judge(`under ${MOST_SHIFT}`, our.shift < MOST_SHIFT);
}

async function scroll(page: Page, delta: number, isThere: 'isAtTop' | 'isAtBottom'): Promise<ProbeFigures> {
  await resetProbe(page);
  const earlier = page.getByRole('button', { name: tTranscript('earlier') });
  for (let turn = 0; ; turn += 1) {
    await page.mouse.wheel(0, delta);
    await pause(WHEEL_PAUSE);
    if (turn % 10 !== 0) continue;
    if (await page.evaluate((name) => (globalThis as unknown as { probe: Probe }).probe[name](), isThere)) break;
    if (process.env['BENCH_CLICKS'] && delta < 0 && (await earlier.isVisible())) await earlier.click();
    if (turn > 5_000) throw new Error('The end of the conversation was not reached.');
  }
  return probeOf(page);
}

async function benchScrolling(browser: Browser, ours: string, plain: string): Promise<void> {
  const rows: ProbeFigures[][] = [];
  for (const url of [ours, plain]) {
    const page = await newPage(browser);
    await open(page, url);
    await pause(1_000);
    await page.mouse.move(420, 400);
    rows.push([await scroll(page, -WHEEL, 'isAtTop'), await scroll(page, WHEEL, 'isAtBottom')]);
    await page.context().close();
  }
  const [our, their] = rows as [ProbeFigures[], ProbeFigures[]];
  for (const [at, way] of ['from the newest to the very first', 'and back'].entries()) {
    const of = (show: (figures: ProbeFigures) => string) => [show(our[at]!), show(their[at]!)];
    printRow(`scroll ${way}: long tasks`, ...of(({ longTasks }) => longest(longTasks)));
    printRow('  frames dropped', ...of(framesText));
    printRow('  layout shift', ...of(({ shift }) => shift.toFixed(4)));
  }
  const tasks = our.flatMap(({ longTasks }) => longTasks);
  judge(`no task over ${MOST_LONG_TASK_MS} ms`, Math.max(0, ...tasks) <= MOST_LONG_TASK_MS);
}

async function type(page: Page, keys = KEYS): Promise<ProbeFigures> {
  await resetProbe(page);
  const before = await page.locator('textarea').inputValue();
  for (let key = 0; key < keys; key += 1) {
    await page.keyboard.press('a');
    await pause(KEY_PAUSE);
  }
  const typed = (await page.locator('textarea').inputValue()).length - before.length;
  if (typed !== keys) throw new Error(`Of ${keys} keys ${typed} arrived.`);
  return probeOf(page);
}

interface Streaming {
  readonly typing: ProbeFigures;
  readonly watching: ProbeFigures;
}

async function watch(page: Page): Promise<ProbeFigures> {
  // Shifts do not count for half a second after a key.
  await pause(600);
  await resetProbe(page);
  await pause(WATCH);
  return probeOf(page);
}

/** Sends a message and waits for the first lines of its answer. */
async function ask(page: Page): Promise<void> {
  await page.locator('textarea').fill('Please go on.');
  await page.locator('textarea').press('Enter');
  await page.waitForFunction((words) => {
    const { textContent } = [...document.querySelectorAll('[role=log] article')].at(-1) ?? {};
    return textContent && textContent.length > 500 && !textContent.includes(words);
  }, NEWEST_WORDS);
}

/** Throws if the answer ended while it was measured. */
async function expectStreaming(page: Page): Promise<void> {
  if (!(await page.getByRole('button', { name: t('stop') }).isVisible())) throw new Error('It has ended.');
}

/** @param isAllDrawn the reader has been at the very first message before */
async function streamOurs(browser: Browser, base: string, id: string, isAllDrawn: boolean): Promise<Streaming> {
  const page = await newPage(browser);
  await open(page, `${base}/c/${id}`);
  if (isAllDrawn) {
    await page.mouse.move(420, 400);
    await scroll(page, -WHEEL, 'isAtTop');
    await page.getByRole('button', { name: tTranscript('toBottom') }).click();
  }
  await ask(page);
  const figures = { typing: await type(page), watching: await watch(page) };
  await expectStreaming(page);
  await page.context().close();
  await fetch(`${base}/api/chat/${id}/cancel`, { method: 'POST' });
  return figures;
}

async function streamPlain(browser: Browser, url: string): Promise<Streaming> {
  const page = await newPage(browser);
  await open(page, `${url}/?stream`);
  const figures = { typing: await type(page), watching: await watch(page) };
  await page.context().close();
  return figures;
}

async function rateOf(provider: ChildProcess): Promise<string> {
  const told = once(provider, 'message') as Promise<[{ chunksPerSecond: number }]>;
  provider.send('rate');
  return (await told)[0].chunksPerSecond.toFixed(0);
}

async function benchStreaming(browser: Browser, base: string, plain: string, provider: ChildProcess) {
  const peer = await streamPlain(browser, plain);
  for (const isAllDrawn of [false, true]) {
    const our = await streamOurs(browser, base, await importHistory(base), isAllDrawn);
    const of = (show: (streaming: Streaming) => string) => [show(our), show(peer)];
    const drawn = isAllDrawn ? 'all messages are drawn' : 'as it was opened';
    printRow(`an answer streams, ${drawn}: chunks a second, really`, await rateOf(provider), '200');
    const keys = ({ typing }: Streaming) =>
      [0.5, 0.95, 1].map((p) => percentile(typing.keys, p).toFixed(1)).join(' / ');
    printRow(`${KEYS} keys meanwhile: press to paint, p50 / p95 / most, ms`, ...of(keys));
    judge(`p95 under ${MOST_KEY_MS} ms`, percentile(our.typing.keys, 0.95) < MOST_KEY_MS);
    printRow('  long tasks while typing', ...of(({ typing }) => longest(typing.longTasks)));
    printRow('  frames dropped while typing', ...of(({ typing }) => framesText(typing)));
    printRow(`  long tasks in ${WATCH / 1_000} s of watching`, ...of(({ watching }) => longest(watching.longTasks)));
    printRow('  frames dropped', ...of(({ watching }) => framesText(watching)));
    printRow('  layout shift', ...of(({ watching }) => watching.shift.toFixed(4)));
    judge(`under ${MOST_SHIFT}`, our.watching.shift < MOST_SHIFT);
  }
}

/** A few screens up and down again, as far as the wheel goes. */
async function wheel(page: Page): Promise<void> {
  await page.mouse.move(420, 400);
  for (const delta of [-WHEEL, WHEEL])
    for (let turn = 0; turn < SLOW_TURNS; turn += 1) {
      await page.mouse.wheel(0, delta);
      await pause(2 * WHEEL_PAUSE);
    }
}

/** A task of the page's main thread in Chromium's trace; milliseconds by the clock, and of the processor's time. */
interface Task {
  readonly took: number;
  readonly worked: number;
}

const traceSchema = z.object({
  traceEvents: z.array(
    z.object({
      name: z.string(),
      pid: z.number(),
      tid: z.number(),
      dur: z.number().optional(),
      tdur: z.number().optional(),
      args: z.object({ name: z.unknown() }).partial(),
    }),
  ),
});

/** Runs a phase under Chromium's trace; gives the tasks that took too long. */
async function longTasksOf(page: Page, run: () => Promise<unknown>): Promise<Task[]> {
  const browser = page.context().browser()!;
  await browser.startTracing(page, { categories: ['__metadata', 'disabled-by-default-devtools.timeline'] });
  await run();
  const { traceEvents } = traceSchema.parse(JSON.parse((await browser.stopTracing()).toString('utf8')));
  const threads = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  return traceEvents
    .filter(({ name, pid, tid }) => name === 'RunTask' && threads.some((main) => main.pid === pid && main.tid === tid))
    .map(({ dur = 0, tdur = 0 }) => ({ took: dur / 1_000, worked: tdur / 1_000 }))
    .filter(({ took }) => took > MOST_SLOW_TASK_MS)
    .toSorted((a, b) => b.took - a.took);
}

async function benchSlowly(browser: Browser, base: string): Promise<void> {
  const id = await importHistory(base, MANY_MESSAGES);
  const page = await newPage(browser);
  await open(page, `${base}/c/${id}`);
  await pause(2_000);
  const client = await page.context().newCDPSession(page);
  await client.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  const phases: [string, () => Promise<unknown>][] = [
    [`${SLOW_KEYS} keys`, () => type(page, SLOW_KEYS)],
    ['scrolling', () => wheel(page)],
    ['an answer begins', () => ask(page)],
    [`${SLOW_KEYS} keys while it streams`, () => type(page, SLOW_KEYS)],
    [`${WATCH / 1_000} s of watching it`, () => watch(page)],
    ['scrolling while it streams', () => wheel(page)],
  ];
  printRow(`${MANY_MESSAGES} messages, a processor ${SLOWER} times slower`, 'long tasks', 'most work of one');
  for (const [name, run] of phases) {
    const tasks = await longTasksOf(page, run);
    printRow(
      `  ${name}`,
      longest(tasks.map(({ took }) => took)),
      tasks.length === 0 ? '' : milliseconds(Math.max(...tasks.map(({ worked }) => worked))),
    );
    judge(`no task over ${MOST_SLOW_TASK_MS} ms`, tasks.length === 0);
  }
  await expectStreaming(page);
  await page.context().close();
  await fetch(`${base}/api/chat/${id}/cancel`, { method: 'POST' });
}

async function importHistory(base: string, messages = MESSAGES): Promise<string> {
  const post = async (path: string, body: unknown) => {
    const response = await fetch(`${base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return (await response.json()) as { id: string };
  };
  const { id } = await post('/api/sessions', { title: 'A long session' });
  await post(`/api/sessions/${id}/import`, { messages: longHistory(messages) });
  return id;
}

const provider = fork(join(import.meta.dirname, 'support', 'streaming-provider.ts'));
const [{ url: providerUrl }] = (await once(provider, 'message')) as [{ url: string }];
const plain = await startPlainPage(MESSAGES);
const server = await startProductionServer({
  seed: true,
  env: {
    OPENROUTER_API_KEY: 'bench',
    OPENROUTER_BASE_URL: providerUrl,
    DEFAULT_MODEL: 'openai/gpt-4o',
    // Nothing is summarized while we measure.
    CONTEXT_WINDOW: '10000000',
    LOG_LEVEL: 'error',
  },
});
const executablePath = findChromium();
const browser = await chromium.launch({
  ...(executablePath === undefined ? {} : { executablePath }),
  args: ['--disable-background-networking', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
});
try {
  printRow(`processor cores; load when it began`, `${availableParallelism()}; ${loadavg()[0]?.toFixed(1)}`);
  if (!process.argv.includes('--only-slow')) {
    const ours = `${server.url}/c/${await importHistory(server.url)}`;
    printRow(`${MESSAGES} messages`, 'Throughline', 'plain paragraphs');
    await benchWeight(browser, ours, plain.url);
    await benchOpening(browser, ours, plain.url);
    await benchScrolling(browser, ours, plain.url);
    await benchStreaming(browser, server.url, plain.url, provider);
  }
  await benchSlowly(browser, server.url);
} finally {
  await browser.close();
  await server.stop();
  await plain.close();
  provider.kill();
}
