import { createClient } from '@libsql/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readEventFrames } from '#components/api/event-stream.ts';
import {
  contextHistorySchema,
  contextSchema,
  nextRequestSchema,
  viewSchema,
} from '#server/core/conversation/context-report';
import { sessionChangeSchema, sessionOverviewSchema } from '#server/core/conversation/session-overview';
import { pageOf } from '#server/core/shapes';
import type { Services } from '#server/services';
import { say } from '#tests/support/chat-client';
import { editingRequests } from '#tests/support/editing-requests';
import { startTestServices } from '#tests/support/test-services';
import { answerOf, callRoute, type RouteCall, serve, stopServing } from '#tests/support/routes';

let services: Services;

beforeAll(async () => {
  services = await serve(startTestServices({ CONTEXT_WINDOW: '16000' }));
});
afterAll(stopServing);

/** A route, by its folder under app/api. */
const get = <T>(schema: z.ZodType<T>, file: string, params: object = {}, options: RouteCall = {}) =>
  answerOf(schema, 200, 'GET', `/api/${file}`, { params, ...options });

const history = (id: string) => get(contextHistorySchema, 'sessions/[id]/context/history', { id });
const overview = (id: string) => get(sessionOverviewSchema, 'admin/sessions/[id]', { id });
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const newSession = (title?: string) => services.sessions.create({ ownerId: 'own_local', ...(title && { title }) });

/** A conversation that has been compacted once at least. */
async function talkUntilCompacted(id: string) {
  for (const { text } of editingRequests(60, 3)) {
    await say(services, id, text);
    if ((await services.sessions.get(id)).compactionCount > 0) return;
  }
  throw new Error('Nothing was compacted.');
}

describe('the history of a context', () => {
  it('has a sample after every step, with its turn, and drops where something was compacted', async () => {
    const { id } = await newSession();
    expect(await history(id)).toEqual({ samples: [], compactions: [] });
    await talkUntilCompacted(id);
    await services.events.flush();
    const { samples, compactions } = await history(id);
    const { items } = await services.messages.list(id, { limit: 1_000 });
    const turns = new Set(items.flatMap(({ turnId }) => turnId ?? []));
    expect(new Set(samples.map(({ turnId }) => turnId))).toEqual(turns);
    const steps = items.filter(({ role }) => role === 'assistant').length;
    expect(samples.length).toBeGreaterThanOrEqual(steps);

    const compacted = compactions.find(({ strategy }) => strategy !== 'prune');
    expect(compacted?.status).toBe('completed');
    const at = samples.findIndex(({ createdAt }) => createdAt >= (compacted?.createdAt ?? 0));
    const [before, after] = [samples[at - 1], samples[at]];
    // Reported before the step was made, independent of what the step added.
    expect(after).toMatchObject({ currentTokens: compacted?.tokensAfter, source: 'estimated' });
    expect(after?.breakdown.summary).toBeGreaterThan(0);
    expect(after?.currentTokens).toBeLessThan(before?.currentTokens ?? 0);
    expect(samples.map((sample) => sample.id)).toEqual(samples.map((sample) => sample.id).toSorted((a, b) => a - b));
    expect(compactions.map(({ createdAt }) => createdAt)).toEqual(
      compactions.map(({ createdAt }) => createdAt).toSorted((a, b) => a - b),
    );
  });

  it('has a sample after each manual action: compact, undo, prune and prepare', async () => {
    const session = await newSession();
    const { id } = session;
    const words = Array.from({ length: 300 }, (_, index) => `word${index}`).join(' ');
    const talk = Array.from({ length: 10 }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: `${index}: ${words}`,
    }));
    await services.context.import(session, talk);
    const taken: number[] = [];
    const sampled = async (work: () => Promise<unknown>) => {
      await work();
      await services.events.flush();
      const { samples } = await history(id);
      const { currentTokens } = await get(contextSchema, 'sessions/[id]/context', { id });
      expect(samples).toHaveLength(taken.length + 1);
      expect(samples.at(-1)).toMatchObject({ turnId: null, currentTokens });
      taken.push(currentTokens);
    };
    await sampled(() => services.context.prepare(session));
    await sampled(() => services.context.compact(session, { strategy: 'ledger' }));
    const [record] = await services.compactions.list(id);
    await sampled(() => services.context.undo(session, record?.id ?? ''));
    await sampled(() => services.context.compact(session, { strategy: 'middle-removal' }));
    const [whole, compacted, undone] = taken;
    expect(compacted).toBeLessThan(whole ?? 0);
    expect(undone).toBe(whole);
    // A prune that found nothing says nothing new.
    await services.context.prune(session);
    await services.events.flush();
    expect((await history(id)).samples).toHaveLength(taken.length);
  });
});

