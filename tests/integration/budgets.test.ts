import { describe, expect, it } from 'vitest';
import { BudgetReachedError } from '#server/core/errors';
import { messageSchema } from '#server/core/conversation/messages';
import { sessionSchema } from '#server/core/conversation/sessions';
import { scopesOfRole } from '#server/core/admin/access-rights';
import { pageOf } from '#server/core/shapes';
import { budgetsSchema, costsSchema, type Spent } from '#server/core/admin/spending';
import type { Services } from '#server/services';
import { answerText, say } from '#tests/support/chat-client';
import { startCompletionsServer } from '#tests/support/completions-server';
import { startFakeOpenRouter } from '#tests/support/fake-openrouter';
import { startOpenRouterChat, summaryText, talkBefore } from '#tests/support/openrouter-chat';
import { foldTurn } from '#tests/support/scripted-chat';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';
import { sendRequest } from '#tests/support/rest-client';
import { isSummaryRequest } from '#tests/support/summary-requests';

/** Part of the English text of every refusal because of a budget. */
const BUDGET_USED_UP = 'so no paid model is asked';

const OWNER = 'own_local';

/** Earlier spending of a person or conversation. */
const earlier = (cost: number, more: Partial<Spent> = {}): Spent => ({
  userId: OWNER,
  sessionId: null,
  kind: 'chat',
  modelId: 'openai/gpt-4o',
  inputTokens: 1,
  outputTokens: 1,
  cacheReadTokens: 0,
  cost,
  isEstimated: false,
  cacheSaved: 0,
  inputPrice: null,
  ...more,
});

const send = (services: Services, sessionId: string, text: string) =>
  services.sessions
    .get(sessionId)
    .then((session) =>
      services.chat.send({ session, texts: [text], modelId: null, scopes: scopesOfRole.admin, clientRequestId: null }),
    );

/** Sends, waits for the end of the turn, and gives what the user reads of its failure. */
async function errorsOf(services: Services, sessionId: string, text: string): Promise<string> {
  const outcome = await send(services, sessionId, text);
  if (outcome.kind !== 'started') throw new Error('It waits.');
  return (await foldTurn(outcome.stream)).errors.join();
}

