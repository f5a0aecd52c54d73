import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createClient } from '@libsql/client';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_OWNER, scopesOfRole } from '#server/core/admin/access-rights';
import { approvalIdOf } from '#server/core/conversation/approvals';
import { openDatabase } from '#server/platform/database/database';
import { keptRounds } from '#server/platform/database/schema/sessions';
import { answerText } from '#tests/support/chat-client';
import { type CompletionsServer, startCompletionsServer } from '#tests/support/completions-server';
import { startWordPressStub, type WordPressStub } from '#tests/support/wordpress-stub';

/*
 * The database that version 0.2.0 left in the middle of its work (tests/fixtures/README.md) is opened with the
 * current code, migrated, and used. The tests share one copy of it and run in order.
 */

const FIXTURE = 'tests/fixtures/database-before-q.db.gz';
/** The fixture's secret and key; they give access to nothing else. */
const AUTH_SECRET = 'only-for-tests-0123456789abcdefghijklmnop';
const KEY = 'tl_9MA6Id9qd3hi1W0keDc70qgi9o7NQNZsO2bEKNa19k8';
const WAITING = 'ses_01m8hrskqdrapcbksrekdtq44d';
const RUNNING = 'ses_01m8hrsktpyz49vap2xfwg0y12';
const SITE = 'wps_01m8hrsk914zvttffkfb3m7m02';
const ORIGIN = { actor: 'user', userId: LOCAL_OWNER } as const;

const folder = mkdtempSync(join(tmpdir(), 'throughline-upgrade-'));
const url = `file:${join(folder, 'before.db')}`;
let wordpress: WordPressStub;
let server: CompletionsServer;

beforeAll(async () => {
  writeFileSync(join(folder, 'before.db'), gunzipSync(readFileSync(FIXTURE)));
  wordpress = await startWordPressStub();
  const client = createClient({ url });
  await client.execute({ sql: 'UPDATE wordpress_sites SET url = ?', args: [wordpress.url] });
  client.close();
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
  wordpress.close();
  rmSync(folder, { recursive: true, force: true });
});

const texts = async (sessionId: string) => (await server.services.transcript(sessionId)).map(answerText);

describe('a database of version 0.2.0', () => {
  it('keeps the text of a running turn, marks it interrupted, and answers its queue', async () => {
    const { chat, messages } = server.services;
    await expect.poll(async () => (await messages.list(RUNNING)).items[1]?.status).toBe('interrupted');
    const { items } = await chat.queue(RUNNING);
    const owner = { scopes: scopesOfRole.admin, keyId: null };
    for (const { id } of items) await chat.sendQueued(id, owner).catch(() => undefined);
    await expect.poll(async () => (await chat.queue(RUNNING)).items).toEqual([]);
    await chat.idle();
    const said = await texts(RUNNING);
    expect(said.slice(0, 2)).toEqual(['Write about the wheel.', 'The wheel turns slowly.']);
    expect(said.join('\n')).toContain('This waits first.');
    expect(said.join('\n')).toContain('This waits second.');
    expect(said.at(-1)).toBe('As you wish.');
  });

  it('shows the call that waits for a decision again, and carries it out when it is approved', async () => {
    const { chat, builtIn } = server.services;
    // The effect that 0.2.0 stored was shortened: it is determined again, and only that one can be approved.
    await expect
      .poll(async () => (await chat.pendingApprovals(WAITING)).map(({ effect }) => effect?.digest))
      .toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    const waiting = await chat.pendingApprovals(WAITING);
    expect(waiting).toMatchObject([{ toolName: 'delete_content', effect: { targets: [{ title: 'Old page' }] } }]);
    const old = [{ approvalId: approvalIdOf(waiting[0]!.partId, null), approved: true }];
    await expect(chat.decide(WAITING, old, scopesOfRole.admin)).rejects.toThrow('has changed since it was shown');
    const decisions = waiting.map(({ approvalId }) => ({ approvalId, approved: true }));
    await chat.decide(WAITING, decisions, scopesOfRole.admin);
    await chat.idle();
    expect((await builtIn.content.query({ type: 'page' })).items).toEqual([]);
    expect((await texts(WAITING)).at(-1)).toContain('As you wish.');
  });

  it('uses the summary of a conversation that a client of /v1 keeps', async () => {
    await using database = await openDatabase({ url });
    const kept = await database.read.select().from(keptRounds);
    expect(kept.map(({ ownerId }) => ownerId)).toEqual([LOCAL_OWNER]);
    const history = Array.from({ length: 45 }, (_, turn) => [
      { role: 'user' as const, content: `Talk ${turn}: ${'clay '.repeat(60)}` },
      { role: 'assistant' as const, content: `Talked.${' glaze'.repeat(350)}` },
    ]).flat();
    const openai = new OpenAI({ apiKey: KEY, baseURL: server.baseUrl, maxRetries: 0 });
    const messages = [...history, { role: 'user' as const, content: 'Go on.' }];
    const answer = await openai.chat.completions.create({ model: 'openai/gpt-4o', messages });
    expect(answer.choices[0]?.message.content).toBe('As you wish.');
    expect(JSON.stringify(server.steps().at(-1)!.messages)).toContain('As told by the summarizer.');
    expect(server.summaries()).toEqual([]);
  });

  it('reads the mirror of a WordPress site with the draft of a page, and changes it', async () => {
    const { content } = server.services.at(SITE);
    const pages = await content.query({ type: 'page' });
    expect(pages.items.map(({ title }) => title)).toEqual(['Kilns, changed here']);
    const { id } = pages.items[0]!;
    await content.patch(id, [{ op: 'set', field: 'title', value: 'Kilns, changed again' }], ORIGIN);
    expect((await content.get(id)).draft.title).toBe('Kilns, changed again');
    expect(JSON.stringify((await content.get(id)).draft)).toContain('shop/cart');
  });
});