describe('the next request', () => {
  it('equals the next request, message by message, and adds up to its count', async () => {
    const { id } = await newSession();
    await talkUntilCompacted(id);
    for (const modelId of [undefined, 'openai/gpt-4o', 'anthropic/claude-sonnet-4.5']) {
      const query = modelId === undefined ? '' : `?modelId=${modelId}`;
      const [next, context, view] = await Promise.all([
        get(nextRequestSchema, 'sessions/[id]/context/request', { id }, { query }),
        get(contextSchema, 'sessions/[id]/context', { id }, { query }),
        get(viewSchema, 'sessions/[id]/context/messages', { id }, { query }),
      ]);
      expect(next.modelId).toBe(context.modelId);
      const parts = next.messages.flatMap((message) => message.parts);
      const { instructions, tools } = next;
      expect(sum(parts.map(({ tokens }) => tokens)) + instructions.tokens + tools.tokens).toBe(next.tokens);
      expect(next.tokens).toBe(sum(Object.values(context.breakdown)));
      // The session's own model has reported; nothing is known of the others.
      expect(context.source).toBe(modelId === undefined ? 'reported' : 'estimated');
      if (context.source === 'estimated') expect(next.tokens).toBe(context.currentTokens);
      expect(next.messages.map(({ role, parts: shown }) => [role, shown.map(({ type }) => type)])).toEqual(
        view.messages.map(({ role, content }) => [role, content.map(({ type }) => type)]),
      );
      expect(next.messages.map(({ isSummary }) => isSummary).indexOf(true)).toBe(0);
      expect(tools.names).toContain('create_content');
      expect(instructions.text.length).toBeGreaterThan(500);
    }
  });

  it('leaves out disabled tools, and does not know models that are not served', async () => {
    const { id } = await newSession();
    await services.settings.update({ toolPolicies: { delete_content: 'off' } });
    const { tools, messages } = await get(nextRequestSchema, 'sessions/[id]/context/request', { id });
    expect(tools.names).not.toContain('delete_content');
    expect(messages).toEqual([]);
    await services.settings.update({ toolPolicies: null });
    const query = '?modelId=nobody/nothing';
    expect((await callRoute('GET', '/api/sessions/[id]/context/request', { params: { id }, query })).status).toBe(400);
  });
});

it('the next request has the words of attached files', async () => {
  const { id } = await newSession();
  const { id: blobId } = await services.attachments.keep(id, 'notes.txt', Buffer.from('All that is noted.'));
  await services.messages.append(id, { role: 'user', parts: await services.attachments.partsOf(id, [blobId]) });
  const { messages, tokens } = await get(nextRequestSchema, 'sessions/[id]/context/request', { id });
  expect(messages[0]?.parts).toMatchObject([{ type: 'text', text: expect.stringContaining('All that is noted.') }]);
  expect(tokens).toBe((await get(contextSchema, 'sessions/[id]/context', { id })).currentTokens);
});

