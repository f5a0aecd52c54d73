import { describe, expect, it } from 'vitest';
import { createCompactionRepository } from '#server/store/compaction-repository';
import { createMessageRepository } from '#server/store/message-repository';
import { createSessionCost } from '#server/store/session-overviews';
import { createSessionRepository } from '#server/store/session-repository';
import { createTestDatabase } from '#tests/support/test-database';

describe('the cost of a session', () => {
  it('is the sum of what its steps and summaries cost, failed ones too, and nothing of other sessions', async () => {
    await using db = await createTestDatabase();
    const [sessions, messages, compactions] = [
      createSessionRepository(db),
      createMessageRepository(db),
      createCompactionRepository(db),
    ];
    const cost = createSessionCost(db);
    const mine = await sessions.create({ ownerId: 'own_1' });
    const other = await sessions.create({ ownerId: 'own_1' });
    expect(await cost(mine.id)).toBeNull();

    for (const [{ id }, dollars] of [
      [mine, 0.25],
      [mine, 0.5],
      [mine, undefined],
      [other, 8],
    ] as const) {
      const message = await messages.append(id, { role: 'assistant', parts: [] });
      const usage = { inputTokens: 1, outputTokens: 1, ...(dollars !== undefined && { cost: dollars }) };
      await messages.updateMessage(message.id, { usage });
    }
    const failure = {
      strategy: 'ledger',
      trigger: 'overflow',
      tokensBefore: 1,
      modelId: null,
      contextWindow: 1,
      durationMs: 1,
    } as const;
    const usage = { inputTokens: 1, outputTokens: 1, cost: 0.125 };
    await compactions.recordFailure(mine.id, { ...failure, error: 'no', usage });

    expect(await cost(mine.id)).toBe(0.875);
    expect(await cost(other.id)).toBe(8);
  });
});
