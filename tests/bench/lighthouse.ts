import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import sharp from 'sharp';
import { z } from 'zod';
import { installBenchPeers } from '#tests/bench/bench-peers';
import { isBuilt } from '#scripts/lib/source-hash';
import { exitWithMessage } from '#scripts/lib/process';
import { ensureChromium } from '#scripts/lib/tests/chromium';
import { projectPath } from '#scripts/lib/project';
import { createApiClient } from '#components/api/api-client.ts';
import { machine } from '#tests/bench/support/circumstances';
import { median } from '#tests/bench/support/figures';
import { accountsEnvironment, type AccountsServer, startAccountsServer } from '#tests/support/accounts-server';
import { freePort } from '#tests/support/free-port';
import { longHistory } from '#tests/support/long-history';
import { startProductionServer } from '#tests/support/production-server';
import { briefs, startSiteFromBrief } from '#tests/support/six-sites';

/*
 * What Lighthouse reports (npm run bench:lighthouse), for a phone on a slow network:
 *
 * - The published site under its own host: the start page, a page with a gallery of photographs, and a post. The report
 *   is kept in the folder of the same name, named by its date.
 * - The start pages of six sites from the starter kits, for a phone and for a computer. `--kits` audits only these.
 * - The chat in local mode: the empty workspace, and a conversation; the median of several audits. `--chat` audits only
 *   these, `--project=<folder>` those of another build, to compare two builds on one machine.
 */

const FOLDER = 'tests/bench/lighthouse';
const LEAST = 95;
/** Audits of each page of the chat. */
const CHAT_RUNS = 5;
/** Messages of the audited conversation: more than a screen. */
const CHAT_MESSAGES = 60;
const categories = ['performance', 'accessibility', 'best-practices', 'seo'] as const;
const metrics = [
  'first-contentful-paint',
  'largest-contentful-paint',
  'total-blocking-time',
  'cumulative-layout-shift',
];

const lighthouseReport = z.object({
  lighthouseVersion: z.string(),
  environment: z.object({ hostUserAgent: z.string() }),
  configSettings: z.object({ formFactor: z.string(), throttlingMethod: z.string() }),
  categories: z.record(
    z.string(),
    z.object({
      score: z.number().nullable(),
      auditRefs: z.array(z.object({ id: z.string(), weight: z.number() })),
    }),
  ),
  audits: z.record(
    z.string(),
    z.object({
      title: z.string(),
      score: z.number().nullable(),
      displayValue: z.string().optional(),
      numericValue: z.number().optional(),
    }),
  ),
});
type LighthouseReport = z.infer<typeof lighthouseReport>;

/** A photograph as cameras make them: too much in it to compress well. */
async function photograph(seed: number): Promise<Buffer> {
  const [width, height] = [2_400, 1_600];
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0; at < pixels.length; at += 1) {
    const [x, y] = [Math.floor(at / 3) % width, Math.floor(at / 3 / width)];
    const waves = Math.sin(x / (60 + seed * 17)) + Math.cos(y / (45 + seed * 11)) + Math.sin((x + y) / 23);
    pixels[at] = 128 + waves * 35 + ((at * 2_654_435_761 * (seed + 1)) % 24);
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 85 })
    .toBuffer();
}

/** Publishes a page with a gallery of photographs from the library. */
async function publishGallery(server: AccountsServer): Promise<string> {
  const images: { src: string; alt: string; caption: string }[] = [];
  for (let index = 0; index < 6; index += 1) {
    const body = await photograph(index);
    const headers = { 'content-type': 'image/jpeg' };
    const path = `/api/content/media?filename=firing-${index}.jpg`;
    const { asset } = (await server.ask(server.people.owner, { method: 'POST', path, body, headers })).json() as {
      asset: { url: string };
    };
    images.push({ src: asset.url, alt: `Bowls of firing ${index + 1}`, caption: `Firing ${index + 1}` });
  }
  const sections = [
    { type: 'text', fields: { heading: 'From the kiln', body: 'What came out of it this summer, still **warm**.' } },
    { type: 'gallery', fields: { heading: 'Firings', images } },
  ];
  const body = { title: 'Gallery', excerpt: 'Photographs of the firings of this summer.', sections };
  const made = await server.ask(server.people.owner, { method: 'POST', path: '/api/content/pages', body });
  const { entry } = made.json() as { entry: { id: string } };
  const done = await server.ask(server.people.owner, {
    method: 'POST',
    path: `/api/content/pages/${entry.id}/publish`,
  });
  if (done.status !== 200) throw new Error(`The gallery was not published: ${done.text}`);
  return '/gallery';
}

/** Runs Lighthouse with its own defaults: simulated throttling, by default as on a phone. */
async function lookAt(url: string, chromium: string, device: 'phone' | 'desktop' = 'phone'): Promise<LighthouseReport> {
  const output = join(tmpdir(), `lighthouse-${process.pid}.json`);
  const program = projectPath(`${FOLDER}/node_modules/lighthouse/cli/index.js`);
  const flags = ['--headless=new', '--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])].join(' ');
  const args = [program, url, '--output=json', `--output-path=${output}`, '--quiet', '--no-enable-error-reporting'];
  if (device === 'desktop') args.push('--preset=desktop');
  await promisify(execFile)(process.execPath, [...args, `--chrome-flags=${flags}`], {
    env: { ...process.env, CHROME_PATH: chromium },
  });
  const report = lighthouseReport.parse(JSON.parse(readFileSync(output, 'utf8')));
  rmSync(output);
  return report;
}

/** The part of a report that is kept. */
function summaryOf(path: string, { audits, categories: found }: LighthouseReport) {
  const failing = Object.values(found).flatMap(({ auditRefs }) =>
    auditRefs.filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 0.9).map(({ id }) => id),
  );
  return {
    path,
    scores: Object.fromEntries(categories.map((name) => [name, Math.round((found[name]?.score ?? 0) * 100)])),
    metrics: Object.fromEntries(metrics.map((id) => [id, audits[id]?.displayValue ?? ''])),
    below90: [...new Set(failing)].map((id) => `${id}: ${audits[id]?.title ?? ''} ${audits[id]?.displayValue ?? ''}`),
  };
}

