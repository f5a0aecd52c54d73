import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import packageJson from '#package.json' with { type: 'json' };
import { isBuilt } from '#scripts/lib/source-hash';
import { parseCurl, readPage, shellCommands } from '#tests/support/page-commands';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';

const readme = readPage('README.md');

/** Commands of the README that this test does not run, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'npm test': 'It runs this test.',
};

/** The text under a second-level heading. */
function section(heading: string): string {
  const [, text = ''] = readme.split(`\n## ${heading}\n`);
  return text.split('\n## ')[0] ?? '';
}

/** The items of the lists in a text, each on one line. */
function listItems(text: string): string[] {
  const items = text.match(/^- .*(?:\n {2}.*)*/gm) ?? [];
  return items.map((item) => item.slice(2).replaceAll(/\s+/g, ' '));
}

/** Tests that a text in `docs` links to. */
function linkedTests(text: string): string[] {
  return [...text.matchAll(/\]\((?:\.\.\/)+([^)]+\.(?:test|spec)\.tsx?)\)/g)].map(([, path = '']) => path);
}

describe('README.md', () => {
  it('leads to guarantees, and each of them to one test that exists', () => {
    expect(readme).toContain('(docs/internals/promises.md)');
    const promises = listItems(readPage('docs/internals/promises.md'));
    expect(promises.length).toBeGreaterThan(50);
    for (const promise of promises) {
      const tests = linkedTests(promise);
      expect(tests, promise).toHaveLength(1);
      expect(tests.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)))).toEqual([]);
    }
  });

  it('has no command that is neither run here nor said not to be', () => {
    const commands = shellCommands(readme).filter((command) => !command.startsWith('curl '));
    expect(commands).toEqual(['npm run quickstart', ...Object.keys(NOT_RUN)]);
  });
});

describe('after npm run quickstart', () => {
  let server: ProductionServer;
  beforeAll(async () => {
    // It would build, and replace the build of tests that run concurrently.
    if (!(await isBuilt()))
      throw new Error('The build is not of the present sources. Run "npm run build", then this test.');
    server = await startProductionServer({ command: 'npm run quickstart', env: { OFFLINE_CHUNK_DELAY_MS: '0' } });
  });
  afterAll(() => server?.stop());

  it.runIf(process.platform === 'linux')('the server has the bounds of memory that npm start gives it', () => {
    const bound = packageJson.scripts.start.split(' ').find((word) => word.startsWith('--'));
    // npm has one child, which the server has taken the place of.
    const child = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim();
    expect(readFileSync(`/proc/${child}/cmdline`, 'utf8').split('\0')).toContain(bound);
  });

  it('the site and the chat respond', async () => {
    for (const path of ['/', '/site']) expect((await fetch(server.url + path)).status, path).toBe(200);
  });

  it('the assistant performs the requests that README.md gives to newcomers, in order', async () => {
    const requests = [...section('Talk to it').matchAll(/^- (.+)$/gm)].map(([, request = '']) => request);
    expect(requests.length).toBeGreaterThan(5);
    const created = await fetch(`${server.url}/api/sessions`, { method: 'POST', body: '{}' });
    const { id } = z.object({ id: z.string() }).parse(await created.json());
    for (const text of requests) {
      const message = { role: 'user', parts: [{ type: 'text', text }] };
      const body = JSON.stringify({ id, message, approvals: 'allow' });
      const answer = await (await fetch(`${server.url}/api/chat`, { method: 'POST', body })).text();
      expect(answer, text).toContain('"type":"finish"');
      expect(answer, text).not.toContain('"type":"tool-output-error"');
    }
    const said = await (await fetch(`${server.url}/api/sessions/${id}/export?format=markdown`)).text();
    expect(said).toContain(requests.at(-1));
    // How the basic assistant begins where it has not understood.
    expect(said).not.toContain('I cannot do this');
  });

  it('the script of docs/reference/client.md runs as printed', async () => {
    const [, script = ''] = /^```ts\n([\s\S]+?)^```$/m.exec(readPage('docs/reference/client.md')) ?? [];
    expect(script).toContain('http://127.0.0.1:3000');
    const file = new URL(`../../.cache/printed-${process.pid}.ts`, import.meta.url);
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(file, script.replace('http://127.0.0.1:3000', server.url));
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(file)], { timeout: 60_000 });
      expect(stdout).toMatch(/pages?/i);
    } finally {
      rmSync(file);
    }
  });

  it.each(['README.md', 'docs/reference/api.md'])('the commands of %s work, in their order', async (page) => {
    const commands = shellCommands(readPage(page)).filter((command) => command.startsWith('curl '));
    expect(commands.length).toBeGreaterThanOrEqual(3);
    const variables: Record<string, string> = {};
    for (const command of commands) {
      const { method, url, body, isEndless } = parseCurl(command, variables);
      const address = url.replace('http://localhost:3000', server.url);
      const response = await fetch(address, { method, ...(body === null ? {} : { body }) });
      if (isEndless) await response.body?.cancel();
      const answer = isEndless ? '' : await response.text();
      expect(response.ok, `${command}\n${response.status} ${answer}`).toBe(true);
      if (url.endsWith('/api/sessions'))
        variables['SESSION'] = z.object({ id: z.string() }).parse(JSON.parse(answer)).id;
    }
  });
});
