import { describe, expect, it } from 'vitest';
import type { ContextUsage } from '#server/core/conversation/events';
import { createEventRepository, TRIM_EVERY } from '#server/conversation/store/event-repository';
import {
  createContextSampleRepository,
  MOST_SAMPLES,
  thinSamples,
} from '#server/conversation/store/sessions/context-sample-repository';
import { contextSamples } from '#server/platform/database/schema/sessions';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { createTestDatabase } from '#tests/support/test-database';

const BREAKDOWN = {
  instructions: 1,
  tools: 2,
  user: 3,
  assistant: 4,
  reasoning: 5,
  toolCalls: 6,
  toolResults: 7,
  media: 8,
  summary: 9,
  situation: 0,
};
const usage = (currentTokens: number): ContextUsage => ({
  modelId: 'openai/gpt-4o',
  contextWindow: 128_000,
  outputReserve: 4_096,
  usableTokens: 108_800,
  currentTokens,
  percentUsed: 1,
  availableTokens: 1,
  isOverflow: false,
  source: 'estimated',
  breakdown: BREAKDOWN,
  messageCount: 3,
  cachedShare: null,
  cost: { lastStep: null, total: null },
  warning: null,
});

async function setUp() {
  const db = await createTestDatabase();
  let time = 100;
  const sessions = createSessionRepository(db);
  const events = createEventRepository(db, { now: () => (time += 1) });
  const samples = createContextSampleRepository(db);
  const newSession = async () => (await sessions.create({ ownerId: 'own_1' })).id;
  const tell = (sessionId: string, tokens: number, turnId: string | null = 'trn_1') =>
    events.append(sessionId, 'context:usage', usage(tokens), turnId);
  const tokens = async (sessionId: string) => (await samples.list(sessionId)).map(({ currentTokens }) => currentTokens);
  /** As many as if they had been told one by one: 1, 2, 3, ... */
  const fill = (sessionId: string, from: number, to: number) =>
    db.write(async (tx) => {
      for (let start = from; start <= to; start += 500) {
        const rows = Array.from({ length: Math.min(500, to - start + 1) }, (_, index) => ({
          ...usage(start + index),
          sessionId,
          breakdown: JSON.stringify(BREAKDOWN),
          createdAt: start + index,
        }));
        await tx.insert(contextSamples).values(rows);
      }
    });
  return { db, sessions, events, samples, newSession, tell, tokens, fill, [Symbol.asyncDispose]: () => db.close() };
}

describe('samples of a context', () => {
  it('are not repeated within a turn while nothing changes', async () => {
    await using t = await setUp();
    const [id, other] = [await t.newSession(), await t.newSession()];
    await t.tell(id, 500);
    await t.tell(other, 600);
    await t.tell(id, 500);
    await t.tell(id, 500, 'trn_2');
    await t.tell(id, 400, 'trn_2');
    await t.tell(id, 500, 'trn_2');
    await t.tell(id, 500, null);
    await t.tell(id, 500, null);
    expect(await t.tokens(id)).toEqual([500, 500, 400, 500, 500]);
    expect(await t.events.after(id, 0, 100)).toHaveLength(7);
  });

  it('are thinned where they are old, and span the whole session however long it is', async () => {
    await using t = await setUp();
    const [id, other] = [await t.newSession(), await t.newSession()];
    await t.fill(other, 1, MOST_SAMPLES);
    const last = 8 * MOST_SAMPLES;
    for (let from = 1; from <= last; from += MOST_SAMPLES / 2) {
      await t.fill(id, from, from + MOST_SAMPLES / 2 - 1);
      await t.db.write((tx) => thinSamples(tx, id));
    }
    const kept = await t.tokens(id);
    expect(kept.length).toBeLessThanOrEqual(MOST_SAMPLES);
    expect(kept.length).toBeGreaterThan(MOST_SAMPLES / 2);
    expect(kept[0]).toBe(1);
    const newest = MOST_SAMPLES / 2;
    expect(kept.slice(-newest)).toEqual(Array.from({ length: newest }, (_, index) => last - newest + 1 + index));
    const gaps = kept.slice(1).map((tokens, index) => tokens - (kept[index] ?? 0));
    // Never a stretch without any: the gaps double towards the past.
    for (const [index, gap] of gaps.entries()) expect(gap).toBeLessThanOrEqual(last - (kept[index] ?? 0));
    expect(await t.tokens(other)).toHaveLength(MOST_SAMPLES);
  });

  it('are thinned while events are reported', async () => {
    await using t = await setUp();
    const id = await t.newSession();
    await t.fill(id, 1, MOST_SAMPLES + 1);
    for (let index = 0; index < TRIM_EVERY; index += 1) await t.tell(id, 5_000 + index);
    const kept = await t.tokens(id);
    expect(kept.length).toBeLessThanOrEqual(MOST_SAMPLES);
    expect([kept[0], kept.at(-1)]).toEqual([1, 5_000 + TRIM_EVERY - 1]);
  });
});