describe('the table of sessions', () => {
  it('lists each with its state, the last used first', async () => {
    const [first, second] = [await newSession('Table one'), await newSession('Table two')];
    await say(services, first.id, 'List the pages');
    await services.events.flush();
    const list = await get(pageOf(sessionOverviewSchema), 'admin/sessions', {}, { query: '?q=table&limit=1' });
    expect(list.items).toEqual([await overview(first.id)]);
    const rest = `?q=table&cursor=${list.nextCursor}`;
    expect(await get(pageOf(sessionOverviewSchema), 'admin/sessions', {}, { query: rest })).toEqual({
      items: [await overview(second.id)],
      nextCursor: null,
    });
    const { usage } = await services.context.inspect(await services.sessions.get(first.id));
    const { currentTokens, usableTokens, percentUsed } = usage;
    expect(await overview(first.id)).toMatchObject({
      state: 'idle',
      messageCount: 4,
      queued: 0,
      context: { currentTokens, usableTokens, percentUsed },
    });
    const idle = await get(pageOf(sessionOverviewSchema), 'admin/sessions', {}, { query: '?q=table&state=failed' });
    expect(idle.items).toEqual([]);
    expect((await callRoute('GET', '/api/admin/sessions', { params: {}, query: '?state=busy' })).status).toBe(400);
    expect((await callRoute('GET', '/api/admin/sessions', { params: {}, query: '?site=other' })).status).toBe(400);
    expect(
      (await callRoute('GET', '/api/admin/sessions/[id]', { params: { id: first.id.replace(/.$/, '_') } })).status,
    ).toBe(400);
  });
});

describe('the changes of all sessions', () => {
  /** What a stream sends, read on demand. */
  async function listen(lastEventId?: number) {
    const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) };
    const response = await callRoute('GET', '/api/admin/events', { params: {}, headers });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const frames = readEventFrames(response.body!);
    // Says where it starts.
    const start = Number((await frames.next()).value?.id);
    const next = async () => {
      const { value } = await frames.next();
      if (!value) return null;
      expect(value.event).toBe('session:changed');
      return { id: Number(value.id), ...sessionChangeSchema.parse(JSON.parse(value.data ?? '')) };
    };
    return { start, next, end: () => frames.return() };
  }

  it("are streamed live, and resume from the client's position", async () => {
    const [one, other] = [await newSession(), await newSession()];
    const { start, next, end } = await listen();
    await say(services, one.id, 'List the pages');
    await say(services, other.id, 'List the posts');
    await services.events.flush();
    const heard: Awaited<ReturnType<typeof next>>[] = [];
    for (;;) {
      const change = await next();
      heard.push(change);
      if (change?.sessionId === other.id && change.name === 'turn:end') break;
    }
    await end();
    const names = (id: string) => new Set(heard.filter((change) => change?.sessionId === id).map((c) => c?.name));
    expect(names(one.id)).toEqual(names(other.id));
    expect(names(one.id)).toEqual(new Set(['turn:start', 'context:usage', 'turn:end']));
    expect(heard.every((change) => (change?.id ?? 0) > start)).toBe(true);

    const again = await listen(start);
    const missed: typeof heard = [];
    do missed.push(await again.next());
    while (missed.at(-1)?.id !== heard.at(-1)?.id);
    await again.end();
    expect(new Set(missed.map((change) => `${change?.sessionId} ${change?.name}`))).toEqual(
      new Set(heard.map((change) => `${change?.sessionId} ${change?.name}`)),
    );
  });
});

describe('tags that differ in an older version', () => {
  it('are listed in the audit log at the first start, once, and stay unchanged', async () => {
    const { startServices } = await import('#server/services');
    const { content } = services.builtIn;
    for (const [title, tag] of [
      ['One', 'Übungen'],
      ['Two', 'übungen'],
      ['Three', 'other'],
    ] as const)
      await content.create({ type: 'post', title, tags: [tag] }, { actor: 'user' });
    const file = createClient({ url: services.env.DATABASE_URL });
    await file.execute('update entries set folded = null');
    file.close();
    const listed = async () => (await services.audit.list({ action: 'equal-names-found' })).items;
    for (let start = 1; start <= 2; start += 1) await (await startServices(services.env))[Symbol.asyncDispose]();
    expect(await listed()).toMatchObject([{ actorName: 'Throughline', target: 'Übungen = übungen' }]);
    const tags = (await content.query({ type: 'post', tag: 'ÜBUNGEN', select: ['tags'] })).items;
    expect(tags.flatMap(({ selected }) => selected?.tags ?? []).toSorted()).toEqual(['Übungen', 'übungen'].toSorted());
  });
});
