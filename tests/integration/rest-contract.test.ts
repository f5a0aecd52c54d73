import { uiMessageChunkSchema } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { compactionSchema } from '#server/core/conversation/compactions';
import {
  compactionDetailSchema,
  contextSchema,
  preparedSchema,
  skippedSchema,
  viewSchema,
} from '#server/core/conversation/context-report';
import { prunedSchema } from '#server/core/conversation/events';
import { messageSchema } from '#server/core/conversation/messages';
import { sessionSchema } from '#server/core/conversation/sessions';
import { importedSchema } from '#server/core/conversation/session-export';
import { modelsSchema } from '#server/core/admin/settings-report';
import { pageOf } from '#server/core/shapes';
import { errorBody } from '#tests/support/rest-client';
import { type ScriptedServer, useScriptedServer } from '#tests/support/scripted-server';
import { findSequenceProblems } from '#tests/support/validate-model-messages';

/** Its provider finishes answers only when `mayEnd` resolves. */
const SLOW_MODEL = 'openai/gpt-4o';
let mayEnd: Promise<void>;
const server = useScriptedServer(() => ({ text: 'There is a home page.', restAfter: mayEnd }));

const call: ScriptedServer['call'] = (...request) => server.call(...request);
const createSession = (body: object = {}) =>
  call(sessionSchema, 201, 'POST', '/api/sessions', { modelId: 'throughline/offline', ...body });
const messagePage = pageOf(messageSchema);
const readMessages = async (id: string) =>
  (await call(messagePage, 200, 'GET', `/api/sessions/${id}/messages?limit=1000`)).items;
const importInto = (id: string, messages: readonly object[]) =>
  call(importedSchema, 201, 'POST', `/api/sessions/${id}/import`, { messages });

const words = (count: number, seed: number) =>
  Array.from({ length: count }, (_, index) => `word${(index * 7 + seed) % 997}`).join(' ');
const smallTalk = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `${index}: ${words(length, index)}`,
  }));
/** Questions, each answered by a tool with much to say. */
const toolWork = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => {
    const ids = { toolCallId: `call_${index}`, toolName: 'fetch_report' };
    const output = { type: 'text', value: words(length, index) };
    return [
      { role: 'user', content: `Report ${index}?` },
      { role: 'assistant', content: [{ type: 'tool-call', ...ids, input: { index } }] },
      { role: 'tool', content: [{ type: 'tool-result', ...ids, output }] },
      { role: 'assistant', content: [{ type: 'text', text: `Report ${index} is fine.` }] },
    ];
  }).flat();

describe('health and models', () => {
  it('reports health and available models', async () => {
    await call(z.strictObject({ status: z.literal('ok') }), 200, 'GET', '/api/health');
    const models = await call(modelsSchema, 200, 'GET', '/api/models');
    expect(models.items.map(({ id }) => id)).toContain(models.defaultModelId);
  });
});

describe('sessions', () => {
  it('are created, read, changed and deleted', async () => {
    const made = await createSession({ title: 'Spring', modelId: 'throughline/offline' });
    expect(made).toMatchObject({ title: 'Spring', modelId: 'throughline/offline', compactionCount: 0 });
    const path = `/api/sessions/${made.id}`;
    expect(await call(sessionSchema, 200, 'GET', path)).toEqual(made);

    const changed = await call(sessionSchema, 200, 'PATCH', path, { title: 'Summer', modelId: null });
    expect(changed).toMatchObject({ id: made.id, title: 'Summer', modelId: null });
    expect(await call(sessionSchema, 200, 'GET', path)).toEqual(changed);

    const deleted = await server.send('DELETE', path);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    for (const method of ['GET', 'DELETE']) {
      expect((await call(errorBody, 404, method, path)).error.code).toBe('not_found');
    }
    expect((await call(errorBody, 404, 'PATCH', path, { title: 'x' })).error.code).toBe('not_found');
  });

  it('need no body', async () => {
    const made = await call(sessionSchema, 201, 'POST', '/api/sessions');
    expect(made).toMatchObject({ modelId: null, instructions: null });
  });
});

