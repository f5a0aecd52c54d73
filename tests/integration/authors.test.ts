import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonValue } from '#server/core/json';
import { approvalsSchema, editorialCallsSchema } from '#server/core/conversation/approvals';
import { type AccountsServer, type SignedIn, startAccountsServer } from '#tests/support/accounts-server';
import { type DatabaseReader, readDatabase } from '#tests/support/database-fingerprint';
import { NO_APPROVAL } from '#tests/support/decisions';
import { type FakeOpenRouter, type FakeResponse, startFakeOpenRouter } from '#tests/support/fake-openrouter';
import type { RestAnswer } from '#tests/support/rest-client';
import { said } from '#tests/support/said';

/* An author at every door: what visitors see changes only once an editor has agreed. Routes are in authorization.test.ts. */

/** Calls of tools that visitors would notice, on the demo site: one of each kind (tool-calls.test.ts has all tools). */
const NOTICED: Readonly<Record<string, JsonValue>> = {
  publish_content: { ref: 'winter-seconds-sale' },
  set_settings: { siteName: 'Taken over' },
  remember_instruction: { kind: 'rule', text: 'Never say no.' },
};

let server: AccountsServer;
let provider: FakeOpenRouter;
let database: DatabaseReader;
let author: SignedIn;
/** What the model answers with; without calls once it has read a result. */
let calls: readonly { readonly name: string; readonly input: JsonValue }[] = [];
let hold: Promise<unknown> = Promise.resolve();

beforeAll(async () => {
  let made = 0;
  provider = await startFakeOpenRouter({
    respond: async ({ messages }): Promise<FakeResponse> => {
      if (messages.at(-1)?.role !== 'user') return { text: 'Done.' };
      await hold;
      return { text: 'May I?', toolCalls: calls.map((call) => ({ ...call, id: `call_${(made += 1)}` })) };
    },
  });
  const model = { OPENROUTER_API_KEY: 'test', OPENROUTER_BASE_URL: provider.baseUrl, DEFAULT_MODEL: 'openai/gpt-4o' };
  server = await startAccountsServer({ seed: true, env: model });
  database = await readDatabase(server.databaseFile);
  ({ author } = server.people);
});
afterAll(async () => {
  database[Symbol.dispose]();
  await server.stop();
  await provider.close();
});
beforeEach(() => {
  calls = [];
  hold = Promise.resolve();
});

const post = (who: SignedIn, path: string, body: object = {}): Promise<RestAnswer> =>
  server.ask(who, { method: 'POST', path, body });
const get = (who: SignedIn, path: string) => server.ask(who, { method: 'GET', path });
const newSession = async (who: SignedIn) =>
  z.object({ id: z.string() }).parse((await post(who, '/api/sessions')).json()).id;
const waiting = async (who: SignedIn) => editorialCallsSchema.parse((await get(who, '/api/approvals')).json()).items;
const untilIdle = (who: SignedIn, id: string) =>
  expect.poll(async () => (await get(who, `/api/chat/${id}/stream`)).status).toBe(204);
const setRole = (role: 'author' | 'editor') =>
  server.ask(server.people.owner, { method: 'PATCH', path: `/api/users/${author.id}`, body: { role } });

describe('in the chat', () => {
  it.each(Object.entries(NOTICED))('%s waits for an editor, and the author cannot approve', async (name, input) => {
    const before = await database.noticed();
    calls = [{ name, input }];
    const id = await newSession(author);
    expect((await post(author, '/api/chat', { id, message: said('Go on') })).text).toContain('tool-approval-request');
    const [call, ...others] = await waiting(server.people.editor);
    expect([call, others]).toMatchObject([{ toolName: name, sessionId: id, userName: 'Arthur Author' }, []]);
    const path = `/api/sessions/${id}/approvals`;
    const yes = { decisions: [{ approvalId: call!.approvalId, approved: true }] };
    expect((await post(author, path, yes)).status).toBe(403);
    expect((await get(author, '/api/approvals')).status).toBe(403);
    // Nor does it come in by an answer that is given beforehand.
    const ahead = { message: said('Go on'), approvals: 'allow' };
    expect((await post(author, '/api/chat', { id, ...ahead })).status).toBe(403);
    expect((await post(author, '/api/message/queue', { sessionId: id, ...ahead })).status).toBe(403);
    expect(await database.noticed()).toEqual(before);

    const no = { decisions: [{ approvalId: call!.approvalId, approved: false, reason: 'Not yet.' }] };
    expect((await post(server.people.other, path, no)).status).toBe(200);
    await untilIdle(author, id);
    expect(await waiting(server.people.editor)).toEqual([]);
    expect(await database.noticed()).toEqual(before);
  });

  it('an approved call runs and is logged with its approver; calls of others are refused', async () => {
    calls = [{ name: 'unpublish_content', input: { ref: 'our-story' } }];
    const [own, others] = [await newSession(author), await newSession(server.people.other)];
    for (const [who, id] of [
      [author, own],
      [server.people.other, others],
    ] as const)
      await post(who, '/api/chat', { id, message: said('Go on') });
    const listed = await waiting(server.people.editor);
    expect(listed.map(({ sessionId }) => sessionId)).toEqual([own]);
    const agree = (id: string, approvalId: string) =>
      post(server.people.editor, `/api/sessions/${id}/approvals`, { decisions: [{ approvalId, approved: true }] });
    const [hidden] = approvalsSchema.parse(
      (await get(server.people.other, `/api/sessions/${others}/approvals`)).json(),
    ).items;
    expect((await agree(others, hidden!.approvalId)).status).toBe(404);
    expect((await server.ask(null, { method: 'GET', path: '/site/our-story' })).status).toBe(200);
    expect((await agree(own, listed[0]!.approvalId)).json()).toEqual({ pending: 0, resumed: true });
    const again = await agree(own, listed[0]!.approvalId);
    expect([again.status, again.text]).toEqual([409, expect.stringContaining('was decided already')]);
    expect((await agree(own, NO_APPROVAL)).status).toBe(404);
    await untilIdle(author, own);
    expect((await agree(own, listed[0]!.approvalId)).status).toBe(409);
    expect((await server.ask(null, { method: 'GET', path: '/site/our-story' })).status).toBe(410);
    const log = await get(server.people.owner, '/api/admin/audit?action=call-approved');
    expect(log.text).toContain('"actorName":"Edith Editor"');
    // No approval is requested for the removal of a missing entry.
    const publish = { method: 'POST', path: '/api/content/pages/our-story/publish' };
    expect((await server.ask(server.people.editor, publish)).status).toBe(200);
  });

  it('drafts are written without asking anybody', async () => {
    calls = [{ name: 'create_content', input: { type: 'page', title: 'By Arthur' } }];
    const before = await database.noticed();
    const id = await newSession(author);
    expect((await post(author, '/api/chat', { id, message: said('Go on') })).text).toContain('tool-output-available');
    expect((await get(author, '/api/content/pages/by-arthur')).status).toBe(200);
    expect(await database.noticed()).toEqual(before);
  });
});

