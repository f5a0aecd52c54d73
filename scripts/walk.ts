import type { Profiler } from 'node:inspector';
import { Session as Inspector } from 'node:inspector/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { projectPath } from '#scripts/lib/project';
import { withUsage } from '#scripts/lib/process';
import { EMBEDDED_SITE } from '#server/core/site/content';
import { parseEnv } from '#server/platform/config/env';
import type { Services } from '#server/services';
import { STUB_USER, startWordPressStub } from '#tests/support/wordpress-stub';

const USAGE = `Usage: npm run walk -- [options]

Counts the functions and files of this project that run for one message, one message with a tool call, one edit by hand
and one edit of a WordPress page, between the request and the end of its work: V8's precise coverage, a new embedded
database, the basic assistant. Timers that run meanwhile are included, so figures vary by a few functions.
  --files             lists the files, with the number of functions that ran
  --json              prints JSON`;

/** Folders of the product; functions of scripts, tests and packages are not counted. */
const PRODUCT = /^(?:app|server|components|sections|messages|prompts)\//;

/** The functions that ran for one action. */
interface Walk {
  readonly name: string;
  /** Number of functions that ran, by file. */
  readonly files: Readonly<Record<string, number>>;
}

type RouteHandler<Params> = (request: Request, context: { params: Promise<Params> }) => Promise<Response>;

/** Measures which functions run while some work is done. */
class CoverageProbe {
  readonly #inspector = new Inspector();

  constructor() {
    this.#inspector.connect();
  }

  /** Runs `work` and counts the functions that ran meanwhile. */
  async measure(name: string, work: () => Promise<void>): Promise<Walk> {
    await this.#inspector.post('Profiler.enable');
    await this.#inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await work();
    const { result: scripts } = await this.#inspector.post('Profiler.takePreciseCoverage');
    await this.#inspector.post('Profiler.stopPreciseCoverage');
    return { name, files: functionsByFile(scripts) };
  }

  close(): void {
    this.#inspector.disconnect();
  }
}

/** Number of functions of the product that ran, by file. */
function functionsByFile(scripts: readonly Profiler.ScriptCoverage[]): Record<string, number> {
  const root = projectPath('/');
  const counts: Record<string, number> = {};
  for (const { url, functions } of scripts) {
    const path = url.startsWith('file:') ? fileURLToPath(url) : '';
    const name = path.startsWith(root) ? path.slice(root.length) : '';
    if (!PRODUCT.test(name)) continue;
    // Without detailed coverage an unnamed entry is the module itself, or an arrow function that was called.
    const ran = functions.filter(({ functionName, isBlockCoverage, ranges: [whole] }) => {
      return (functionName !== '' || !isBlockCoverage) && (whole?.count ?? 0) > 0;
    });
    if (ran.length > 0) counts[name] = ran.length;
  }
  return counts;
}