describe('the context', () => {
  it('is described and shown as the next step would send it', async () => {
    const { id } = await createSession();
    await importInto(id, toolWork(2, 20));
    const context = await call(contextSchema, 200, 'GET', `/api/sessions/${id}/context`);
    expect(context).toMatchObject({
      modelId: 'throughline/offline',
      contextWindow: 128_000,
      outputReserve: 4_096,
      usableTokens: 108_800,
      isOverflow: false,
      source: 'estimated',
      messageCount: 8,
      compactions: [],
    });
    expect(context.availableTokens).toBe(context.usableTokens - context.currentTokens);
    const other = await call(contextSchema, 200, 'GET', `/api/sessions/${id}/context?modelId=gpt-4o`);
    expect(other.contextWindow).toBe(128_000);
    expect(other.modelId).toContain('gpt-4o');

    const view = await call(viewSchema, 200, 'GET', `/api/sessions/${id}/context/messages`);
    expect(findSequenceProblems(view.messages)).toEqual([]);
    expect(view.messages).toHaveLength(8);
  });

  it('is prepared for an agent elsewhere: appended, and left alone while it fits', async () => {
    const { id } = await createSession();
    await importInto(id, smallTalk(2, 5));
    const messages = [{ role: 'user', content: 'And now?' }];
    const prepared = await call(preparedSchema, 200, 'POST', `/api/sessions/${id}/prepare`, { messages });
    expect(prepared.messages).toHaveLength(3);
    expect(prepared.messages.at(-1)).toMatchObject({ role: 'user', content: [{ type: 'text', text: 'And now?' }] });
    expect(prepared).toMatchObject({ wasPruned: false, wasCompacted: false });
    expect(prepared.debug).toEqual({ prunedOutputs: 0, compactedMessages: 0, removedTools: [] });
    expect(new Set(Object.values(prepared.tokens)).size).toBe(1);
    const again = await call(preparedSchema, 200, 'POST', `/api/sessions/${id}/prepare`);
    expect(again.messages).toEqual(prepared.messages);
  });

  it('is pruned when old tool outputs fill it', async () => {
    const { id } = await createSession();
    const messages = toolWork(24, 3_000);
    const prepared = await call(preparedSchema, 200, 'POST', `/api/sessions/${id}/prepare`, { messages });
    expect(prepared).toMatchObject({ wasPruned: true, wasCompacted: false });
    expect(prepared.debug.prunedOutputs).toBeGreaterThan(0);
    expect(prepared.tokens.afterPrune).toBeLessThan(prepared.tokens.before);
    expect(prepared.tokens.final).toBe(prepared.tokens.afterPrune);
    expect(findSequenceProblems(prepared.messages)).toEqual([]);
  });

  it('is compacted when talk fills it, and the transcript stays whole', async () => {
    const { id } = await createSession();
    await importInto(id, smallTalk(60, 400));
    const body = { modelId: 'openai/gpt-4-32k', messages: [{ role: 'user', content: 'Go on.' }] };
    const prepared = await call(preparedSchema, 200, 'POST', `/api/sessions/${id}/prepare`, body);
    expect(prepared.wasCompacted).toBe(true);
    expect(prepared.debug.compactedMessages).toBeGreaterThan(0);
    expect(prepared.tokens.final).toBeLessThan(27_000);

    expect(await readMessages(id)).toHaveLength(61);
    const all = await call(messagePage, 200, 'GET', `/api/sessions/${id}/messages?limit=1000&summaries=1`);
    expect(all.items.filter(({ isSummary }) => isSummary)).toHaveLength(1);
    const context = await call(contextSchema, 200, 'GET', `/api/sessions/${id}/context?modelId=openai/gpt-4-32k`);
    expect(context.compactionCount).toBe(1);
    expect(context.compactions.map(({ status }) => status)).toEqual(['completed']);
  });
});

describe('manual compact and prune', () => {
  it('answers with the record, or says that there was nothing to do', async () => {
    const { id } = await createSession();
    const path = `/api/sessions/${id}/compact`;
    await call(skippedSchema, 200, 'POST', path);
    await importInto(id, smallTalk(40, 900));
    const record = await call(compactionSchema, 200, 'POST', path, { strategy: 'ledger', instructions: 'Keep names.' });
    expect(record).toMatchObject({
      sessionId: id,
      round: 1,
      strategy: 'ledger',
      trigger: 'manual',
      status: 'completed',
    });
    expect(record.tokensAfter).toBeLessThan(record.tokensBefore);
    expect(record.compactedMessageIds).toHaveLength(record.messagesCompacted);

    const detailPath = `/api/sessions/${id}/compactions/${record.id}`;
    const detail = await call(compactionDetailSchema, 200, 'GET', detailPath);
    expect(detail).toMatchObject({ compaction: record, cleared: [], canUndo: true });
    expect(detail.summary?.userWords[0]).toBe(`0: ${words(900, 0)}`);
    expect(detail.kept.length + record.messagesCompacted).toBe(40);
    await call(compactionSchema, 200, 'POST', `${detailPath}/undo`);
    const undone = await call(compactionDetailSchema, 200, 'GET', detailPath);
    expect(undone).toMatchObject({ compaction: { status: 'undone' }, summary: detail.summary, canUndo: false });
  });

  it('clears old tool outputs where it is worth it', async () => {
    const { id } = await createSession();
    const path = `/api/sessions/${id}/prune`;
    expect(await call(prunedSchema, 200, 'POST', path)).toEqual({
      outputsPruned: 0,
      tokensSaved: 0,
      prunedTools: [],
      compactionId: null,
    });
    await importInto(id, toolWork(24, 3_000));
    const pruned = await call(prunedSchema, 200, 'POST', path);
    expect(pruned.outputsPruned).toBeGreaterThan(0);
    expect(pruned.tokensSaved).toBeGreaterThan(20_000);
    expect(pruned.prunedTools).toEqual(['fetch_report']);

    const detailPath = `/api/sessions/${id}/compactions/${pruned.compactionId}`;
    const detail = await call(compactionDetailSchema, 200, 'GET', detailPath);
    expect(detail).toMatchObject({ summary: null, kept: [], canUndo: true });
    expect(detail.cleared).toHaveLength(pruned.outputsPruned);
    expect(detail.cleared.every(({ toolName, tokens }) => toolName === 'fetch_report' && tokens > 1_000)).toBe(true);
    await call(compactionSchema, 200, 'POST', `${detailPath}/undo`);
    expect(await call(compactionDetailSchema, 200, 'GET', detailPath)).toMatchObject({ canUndo: false });
  });
});