describe('over MCP', () => {
  const key = z.object({ key: z.string() });
  const results = z.object({ result: z.looseObject({ structuredContent: z.looseObject({ status: z.string() }) }) });

  it.each(Object.entries(NOTICED))('%s waits for an editor, too', async (name, args) => {
    const before = await database.noticed();
    const made = await post(author, '/api/keys', { name: `For ${name}`, scopes: ['content:draft'], expiresAt: null });
    const asked = await server.ask(null, {
      method: 'POST',
      path: '/mcp',
      headers: {
        authorization: `Bearer ${key.parse(made.json()).key}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    });
    const { status, requestId } = results.parse(asked.json()).result.structuredContent;
    expect(status).toBe('waiting-for-approval');
    const decide = (who: SignedIn, approved: boolean) =>
      post(who, `/api/call-requests/${String(requestId)}`, { approved });
    expect((await decide(author, true)).status).toBe(403);
    expect((await decide(server.people.other, false)).status).toBe(200);
    expect(await database.noticed()).toEqual(before);
  });

  it('there is no key of an author for more than drafts', async () => {
    for (const scope of ['content:write', 'admin']) {
      const asked = await post(author, '/api/keys', { name: 'More', scopes: [scope], expiresAt: null });
      expect([scope, asked.status]).toEqual([scope, 403]);
    }
  });
});

it('an author learns who may do it, and no scope of API keys', async () => {
  const change = z.object({ change: z.object({ id: z.string() }) });
  const { editor } = server.people;
  const unpublished = await post(editor, '/api/content/pages/our-story/unpublish');
  const changeId = change.parse(unpublished.json()).change.id;
  const editors = 'Only an editor or an administrator may do this.';
  const refused = [
    [await post(author, '/api/content/pages/workshops/publish'), editors],
    [await server.ask(author, { method: 'DELETE', path: '/api/content/pages/workshops' }), editors],
    [await server.ask(author, { method: 'DELETE', path: '/api/submissions', body: { all: {} } }), editors],
    [await server.ask(author, { method: 'PATCH', path: '/api/submissions', body: { all: {}, isRead: true } }), editors],
    [await get(author, '/api/users'), 'Only an administrator may do this.'],
    [await post(author, '/api/content/undo', { changeId }), 'an editor may do this.'],
  ] as const;
  for (const [{ status, text }, words] of refused) {
    expect([status, text]).toEqual([403, expect.stringContaining(words)]);
  }
  expect((await get(author, '/api/submissions')).status).toBe(200);
  expect((await post(editor, '/api/content/undo', { changeId })).status).toBe(200);
});

it('an editor demoted during a turn loses its rights, and pending calls have an author’s', async () => {
  const released = Promise.withResolvers<undefined>();
  hold = released.promise;
  calls = [{ name: 'delete_content', input: { ref: 'workshops' } }];
  await setRole('editor');
  const id = await newSession(author);
  const send = { sessionId: id, message: said('Go on'), approvals: 'allow' };
  expect((await post(author, '/api/message/queue', send)).status).toBe(202);
  expect((await post(author, '/api/message/queue', send)).status).toBe(202);
  const before = await database.noticed();
  expect((await setRole('author')).status).toBe(200);
  released.resolve(undefined);
  await untilIdle(author, id);
  expect(await database.noticed()).toEqual(before);
  // What waited is sent by the author now.
  expect((await post(author, `/api/message/queue/send?sessionId=${id}`)).status).toBe(200);
  await expect.poll(async () => (await waiting(server.people.editor)).length).toBe(1);
  expect(await database.noticed()).toEqual(before);
  const log = await get(server.people.owner, '/api/admin/audit?action=user-changed&limit=1');
  expect(log.text).toContain('"role":"author","formerRole":"editor"');
});
