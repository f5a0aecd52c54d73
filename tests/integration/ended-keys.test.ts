import { createClient } from '@libsql/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { importRunSchema } from '#server/core/site/imports';
import { LOCAL_OWNER, type Scope } from '#server/core/admin/access-rights';
import { localOwner } from '#server/platform/auth/authenticator';
import { defineTool } from '#server/tools/tool';
import { said } from '#tests/support/said';
import { talkBefore } from '#tests/support/openrouter-chat';
import { type ScriptedChat, startScriptedChat } from '#tests/support/scripted-chat';
import { hangingStep, says, scriptedModel, type ScriptedStep, textBlock } from '#tests/support/scripted-model';
import { startTestServices } from '#tests/support/test-services';
import { callRoute, serve } from '#tests/support/routes';

let chat: ScriptedChat;
let hanging: ReturnType<typeof hangingStep>;
const start = async (...steps: ScriptedStep[]) => {
  hanging = hangingStep(...textBlock('t', 'Half of it').slice(0, 2));
  chat = await startScriptedChat([hanging.step, ...steps]);
  await serve(Promise.resolve(chat.services));
};
afterEach(() => chat[Symbol.asyncDispose]());

const newKey = async (expiresAt: number | null = null, scopes: readonly Scope[] = ['chat']) => {
  const { key, stored } = await chat.services.keys.create(localOwner, { name: 'Robot', scopes, expiresAt });
  return { key, id: stored.id };
};
/** With a key, or as the person at this machine. */
function send(method: string, path: string, body?: unknown, key?: string, more = {}): Promise<Response> {
  return callRoute(method, path, {
    body,
    headers: { ...more, ...(key !== undefined && { authorization: `Bearer ${key}` }) },
  });
}
const queue = (text: string, key?: string) =>
  send('POST', '/api/message/queue', { sessionId: chat.session.id, message: said(text) }, key);
const waiting = async () =>
  (await chat.services.chat.queue(chat.session.id)).items.map(({ parts: [part], heldReason }) => [
    part?.type === 'text' ? part.content.text : null,
    heldReason,
  ]);
const userTexts = async () =>
  (await chat.messages()).flatMap(({ role, parts }) =>
    role === 'user' ? parts.flatMap((part) => (part.type === 'text' ? [part.content.text] : [])) : [],
  );
const ended = async () => (await chat.services.audit.list({ action: 'key-work-ended' })).items;