/** Sends requests to the routes of this process. */
class Client {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Sends a request. @returns the body of the response @throws Error if it was refused */
  async send<Params>(
    route: RouteHandler<Params>,
    { method, path, params, body }: { method: string; path: string; params: Params; body: unknown },
  ): Promise<string> {
    const headers = { host: 'localhost', 'content-type': 'application/json' };
    const request = new Request(new URL(path, 'http://localhost'), { method, headers, body: JSON.stringify(body) });
    const response = await route(request, { params: Promise.resolve(params) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was refused: ${text}`);
    return text;
  }

  /** Sends a message and waits until its turn has ended. */
  async say(sessionId: string, text: string): Promise<void> {
    const { POST } = await import('#app/api/chat/route');
    const body = { id: sessionId, message: { role: 'user', parts: [{ type: 'text', text }] } };
    await this.send(POST, { method: 'POST', path: '/api/chat', params: {}, body });
    await this.#services.chat.idle();
  }

  /** Writes a text into a page as a person does in the editor. */
  async editPage(siteId: string, ref: string, text: string): Promise<void> {
    const { PATCH } = await import('#app/api/content/[collection]/[ref]/route');
    const { content } = this.#services.at(siteId);
    const entry = await content.get(ref, 'page');
    const section = entry.draft.sections.find(({ fields }) => 'heading' in fields || 'body' in fields);
    if (!section) throw new Error(`The page ${ref} has no section with a text.`);
    const field = 'heading' in section.fields ? 'heading' : 'body';
    const operations = [{ op: 'set-section', sectionId: section.id, fields: { [field]: text } }];
    const path = `/api/content/pages/${entry.id}?x-site=${siteId}`;
    await this.send(PATCH, {
      method: 'PATCH',
      path,
      params: { collection: 'pages', ref: entry.id },
      body: { operations },
    });
  }
}

const globals = globalThis as typeof globalThis & { throughlineServices?: Promise<Services> };

/** Measures all actions in a warm process. */
async function measureWalks(): Promise<Walk[]> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-walk-'));
  const wordpress = await startWordPressStub();
  wordpress.acceptAutosaves();
  const { startServices } = await import('#server/services');
  const services = await startServices(
    parseEnv({
      DATABASE_URL: `file:${join(folder, 'walk.db')}`,
      LOG_LEVEL: 'silent',
      OFFLINE_CHUNK_DELAY_MS: '0',
      SHUTDOWN_LIMIT_MS: '0',
      CONTEXT_WINDOW: '16000',
    }),
  );
  globals.throughlineServices = Promise.resolve(services);
  const probe = new CoverageProbe();
  try {
    const client = new Client(services);
    const { id: sessionId } = await services.sessions.create({ ownerId: 'own_local' });
    // The first requests load modules and prepare statements.
    await client.say(sessionId, 'List the pages');
    await client.say(sessionId, 'Create a page called Opening about our hours');
    const message = await probe.measure('a plain message', () => client.say(sessionId, 'What have we done so far?'));
    const tool = await probe.measure('a message with one tool edit', () =>
      client.say(sessionId, 'Create a page called Pricing about our three plans'),
    );
    await client.editPage(EMBEDDED_SITE, 'pricing', 'First text');
    const page = await probe.measure('a page edited by hand', () =>
      client.editPage(EMBEDDED_SITE, 'pricing', 'Second text'),
    );
    const site = await services.sites.connect({ url: wordpress.url, ...STUB_USER });
    await untilCopied(services, site.id);
    await client.editPage(site.id, 'kilns', 'First text');
    const remote = await probe.measure('a WordPress page edited by hand', () =>
      client.editPage(site.id, 'kilns', 'Second text'),
    );
    return [message, tool, page, remote];
  } finally {
    probe.close();
    await services[Symbol.asyncDispose]();
    wordpress.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits until the first copy of a site is complete: only then can its pages be read. */
async function untilCopied({ at }: Services, siteId: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const page = await at(siteId)
      .content.find('kilns')
      .catch(() => null);
    if (page) return;
    if (Date.now() > deadline) throw new Error('The WordPress site was not copied within 30 seconds.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Number of functions in all files. */
const total = (files: Walk['files']) => Object.values(files).reduce((sum, count) => sum + count, 0);

/** Prints the counts as text. */
function print(all: readonly Walk[], withFiles: boolean): void {
  for (const { name, files } of all) {
    console.log(`${name}: ${total(files)} functions in ${Object.keys(files).length} files`);
    if (!withFiles) continue;
    for (const [file, count] of Object.entries(files).toSorted(([a], [b]) => a.localeCompare(b)))
      console.log(`  ${count} ${file}`);
  }
}

const options = withUsage(USAGE, () =>
  z.object({ files: z.boolean(), json: z.boolean(), help: z.boolean() }).parse(
    parseArgs({
      options: {
        files: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values,
  ),
);
if (options.help) console.log(USAGE);
else {
  const all = await measureWalks();
  if (options.json)
    console.log(
      JSON.stringify(
        all.map((walk) => ({ ...walk, functions: total(walk.files) })),
        null,
        2,
      ),
    );
  else print(all, options.files);
}
