import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { createPreferenceRepository } from '#server/conversation/store/sessions/preference-repository';
import { createMessageRepository } from '#server/conversation/store/message-repository';
import { keptWishes, messages } from '#server/platform/database/schema/sessions';
import { createTestDatabase } from '#tests/support/test-database';

/** A session in which the user said two things. */
async function startSession() {
  const db = await createTestDatabase();
  const sessions = createSessionRepository(db);
  const { id: sessionId } = await sessions.create({ ownerId: 'own_local' });
  const say = async (text: string) => {
    const message = { role: 'user' as const, parts: [{ type: 'text' as const, content: { text } }] };
    return (await createMessageRepository(db).appendMany(sessionId, [message]))[0]!.id;
  };
  const wishes = createPreferenceRepository(db);
  const quotes = async () => (await wishes.keptWishes(sessionId)).map(({ quote }) => quote);
  return { db, sessions, sessionId, say, wishes, quotes };
}

it('keeps wishes in their order, the same words once', async () => {
  const { db, sessionId, say, wishes, quotes } = await startSession();
  await using _ = db;
  const messageId = await say('Bitte immer duzen. Nie  mit Emojis.');
  await wishes.keepWishes(sessionId, [
    { quote: 'Bitte immer duzen.', messageId },
    { quote: 'Nie mit Emojis.', messageId },
    { quote: ' Nie  mit Emojis. ', messageId },
  ]);
  await wishes.keepWishes(sessionId, [{ quote: 'Bitte immer\nduzen.', messageId }]);
  expect(await wishes.keptWishes(sessionId)).toEqual([
    {
      id: expect.stringMatching(/^kep_/),
      quote: 'Bitte immer duzen.',
      messageId,
      createdAt: expect.any(Number),
      confirmedAt: null,
    },
    expect.objectContaining({ quote: 'Nie mit Emojis.' }),
  ]);
  expect(await quotes()).toHaveLength(2);
});

it('does not restore what the user dropped until they say it again; the drop can be undone', async () => {
  const { db, sessionId, say, wishes, quotes } = await startSession();
  await using _ = db;
  const wish = { quote: 'Keep it short.', messageId: await say('Keep it short.') };
  await wishes.keepWishes(sessionId, [wish]);
  const [{ id } = { id: '' }] = await wishes.keptWishes(sessionId);

  expect(await wishes.letGo(sessionId, id)).toMatchObject({ id, quote: 'Keep it short.' });
  expect(await wishes.letGo(sessionId, id)).toBeNull();
  expect(await wishes.wishesLetGo(sessionId)).toMatchObject([wish]);
  await wishes.keepWishes(sessionId, [wish]);
  expect(await quotes()).toEqual([]);

  expect(await wishes.keepAgain(sessionId, id)).toMatchObject({ id });
  expect(await wishes.keepAgain(sessionId, id)).toBeNull();
  expect(await wishes.wishesLetGo(sessionId)).toEqual([]);
  await wishes.letGo(sessionId, id);
  await wishes.keepWishes(sessionId, [{ ...wish, messageId: await say('Again: Keep it short.') }]);
  expect(await quotes()).toEqual(['Keep it short.']);
});

it('knows words again that a phone and a keyboard write with other quotation marks', async () => {
  const { db, sessionId, say, wishes, quotes } = await startSession();
  await using _ = db;
  const messageId = await say('Don’t say “cheap”.');
  await wishes.keepWishes(sessionId, [{ quote: 'Don’t say “cheap”.', messageId }]);
  await wishes.keepWishes(sessionId, [{ quote: 'Don\'t say "cheap".', messageId }]);
  const [{ id } = { id: '' }] = await wishes.keptWishes(sessionId);
  expect(await quotes()).toEqual(['Don’t say “cheap”.']);
  await wishes.letGo(sessionId, id);
  await wishes.keepWishes(sessionId, [{ quote: 'Don\'t say "cheap".', messageId }]);
  expect(await quotes()).toEqual([]);
});

it('a wish is its session’s alone, goes with a message that was edited, and with the session', async () => {
  const { db, sessions, sessionId, say, wishes, quotes } = await startSession();
  await using _ = db;
  const { id: other } = await sessions.create({ ownerId: 'own_local' });
  const messageId = await say('Always say you.');
  await wishes.keepWishes(sessionId, [{ quote: 'Always say you.', messageId }]);
  const [{ id } = { id: '' }] = await wishes.keptWishes(sessionId);
  expect(await wishes.keptWishes(other)).toEqual([]);
  expect(await wishes.letGo(other, id)).toBeNull();

  const replacement = await say('Never mind.');
  await db.write((tx) => tx.update(messages).set({ supersededBy: replacement }).where(eq(messages.id, messageId)));
  expect(await quotes()).toEqual([]);

  await sessions.delete(sessionId);
  expect(await db.read.select().from(keptWishes)).toEqual([]);
});