describe('the work of an API key that is revoked', () => {
  beforeEach(() => start(says('To the person.'), says('Sent after all.')));

  it('stops: the turn is cancelled with its text, the queue is held, and nothing is lost', async () => {
    const { key, id } = await newKey();
    await queue('Begin', key);
    await hanging.said;
    await queue('Then this', key);
    await queue('From a person');
    const revoked = await send('DELETE', `/api/keys/${id}`);
    expect(revoked.status).toBe(204);
    await chat.services.chat.idle();

    const answers = (await chat.messages()).filter(({ role }) => role === 'assistant');
    expect(answers[0]).toMatchObject({ status: 'interrupted', finishReason: 'cancelled' });
    expect(JSON.stringify(answers[0]?.parts)).toContain('Half of it');
    // Messages of other senders continue, and do not include held ones.
    expect(await userTexts()).toEqual(['Begin', 'From a person']);
    expect(await waiting()).toEqual([['Then this', 'key-revoked']]);
    const shown = await send('GET', `/api/message/queue?sessionId=${chat.session.id}`);
    expect(await shown.json()).toMatchObject({
      items: [{ text: 'Then this', heldReason: 'key-revoked' }],
      held: false,
    });
    const log = await ended();
    expect(log.map(({ target, details }) => ({ target, ...details }))).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ target: 'Robot', keyId: id, reason: 'key-revoked', turnId: expect.any(String) }),
        expect.objectContaining({ target: 'Robot', keyId: id, reason: 'key-revoked', held: 1 }),
      ]),
    );

    // Nothing but a person's word sends it: neither another message nor the next look for what was forgotten.
    const [item] = (await chat.services.chat.queue(chat.session.id)).items;
    expect((await send('POST', `/api/message/queue/${item!.id}/send`)).status).toBe(200);
    await chat.services.chat.idle();
    expect(await userTexts()).toEqual(['Begin', 'From a person', 'Then this']);
    expect(await waiting()).toEqual([]);
    expect(await chat.services.turns.running(chat.session.id)).toBeNull();
  });

  it('ends its streams with it, before the periodic check', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    try {
      const [{ key, id }, other] = [await newKey(), await newKey()];
      const path = `/api/sessions/${chat.session.id}/events`;
      const [heard, kept] = await Promise.all([key, other.key].map((each) => send('GET', path, undefined, each)));
      const all = heard!.text();
      const going = kept!.body!.getReader();
      await going.read();
      expect((await send('DELETE', `/api/keys/${id}`)).status).toBe(204);
      expect(await all).toMatch(/^retry: \d+\nid: \d+\n\n$/);
      await queue('From a person');
      await hanging.said;
      expect(new TextDecoder().decode((await going.read()).value)).toContain('event: ');
      await going.cancel();
    } finally {
      vi.useRealTimers();
    }
  });

  it('stops on every other instance, also without a signal', async () => {
    const { key, id } = await newKey();
    await send('POST', '/api/chat', { id: chat.session.id, message: said('Begin') }, key);
    await hanging.said;
    await chat.services.keys.revoke(id, null);
    await vi.waitFor(async () => expect(await ended()).toHaveLength(1));
    await chat.services.chat.idle();
    expect((await chat.messages()).at(-1)).toMatchObject({ finishReason: 'cancelled' });
  });

  it('belongs to others who sent it: their work continues', async () => {
    const [{ id }, { key }] = [await newKey(), await newKey()];
    await queue('Begin', key);
    await hanging.said;
    await queue('Then this', key);
    await send('DELETE', `/api/keys/${id}`);
    expect(await waiting()).toEqual([['Then this', null]]);
    expect((await chat.services.turns.running(chat.session.id))?.cancelRequestedAt).toBeNull();
    expect(await ended()).toEqual([]);
  });
});

describe('the work of an API key that expires', () => {
  beforeEach(() => start(says('Never asked for.')));

  it('stops while it runs, and what waits is held', async () => {
    const { id, key } = await newKey(Date.now() + 3_600_000);
    await queue('Begin', key);
    await hanging.said;
    await queue('Then this', key);
    const client = createClient({ url: chat.services.env.DATABASE_URL });
    await client.execute({ sql: 'update api_keys set expires_at = ? where id = ?', args: [Date.now() - 1, id] });
    client.close();
    await vi.waitFor(async () => expect(await waiting()).toEqual([['Then this', 'key-expired']]));
    await chat.services.chat.idle();
    expect(await chat.services.turns.running(chat.session.id)).toBeNull();
    expect((await chat.messages()).at(-1)).toMatchObject({ finishReason: 'cancelled' });
    expect(await userTexts()).toEqual(['Begin']);
  });
});

describe('a completion that is under way', () => {
  beforeEach(() => start());
  const body = (stream: boolean) => ({
    model: 'test/scripted',
    stream,
    messages: [{ role: 'user', content: 'Begin' }],
  });

  it("ends with its key: as a whole answer with 401, and the provider's call is closed", async () => {
    const { key, id } = await newKey();
    const answer = send('POST', '/v1/chat/completions', body(false), key);
    await hanging.said;
    await send('DELETE', `/api/keys/${id}`);
    const { status } = await answer;
    expect(status).toBe(401);
    expect(await (await answer).json()).toMatchObject({ error: { code: 'invalid_api_key' } });
    expect(chat.requests[0]?.abortSignal?.aborted).toBe(true);
  });

  it('ends with its key: as a stream that says why', async () => {
    const { key, id } = await newKey();
    const answer = await send('POST', '/v1/chat/completions', body(true), key);
    const text = answer.text();
    await hanging.said;
    await send('DELETE', `/api/keys/${id}`);
    expect(await text).toMatch(/Half of it[^]*"code":"invalid_api_key"/);
    expect(chat.requests[0]?.abortSignal?.aborted).toBe(true);
  });
});

