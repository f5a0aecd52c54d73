import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { createClient } from '@libsql/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConflictError } from '#server/core/errors';
import { LOCAL_OWNER } from '#server/core/admin/access-rights';
import { answerText, say } from '#tests/support/chat-client';
import { type CompletionsServer, startCompletionsServer } from '#tests/support/completions-server';
import { startLoopback } from '#tests/support/loopback-server';

/*
 * A database that an older version has made (tests/fixtures/README.md) is opened, migrated and used. The tests follow one
 * another on one copy of it.
 */

const FIXTURE = 'tests/fixtures/database-before-j.db.gz';
/** The secret it was made with, and the key it holds; neither opens anything else. */
const AUTH_SECRET = 'only-for-tests-0123456789abcdefghijklmnop';
const KEY = 'tl_8BmfN4DTG3HE4LPZsv5sl8NHl88KzSmHk3aWNKUKclk';
const PASSWORD = 'a kiln full of saltmarsh mugs';
const COMPACTED = 'ses_01m844z8jyqtxexbgkew4fyj8r';
const COALESCED = 'ses_01m844zdwv4rw2trxwjhjmdq5x';
const EARLY = 'ses_01m844zsxqe0wxfgxv9d8b65yg';
const RENAMING = 'chg_2jjpf9';

const folder = mkdtempSync(join(tmpdir(), 'throughline-before-'));
const url = `file:${join(folder, 'before.db')}`;
let server: CompletionsServer;

