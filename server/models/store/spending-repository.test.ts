import { expect } from 'vitest';
import type { Spent } from '#server/core/admin/spending';
import { costsCsv } from '#server/http/downloads/costs-csv';
import { createCompactionRepository } from '#server/conversation/store/compaction-repository';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { createSpendingRepository } from '#server/models/store/spending-repository';
import { itWithDatabase as it } from '#tests/support/test-database';

const call = (more: Partial<Spent> = {}): Spent => ({
  userId: 'usr_a',
  sessionId: 'ses_1',
  kind: 'chat',
  modelId: 'a/b',
  inputTokens: 1_000,
  outputTokens: 100,
  cacheReadTokens: 400,
  cost: 0.01,
  isEstimated: false,
  cacheSaved: 0.001,
  inputPrice: 0.000_002,
  ...more,
});

it('sums the month of the installation and of a person, and a conversation over all months', async ({ db }) => {
  const spending = createSpendingRepository(db);
  await spending.add(call(), '2026-10-31');
  await spending.add(call(), '2026-11-01');
  await spending.add(call({ userId: 'usr_b', sessionId: 'ses_2', cost: 0.5 }), '2026-11-02');
  await spending.add(call({ sessionId: null, kind: 'program', cost: 0.25 }), '2026-11-30');
  const { install, person, conversation } = await spending.sums({ userId: 'usr_a', sessionId: 'ses_1' }, '2026-11-01');
  expect([install, person, conversation].map((sum) => sum.toFixed(2))).toEqual(['0.76', '0.26', '0.02']);
  expect(await spending.sums({ userId: 'usr_c', sessionId: null }, '2026-12-01')).toEqual({
    install: 0,
    person: 0,
    conversation: 0,
  });
});

it('counts every one of many concurrent calls, also tiny ones', async ({ db }) => {
  const spending = createSpendingRepository(db);
  await Promise.all(Array.from({ length: 50 }, () => spending.add(call({ cost: 0.000_000_1 }), '2026-11-01')));
  const { total } = await spending.costs({ from: '2026-11-01', to: '2026-11-01', by: 'day' });
  // A millionth each: what cost money never counts as nothing.
  expect(total).toMatchObject({ calls: 50, cost: 0.000_05, inputTokens: 50_000, cacheReadTokens: 20_000 });
});

it('reports by day, model, person, conversation and purpose, the most expensive first', async ({ db }) => {
  const spending = createSpendingRepository(db);
  const session = await createSessionRepository(db).create({ ownerId: 'usr_a', title: '=Prices, "all"' });
  await spending.add(call({ sessionId: session.id }), '2026-11-01');
  await spending.add(call({ modelId: 'c/d', cost: 0.5, isEstimated: true, userId: 'usr_b' }), '2026-11-02');
  await spending.add(call({ kind: 'summary', cost: null, inputPrice: null }), '2026-11-03');
  const costs = (by: Parameters<typeof spending.costs>[0]['by']) =>
    spending.costs({ from: '2026-11-01', to: '2026-11-30', by });
  const keys = async (by: Parameters<typeof costs>[0]) => (await costs(by)).rows.map(({ key }) => key);
  expect(await keys('day')).toEqual(['2026-11-01', '2026-11-02', '2026-11-03']);
  expect(await keys('model')).toEqual(['c/d', 'a/b']);
  expect(await keys('person')).toEqual(['usr_b', 'usr_a']);
  expect(await keys('kind')).toEqual(['chat', 'summary']);
  const byConversation = await costs('conversation');
  expect(byConversation.rows.map(({ key, name }) => [key, name])).toEqual([
    ['ses_1', null],
    [session.id, '=Prices, "all"'],
  ]);
  expect(byConversation.total).toMatchObject({ calls: 3, unpriced: 1, summaries: 0 });
  expect(byConversation.total.cost).toBeCloseTo(0.51, 6);
  expect(byConversation.total.estimated).toBeCloseTo(0.5, 6);
  expect((await costs('day')).rows.every(({ cost }) => cost <= 0.5)).toBe(true);
  // A title is no formula of a spreadsheet.
  expect(costsCsv(byConversation)).toContain(`${session.id},"'=Prices, ""all""",1,1000,400,100,0.01,0,0,0.001,0\r\n`);
  expect((await spending.costs({ from: '2026-11-04', to: '2026-11-30', by: 'day' })).rows).toEqual([]);
});

it('estimates the cost of a request without clearing and summaries', async ({ db }) => {
  const spending = createSpendingRepository(db);
  const session = await createSessionRepository(db).create({ ownerId: 'usr_a' });
  const compactions = createCompactionRepository(db);
  const prune = { trigger: 'manual' as const, parts: [], modelId: 'a/b' };
  await compactions.recordPrune(session.id, { ...prune, tokensBefore: 90_000, tokensAfter: 40_000 });
  const undone = await compactions.recordPrune(session.id, { ...prune, tokensBefore: 40_000, tokensAfter: 30_000 });
  await compactions.undo(session.id, undone.id);
  await spending.add(call({ sessionId: session.id }), '2026-11-01');
  // Summaries and programs have no view that was made smaller.
  await spending.add(call({ sessionId: session.id, kind: 'summary' }), '2026-11-01');
  await spending.add(call({ sessionId: session.id, inputPrice: null }), '2026-11-01');
  const { total } = await spending.costs({ from: '2026-11-01', to: '2026-11-01', by: 'day' });
  expect(total.compactionSaved).toBeCloseTo(50_000 * 0.000_002, 6);
  expect(total.summaries).toBeCloseTo(0.01, 6);
});