describe('requests started by a key', () => {
  it.each(['compact', 'prepare'])(
    "ends with its key: %s, and the provider's call is closed",
    async (task) => {
      const asked = Promise.withResolvers<AbortSignal | undefined>();
      const model: ReturnType<typeof scriptedModel>['model'] = {
        ...scriptedModel().model,
        doGenerate({ abortSignal }) {
          asked.resolve(abortSignal);
          return new Promise((_, reject) =>
            abortSignal?.addEventListener('abort', () => reject(abortSignal.reason as Error)),
          );
        },
      };
      const window = { CONTEXT_WINDOW: '16000', CONTEXT_BACKGROUND_SUMMARIES: 'false' };
      const services = await startTestServices(window, { models: { 'test/scripted': model } });
      const session = await services.sessions.create({ ownerId: LOCAL_OWNER, modelId: 'test/scripted' });
      chat = Object.assign(Object.create(services) as ScriptedChat, { services, session });
      chat[Symbol.asyncDispose] = () => services[Symbol.asyncDispose]();
      await serve(Promise.resolve(services));
      await talkBefore(chat, 14_000);
      const { key, id } = await newKey();
      const answer = send('POST', `/api/sessions/${session.id}/${task}`, {}, key);
      const signal = await asked.promise;
      await services.keys.revoke(id, null);
      const response = await answer;
      expect([response.status, await response.json()]).toMatchObject([401, { error: { code: 'unauthenticated' } }]);
      expect(signal?.aborted).toBe(true);
    },
    20_000,
  );

  it('ends with its key: an import, and what was taken stays', async () => {
    await start();
    const { key, id } = await newKey(null, ['content:write']);
    const item = (at: number) =>
      `<item><title>Page ${at}</title><wp:post_id>${at}</wp:post_id><wp:post_type>page</wp:post_type><wp:status>publish</wp:status><wp:post_name>page-${at}</wp:post_name><content:encoded><![CDATA[<p>Clay</p>]]></content:encoded></item>`;
    const items = Array.from({ length: 400 }, (_, index) => item(index + 1)).join('');
    const file = `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>Old</title><link>https://old.example</link><wp:wxr_version>1.2</wp:wxr_version>${items}</channel></rss>`;
    const begun = await send('POST', '/api/content/imports?filename=old.xml', file, key);
    const run = importRunSchema.parse(await begun.json());
    await send('DELETE', `/api/keys/${id}`);
    const last = await chat.services.imports.finished(run.id);
    expect(last).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(
        /API key was revoked or has expired.*The import stopped after \d+ of \d+ items\./,
      ) as string,
    });
    expect(last.done).toBeLessThan(400);
    expect((await chat.services.builtIn.content.query({ type: 'page' })).total).toBe(last.report.counts.page.created);
  });
});

it('a call over MCP that is under way ends with its key', async () => {
  const [began, aborted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = defineTool({
    name: 'look_long',
    description: 'Looks for a long time.',
    input: z.strictObject({}),
    execute: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => (aborted.resolve(), reject(signal.reason as Error)));
        began.resolve();
      }),
  });
  hanging = hangingStep();
  chat = await startScriptedChat([], {}, { tools: [slow] });
  await serve(Promise.resolve(chat.services));
  const { key, id } = await newKey(null, ['content:read']);
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'look_long', arguments: {} } };
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  const answer = send('POST', '/mcp', message, key, headers);
  await began.promise;
  await send('DELETE', `/api/keys/${id}`);
  expect((await answer).status).toBe(401);
  await aborted.promise;
});