it('40 conversations at 99 % of a budget exceed it at most by running calls; a raise applies', async () => {
  const CONVERSATIONS = 40;
  const COST = 0.1;
  const gate = Promise.withResolvers<void>();
  await using provider = await startFakeOpenRouter({
    // Each of the forty would continue after its first step.
    respond: async ({ messages }, index) => {
      if (index === 0) return { text: 'I know it now.', usage: { cost: 9.9 } };
      if (messages.some(({ role }) => role === 'tool')) return { text: 'Done.', usage: { cost: COST } };
      await gate.promise;
      const call = { id: 'c1', name: 'list_content', input: { type: 'page' } };
      return { text: 'I look.', toolCalls: [call], usage: { cost: COST } };
    },
  });
  const env = {
    OPENROUTER_API_KEY: 'test-key',
    OPENROUTER_BASE_URL: provider.baseUrl,
    DEFAULT_MODEL: 'openai/gpt-4o',
    RUNNING_TURNS: '100',
    BUDGET_MONTH: '10',
  };
  // Two processes, which know of each other only by their database.
  await using first = await startProductionServer({ env });
  await using second = await startProductionServer({ env, databaseFile: first.databaseFile });
  const ask = async (server: ProductionServer, method: string, path: string, body?: unknown) => {
    const answer = await sendRequest(server.url, { method, path, body });
    expect(answer.status, `${path}: ${answer.text.slice(0, 300)}`).toBeLessThan(300);
    return answer;
  };
  const chat = async (server: ProductionServer, id: string, text: string) =>
    (await ask(server, 'POST', '/api/chat', { id, message: { role: 'user', parts: [{ type: 'text', text }] } })).text;
  const newSession = async () => sessionSchema.parse((await ask(first, 'POST', '/api/sessions', {})).json()).id;
  const storedOf = async (id: string) =>
    pageOf(messageSchema).parse((await ask(second, 'GET', `/api/sessions/${id}/messages?limit=1000`)).json()).items;
  const spent = async () => costsSchema.parse((await ask(second, 'GET', '/api/admin/costs')).json()).total.cost;

  await chat(first, await newSession(), 'Read the whole site');
  expect(budgetsSchema.parse((await ask(second, 'GET', '/api/budgets')).json()).items).toMatchObject([
    { scope: 'install', level: 'near', spent: 9.9, limit: 10 },
  ]);

  const ids = await Promise.all(Array.from({ length: CONVERSATIONS }, newSession));
  const told = Promise.all(
    ids.map((id, index) => chat(index % 2 === 0 ? first : second, id, `List the pages, for conversation ${index}`)),
  );
  await expect.poll(() => provider.requests.length).toBe(CONVERSATIONS + 1);
  gate.resolve();

  // One call each was running; none was made after that.
  for (const answer of await told) {
    expect(answer).toContain('I look.');
    expect(answer).toContain(BUDGET_USED_UP);
  }
  expect(provider.requests).toHaveLength(CONVERSATIONS + 1);
  expect(await spent()).toBeCloseTo(9.9 + CONVERSATIONS * COST, 5);
  for (const [index, id] of ids.entries()) {
    const stored = await storedOf(id);
    expect(stored.map(({ role, status }) => [role, status])).toEqual([
      ['user', 'complete'],
      ['assistant', 'complete'],
      ['tool', 'complete'],
    ]);
    expect(stored[0]?.parts[0]).toMatchObject({ content: { text: `List the pages, for conversation ${index}` } });
  }
  const [asked = ''] = ids;
  expect(await chat(second, asked, 'And now?')).toContain(BUDGET_USED_UP);
  const [question, refusal] = (await storedOf(asked)).slice(-2);
  expect(question?.parts[0]).toMatchObject({ content: { text: 'And now?' } });
  expect(refusal).toMatchObject({ status: 'failed', error: expect.stringContaining(BUDGET_USED_UP) as string });
  expect(provider.requests).toHaveLength(CONVERSATIONS + 1);

  // Raised in one instance, it holds in the other with the next message.
  await ask(first, 'PATCH', '/api/settings', { monthBudget: 100 });
  const goesOn = await chat(second, asked, 'Go on, please');
  expect(goesOn).toContain('Done.');
  expect(goesOn).not.toContain(BUDGET_USED_UP);
});

it('a queue after a turn that a budget ended keeps waiting, and is sent after a raise', async () => {
  const gate = Promise.withResolvers<void>();
  await using chat = await startOpenRouterChat(
    async (_, index) => {
      if (index > 0) return { text: `Answer ${index}.`, usage: { cost: 1 } };
      await gate.promise;
      return { toolCalls: [{ id: 'c1', name: 'list_content', input: { type: 'page' } }], usage: { cost: 1 } };
    },
    { env: { BUDGET_CONVERSATION: '1' } },
  );
  const { services, session } = chat;
  const running = errorsOf(services, session.id, 'First');
  await chat.provider.waitForRequest();
  expect(await send(services, session.id, 'Second')).toMatchObject({ kind: 'queued' });
  gate.resolve();
  // The step that ran is the last one; what waits is not taken into a turn that cannot go on.
  expect(await running).toContain(BUDGET_USED_UP);
  await services.chat.idle();
  expect(chat.steps()).toHaveLength(1);
  const { items } = await services.chat.queue(session.id);
  expect(items).toMatchObject([{ heldReason: 'budget-reached' }]);
  const sender = { scopes: scopesOfRole.admin, keyId: null };
  await expect(services.chat.sendQueued(items[0]?.id ?? '', sender)).rejects.toThrow(BudgetReachedError);
  expect((await services.chat.queue(session.id)).items).toHaveLength(1);

  await services.settings.update({ conversationBudget: 5 });
  await services.chat.sendQueued(items[0]?.id ?? '', sender);
  await services.chat.idle();
  expect(chat.steps()).toHaveLength(2);
  expect((await services.chat.queue(session.id)).items).toEqual([]);
});