const REQUEST = 'List the pages and the posts';
type Chunk = { readonly type: string; readonly [field: string]: unknown };

const chatBody = (id: string, text: string, more: object = {}) => ({
  id,
  message: { id: 'from-the-client', role: 'user', parts: [{ type: 'text', text }] },
  ...more,
});
const chat = (body: object) => fetch(`${server.url}/api/chat`, { method: 'POST', body: JSON.stringify(body) });
const follow = (id: string) => fetch(`${server.url}/api/chat/${id}/stream`);

/** The events of a stream that has come to its end, each a chunk that the AI SDK knows. */
async function chunksOf(response: Response): Promise<Chunk[]> {
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const events = (await response.text()).trim().split('\n\n');
  expect(events.pop()).toBe('data: [DONE]');
  const isComment = (event: string) => event.startsWith(':');
  return events.filter((event) => !isComment(event)).map((event) => JSON.parse(event.replace(/^data: /, '')) as Chunk);
}

const lasting = (chunks: readonly Chunk[]) => chunks.filter((chunk) => chunk['transient'] !== true);

describe('chat', () => {
  it('streams the chunks of the AI SDK, from start to finish', async () => {
    const { id } = await createSession();
    const chunks = await chunksOf(await chat(chatBody(id, REQUEST)));

    const schema = uiMessageChunkSchema();
    for (const chunk of chunks) expect(await schema.validate?.(chunk)).toMatchObject({ success: true });
    const types = chunks.map(({ type }) => type);
    expect(types[0]).toBe('start');
    expect(types.at(-1)).toBe('finish');
    expect(types.filter((type) => type === 'start' || type === 'finish')).toEqual(['start', 'finish']);
    expect(types).toEqual(expect.arrayContaining(['tool-input-available', 'tool-output-available', 'text-delta']));

    const messages = await readMessages(id);
    expect(messages.map(({ role, status }) => `${role} ${status}`)).toEqual([
      'user complete',
      'assistant complete',
      'tool complete',
      'assistant complete',
    ]);
    expect(messages[1]?.id).toBe(chunks[0]?.['messageId']);
    expect(messages[0]?.id).not.toBe('from-the-client');
    expect((await call(sessionSchema, 200, 'GET', `/api/sessions/${id}`)).title).toBe(REQUEST);
  });

  it('is followed from its start by later readers, and 204 afterwards', async () => {
    const { id } = await createSession();
    const { promise, resolve: endTurn } = Promise.withResolvers<void>();
    mayEnd = promise;
    const sent = await chat(chatBody(id, REQUEST, { modelId: SLOW_MODEL }));
    const replayed = await follow(id);
    endTurn();
    const [first, second] = await Promise.all([chunksOf(sent), chunksOf(replayed)]);
    expect(lasting(second)).toEqual(lasting(first));
    expect((await follow(id)).status).toBe(204);
  });
});

it('nothing of all this was a fault of the server', () => {
  expect(server.logs()).not.toMatch(/"level":(50|60)|Error:/);
});

describe('system messages', () => {
  it('become instructions once, however often an agent sends them, and have a bound', async () => {
    const { id } = await createSession();
    const messages = [{ role: 'system', content: 'Write like a potter.' }, ...smallTalk(2, 5)];
    for (let turn = 0; turn < 2; turn += 1) {
      await call(preparedSchema, 200, 'POST', `/api/sessions/${id}/prepare`, { messages });
    }
    const { instructions } = await call(sessionSchema, 200, 'GET', `/api/sessions/${id}`);
    expect(instructions).toBe('Write like a potter.');
    const huge = { messages: [{ role: 'system', content: words(20_000, 1) }] };
    const answer = await server.send('POST', `/api/sessions/${id}/import`, huge);
    expect(answer.status).toBe(413);
  });
});