/** The median figures of several audits of a page; pages of the chat are not for search engines. */
function medianOf(path: string, reports: readonly LighthouseReport[]) {
  const summaries = reports.map((report) => summaryOf(path, report));
  const scoresOf = (name: string) => summaries.map(({ scores }) => scores[name] ?? 0);
  const timesOf = (id: string) => reports.map(({ audits }) => audits[id]?.numericValue ?? 0);
  return {
    path,
    runs: reports.length,
    scores: Object.fromEntries(categories.flatMap((name) => (name === 'seo' ? [] : [[name, median(scoresOf(name))]]))),
    performance: scoresOf('performance'),
    metrics: Object.fromEntries(metrics.map((id) => [id, Number(median(timesOf(id)).toFixed(3))])),
  };
}

/** Audits the pages of the chat in local mode. @param project folder of another build; undefined: this one */
async function measureChat(chromium: string, project: string | undefined) {
  const server = await startProductionServer({ seed: true, ...(project !== undefined && { project }) });
  try {
    const api = createApiClient({ baseUrl: server.url });
    const { id } = await api.createSession({ title: 'A conversation' });
    await api.request('POST', '/api/sessions/{id}/import', {
      params: { id },
      body: { messages: longHistory(CHAT_MESSAGES) },
    });
    const chat: ReturnType<typeof medianOf>[] = [];
    for (const [name, path] of [
      ['/', '/'],
      ['/c/{id}', `/c/${id}`],
    ] as const) {
      // As after the first visitor.
      await lookAt(`${server.url}${path}`, chromium);
      const reports: LighthouseReport[] = [];
      for (let run = 0; run < CHAT_RUNS; run += 1) reports.push(await lookAt(`${server.url}${path}`, chromium));
      const page = medianOf(name, reports);
      console.log(`chat ${name}, median of ${CHAT_RUNS}:`, JSON.stringify(page.scores), JSON.stringify(page.metrics));
      console.log(`  performance of each audit: ${page.performance.join(', ')}`);
      chat.push(page);
    }
    return chat;
  } finally {
    await server.stop();
  }
}

/** Prints what Lighthouse has found on a page, and fails the run if a category is below the least. */
function print({ path, scores, metrics: values, below90 }: ReturnType<typeof summaryOf>): void {
  console.log(path, JSON.stringify(scores), JSON.stringify(values));
  for (const audit of below90) console.log(`  ${audit}`);
  if (Object.values(scores).some((score) => score < LEAST)) process.exitCode = 1;
}

/** Audits the start pages of six sites from the starter kits. */
async function measureKits(chromium: string) {
  const pages: ReturnType<typeof summaryOf>[] = [];
  for (const brief of briefs) {
    await using started = await startSiteFromBrief(brief);
    // As after the first visitor: pages are rendered, pictures made.
    await lookAt(started.site, chromium);
    for (const device of ['phone', 'desktop'] as const) {
      const page = summaryOf(`${brief.kit}, ${device}`, await lookAt(started.site, chromium, device));
      print(page);
      pages.push(page);
    }
  }
  return pages;
}

async function measureSite(chromium: string) {
  const port = await freePort();
  const env = { ...accountsEnvironment(port), SITE_URL: `http://kiln.localhost:${port}` };
  const server = await startAccountsServer({ port, seed: true, env });
  try {
    const paths = ['/', await publishGallery(server), '/blog/why-we-fire-once'];
    // As after the first visitor: pages are rendered, pictures made.
    const reports: LighthouseReport[] = [];
    for (const path of paths) await lookAt(`${env.SITE_URL}${path}`, chromium);
    for (const path of paths) reports.push(await lookAt(`${env.SITE_URL}${path}`, chromium));
    const pages = reports.map((report, index) => summaryOf(paths[index]!, report));
    for (const page of pages) print(page);
    const [{ lighthouseVersion, configSettings, environment }] = reports as [LighthouseReport];
    return { lighthouseVersion, ...configSettings, ...environment, machine: machine(), pages };
  } finally {
    await server.stop();
  }
}

async function measure(): Promise<void> {
  const { values } = parseArgs({
    options: { chat: { type: 'boolean' }, kits: { type: 'boolean' }, project: { type: 'string' } },
  });
  if (!(await isBuilt())) throw new Error('There is no build of the present sources: npm run build first.');
  if (!(await installBenchPeers(FOLDER, '120 MB'))) throw new Error('Lighthouse could not be installed.');
  const chromium = await ensureChromium();
  if (values.chat || values.project !== undefined) {
    await measureChat(chromium, values.project);
    return;
  }
  if (values.kits) {
    await measureKits(chromium);
    return;
  }
  const site = await measureSite(chromium);
  const kits = await measureKits(chromium);
  console.log(process.exitCode === 1 ? `NOT MET: at least ${LEAST} in each` : `met: at least ${LEAST} in each`);
  const chat = await measureChat(chromium, undefined);
  const date = new Date().toISOString().slice(0, 10);
  mkdirSync(projectPath(FOLDER), { recursive: true });
  const found = JSON.stringify({ date, ...site, kits, chat }, null, 2);
  writeFileSync(projectPath(`${FOLDER}/report-${date}.json`), `${found}\n`);
}

await measure().catch(exitWithMessage);
