import { expect } from 'vitest';
import { createMessageRepository } from '#server/store/message-repository';
import { createSessionRepository } from '#server/store/session-repository';
import { createTypicalTurn } from '#server/store/typical-turn';
import { itWithDatabase as it } from '#tests/support/test-database';

it('is what the newest turns took on average, all their steps together', async ({ db }) => {
  const typicalTurn = createTypicalTurn(db);
  const session = await createSessionRepository(db).create({ ownerId: 'own_1' });
  expect(await typicalTurn(session.id)).toBeNull();
  const step = (turnId: string, inputTokens: number, cacheReadTokens?: number) => ({
    role: 'assistant' as const,
    turnId,
    parts: [{ type: 'text' as const, content: { text: 'Done.' } }],
    usage: { inputTokens, outputTokens: 100, ...(cacheReadTokens !== undefined && { cacheReadTokens }) },
  });
  const old = Array.from({ length: 10 }, (_, turn) => step(`trn_old_${turn}`, 1_000_000));
  const recent = Array.from({ length: 9 }, (_, turn) => step(`trn_${turn}`, 1_000));
  await createMessageRepository(db).appendMany(session.id, [
    ...old,
    ...recent,
    step('trn_last', 5_000),
    step('trn_last', 6_000, 4_000),
  ]);
  expect(await typicalTurn(session.id)).toEqual({
    turns: 10,
    inputTokens: 2_000,
    outputTokens: 110,
    cacheReadTokens: 400,
  });
});