beforeAll(async () => {
  writeFileSync(join(folder, 'before.db'), gunzipSync(readFileSync(FIXTURE)));
  server = await startCompletionsServer({
    env: {
      DATABASE_URL: url,
      AUTH_MODE: 'accounts',
      AUTH_SECRET,
      PUBLIC_URL: 'http://127.0.0.1:3000',
      CONTEXT_BACKGROUND_SUMMARIES: 'false',
    },
    respond: () => ({ text: 'As you wish.' }),
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

describe('a database of an older version', () => {
  it('stays unchanged if the port is taken, so that its server can still use it', async () => {
    const file = join(folder, 'served.db');
    writeFileSync(file, gunzipSync(readFileSync(FIXTURE)));
    const before = readFileSync(file);
    await using other = await startLoopback((_, response) => response.end());
    const env = { ...process.env, DATABASE_URL: `file:${file}`, PORT: new URL(other.url).port };
    const start = promisify(execFile)(process.execPath, ['scripts/start.ts'], { env });
    await expect(start).rejects.toMatchObject({ stderr: expect.stringContaining('is taken') as unknown });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it.each([
    ['export', ['{folder}/site.json']],
    ['import', ['tests/fixtures/README.md', '--dry-run']],
  ])('is not migrated by the command %s, which only reads: its server may be running', async (name, given) => {
    const file = join(folder, `${name}.db`);
    writeFileSync(file, gunzipSync(readFileSync(FIXTURE)));
    const args = given.map((arg) => arg.replace('{folder}', folder));
    const env = { ...process.env, DATABASE_URL: `file:${file}` };
    await expect(promisify(execFile)(process.execPath, [`scripts/${name}.ts`, ...args], { env })).rejects.toMatchObject(
      {
        stderr: expect.stringContaining('an older version of Throughline') as unknown,
      },
    );
    const client = createClient({ url: `file:${file}` });
    const { rows } = await client.execute('select count(*) as applied from __drizzle_migrations');
    client.close();
    expect(rows).toMatchObject([{ applied: 11 }]);
  });

  it('shows its conversations as they were', async () => {
    const { services } = server;
    const transcript = await services.transcript(COMPACTED);
    expect(transcript.filter(({ role }) => role === 'user')).toHaveLength(44);
    expect(answerText(transcript.at(-1)!)).toMatch(/^Changed the title of the page "Kiln Friends"/);
    expect((await services.transcript(EARLY)).map(answerText)).toEqual([
      'Which glaze is the green one?',
      'The celadon.',
    ]);
    const early = (await services.messages.list(EARLY)).items.flatMap(({ parts }) => parts.map(({ type }) => type));
    expect(early).toEqual(['text', 'step-start', 'reasoning', 'text']);
    const { items } = await services.messages.list(COALESCED);
    expect(items.find(({ metadata }) => metadata?.coalesced)?.metadata).toMatchObject({ messageCount: 2 });
    expect(await services.compactions.list(COMPACTED)).toMatchObject([
      { status: 'completed', strategy: 'proactive-threshold', round: 2 },
      { status: 'completed', strategy: 'proactive-threshold', round: 1 },
    ]);
  });

  it('has what was spent before in its costs and budgets', async () => {
    const { services } = server;
    const { rows } = await services.costs({ from: '2020-01-01', to: '2099-12-31', by: 'kind' });
    expect(rows).toMatchObject([
      { key: 'chat', calls: 94, estimated: 0, unpriced: 0 },
      { key: 'summary', calls: 2, estimated: 0, unpriced: 0 },
    ]);
    expect(rows.map(({ cost }) => Math.round(cost * 10_000))).toEqual([6467, 124]);
  });

  it('has the sums that are stored with its conversations', async () => {
    const { services } = server;
    const { cost, messageCount } = await services.overviews.get(COMPACTED);
    const { items, nextCursor } = await services.messages.list(COMPACTED, { limit: 1_000 });
    const compactions = await services.compactions.list(COMPACTED);
    const costs = [...items, ...compactions].map(({ usage }) => usage?.cost ?? 0);
    expect({ messageCount, nextCursor }).toEqual({ messageCount: items.length, nextCursor: null });
    expect(cost).toBeCloseTo(
      costs.reduce((sum, one) => sum + one, 0),
      9,
    );
    expect(cost).toBeGreaterThan(0);
  });

  it('has its settings and standing instructions in force', async () => {
    const { services } = server;
    expect(services.settings.current()).toMatchObject({
      strategy: 'proactive-threshold',
      proactiveThreshold: 0.6,
      outputReserve: 3_000,
      noteMaxTokens: 700,
      calibrationReports: 12,
      toolPolicies: { remember_instruction: 'always' },
    });
    expect(services.settings.report().sources).toMatchObject({ strategy: 'stored', outputReserve: 'stored' });
    const { rules, glossary } = await services.builtIn.standing.report();
    expect(JSON.stringify(rules)).toContain('Never call the kiln an oven.');
    expect(JSON.stringify(glossary)).toContain('slip');
  });

  it('continues a conversation from its summary, and compacts it again', async () => {
    const { services } = server;
    const { messages } = await services.messages.loadView(COMPACTED);
    expect(answerText(await say(services, COMPACTED, 'And what is left to do?'))).toBe('As you wish.');
    const request = JSON.stringify(server.steps().at(-1)?.messages);
    expect(request).toContain('As told by the summarizer.');
    expect(request).toContain('Never call the kiln an oven.');
    expect(request).toContain('And what is left to do?');

    await services.context.compact(await services.sessions.get(COMPACTED));
    expect(await services.sessions.get(COMPACTED)).toMatchObject({ compactionCount: 3, currentlyCompacting: false });
    const [newest] = await services.compactions.list(COMPACTED);
    expect(newest).toMatchObject({ status: 'completed', round: 3, trigger: 'manual' });
    expect(newest?.compactedMessageIds.length).toBeGreaterThan(0);
    await services.context.undo(await services.sessions.get(COMPACTED), newest!.id);
    expect((await services.messages.loadView(COMPACTED)).messages.slice(0, messages.length)).toEqual(messages);
  });

  it('sends messages that were queued', async () => {
    const { services } = server;
    const { items, held } = await services.chat.queue(COALESCED);
    expect([items.map(({ parts }) => parts), held]).toMatchObject([
      [[{ content: { text: 'This one still waits' } }]],
      true,
    ]);
    await services.chat.sendQueued(items[0]!.id, { scopes: items[0]!.scopes, keyId: null });
    await services.chat.idle();
    expect(answerText((await services.transcript(COALESCED)).at(-1)!)).toBe('As you wish.');
  });

  it('sorts published entries by their last public change in the journal', async () => {
    const { content } = server.services.builtIn;
    const { items } = await content.query({ type: 'page', state: 'published', sort: 'updated', order: 'desc' });
    expect(items.map(({ slug }) => slug)).toEqual(['kiln-club', 'studio-rules-2']);
    const changes = await content.changes({ limit: 100 });
    for (const { id, updatedAt } of items) {
      const ofEntry = changes.filter(({ targetId }) => targetId === id);
      expect(updatedAt).toBe(ofEntry.findLast(({ action }) => action === 'publish')?.createdAt);
      expect(updatedAt).toBeLessThan((await content.get(id)).updatedAt);
    }
  });

  it('undoes a change of its journal, once', async () => {
    const {
      builtIn: { content },
    } = server.services;
    const before = await content.change(RENAMING);
    expect(before?.change).toMatchObject({ title: 'Kiln Friends', undoneBy: null, origin: { actor: 'assistant' } });
    await content.undo(RENAMING, { actor: 'user', userId: LOCAL_OWNER });
    expect(await content.get(before.change.targetId)).toMatchObject({ draft: { title: 'Kiln Club' } });
    expect((await content.change(RENAMING))?.change.undoneBy).not.toBeNull();
    await expect(content.undo(RENAMING, { actor: 'user', userId: LOCAL_OWNER })).rejects.toThrow(ConflictError);
  });

  it('admits its people and programs', async () => {
    const { services } = server;
    await expect(services.keys.find(KEY)).resolves.toMatchObject({ kind: 'key', userId: LOCAL_OWNER });
    const { person } = await services.accounts!.signIn('owner@kiln.example', PASSWORD);
    expect(person).toMatchObject({ id: LOCAL_OWNER, role: 'admin' });
    expect((await services.accounts!.people.list()).map(({ name, role }) => [name, role])).toEqual([
      ['Olive Owner', 'admin'],
      ['Edda Editor', 'editor'],
    ]);
  });
});