it('a person’s month and a conversation have budgets of their own; others go on', async () => {
  await using chat = await startOpenRouterChat(() => ({ text: 'Yes.', usage: { cost: 0.6 } }), {
    env: { BUDGET_PERSON: '5', BUDGET_CONVERSATION: '1' },
  });
  const { services, session } = chat;
  await say(services, session.id, 'One');
  await say(services, session.id, 'Two');
  expect(await errorsOf(services, session.id, 'Three')).toContain('another conversation has a budget of its own');
  const other = await services.sessions.create({ ownerId: OWNER });
  expect(answerText(await say(services, other.id, 'One'))).toBe('Yes.');
  await services.spending.record(earlier(5));
  expect(await errorsOf(services, other.id, 'Two')).toMatch(
    /^Your budget for this month is used up \(\$6\.80 of \$5\.00\)/,
  );
  const somebody = await services.sessions.create({ ownerId: 'own_other' });
  expect(await errorsOf(services, somebody.id, 'One')).toBe('');
  expect(await services.spending.budgets({ userId: OWNER, sessionId: other.id }, false)).toMatchObject([
    { scope: 'person', level: 'reached' },
    { scope: 'conversation', level: 'fine', spent: 0.6 },
  ]);
  await services.settings.update({ personBudget: 0 });
  expect(await errorsOf(services, other.id, 'Three')).toBe('');
});

it('summaries fall back to the record without budget, and use a model again after a raise', async () => {
  await using chat = await startOpenRouterChat(
    (request) => (isSummaryRequest(request) ? { text: summaryText, usage: { cost: 0.5 } } : { text: 'Yes.' }),
    { model: 'local/llama', env: { COMPACTION_MODEL: 'openai/gpt-4o', BUDGET_MONTH: '1' } },
  );
  const { services, session, provider } = chat;
  await services.spending.record(earlier(1));
  await talkBefore(chat, 9_000);
  const compact = () => services.sessions.get(session.id).then((current) => services.context.compact(current));
  expect(await compact()).toMatchObject({ status: 'completed', modelId: null, error: null });
  // The conversation's own model costs nothing, and answers.
  expect(answerText(await say(services, session.id, 'Are you there?'))).toBe('Yes.');
  expect(provider.requests.filter(isSummaryRequest)).toEqual([]);
  expect(await services.compactions.summarizerPause(session.id)).toBeNull();

  await services.settings.update({ monthBudget: 10 });
  await talkBefore(chat, 9_000);
  expect(await compact()).toMatchObject({ status: 'completed', modelId: 'openai/gpt-4o' });
  const { rows } = await services.costs({ from: '2020-01-01', to: '2099-12-31', by: 'kind' });
  expect(rows.find(({ key }) => key === 'summary')).toMatchObject({ calls: 1, cost: 0.5 });
});

describe('/v1', () => {
  it('counts, is refused once the budget is used up, and is answered again after a raise', async () => {
    await using server = await startCompletionsServer({
      respond: () => ({ text: 'Yes.', usage: { promptTokens: 100, completionTokens: 5, cost: 0.7 } }),
      env: { BUDGET_MONTH: '1' },
    });
    const ask = () =>
      server.openai.chat.completions.create({ model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hello' }] });
    await ask();
    await ask();
    await expect(ask()).rejects.toMatchObject({ status: 429, code: 'insufficient_quota' });
    expect(server.steps()).toHaveLength(2);
    const { rows } = await server.services.costs({ from: '2020-01-01', to: '2099-12-31', by: 'kind' });
    expect(rows).toMatchObject([{ key: 'program', calls: 2, cost: 1.4, inputTokens: 200 }]);
    await server.services.settings.update({ monthBudget: 3 });
    expect((await ask()).choices[0]?.message.content).toBe('Yes.');
  });
});
