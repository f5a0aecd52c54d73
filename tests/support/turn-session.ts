import { it } from 'vitest';
import type { NewMessage } from '#server/core/conversation/messages';
import type { TurnRequest } from '#server/core/conversation/turns';
import type { NewPart, PartBody, PartState } from '#server/core/conversation/parts';
import { scopesOfRole } from '#server/core/admin/access-rights';
import { createCompactionRepository } from '#server/conversation/store/compaction-repository';
import { createMessageRepository } from '#server/conversation/store/message-repository';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { createTurnRepository } from '#server/conversation/store/turn-repository';
import { createTestDatabase } from '#tests/support/test-database';

/** Of the server process that the tests play. */
export const lease = { leaseOwner: 'server-1', leaseMs: 1_000 };
/** Who sends without an API key, and may do everything. */
export const owner = { scopes: scopesOfRole.admin, keyId: null };
/** A lease with room for all that waits. */
export const roomy = { ...lease, maxTokens: 1_000_000 };

export const text = (value: string, tokens?: number): NewPart => ({
  type: 'text',
  content: { text: value },
  ...(tokens !== undefined && { tokens }),
});
export const call = (toolCallId: string, state: PartState = 'pending'): NewPart => ({
  type: 'tool-call',
  content: { toolCallId, toolName: 'get_page', input: { page: toolCallId } },
  state,
});
export const result = (toolCallId: string): NewPart => ({
  type: 'tool-result',
  content: { toolCallId, toolName: 'get_page', output: { type: 'text', value: 'Home' } },
});
/** A user message of one text. */
export const say = (value: string, tokens?: number): NewMessage => ({ role: 'user', parts: [text(value, tokens)] });

/** One session in a new database, at a time that only the test moves. */
export async function createTurnSession() {
  const db = await createTestDatabase();
  const clock = { time: 1_000 };
  const now = () => clock.time;
  const sessions = createSessionRepository(db, now);
  const { id: sessionId } = await sessions.create({ ownerId: 'own_1' });
  const turns = createTurnRepository(db, now);
  const messages = createMessageRepository(db, now);

  const request = (message: string | NewMessage, changes: Partial<TurnRequest> = {}): TurnRequest => ({
    sessionId,
    message: typeof message === 'string' ? say(message) : message,
    modelId: null,
    scopes: scopesOfRole.admin,
    clientRequestId: null,
    ...roomy,
    ...changes,
  });

  return {
    db,
    clock,
    sessionId,
    sessions,
    turns,
    messages,
    compactions: createCompactionRepository(db, now),
    request,
    /** @throws when the message does not start a turn */
    async start(message: string | NewMessage, changes?: Partial<TurnRequest>) {
      const outcome = await turns.begin(request(message, changes));
      if (outcome.kind !== 'started') throw new Error(`It was ${outcome.kind}.`);
      return outcome;
    },
    /** @throws when the message does not wait */
    async queue(message: string | NewMessage, changes?: Partial<TurnRequest>) {
      const outcome = await turns.begin(request(message, changes));
      if (outcome.kind !== 'queued') throw new Error(`It was ${outcome.kind}.`);
      return outcome.item;
    },
    end: (turnId: string) => turns.finish(turnId, { status: 'completed', error: null }),
    /** Everything that was said, in order. */
    load: async () => (await messages.loadView(sessionId)).messages,
    /** The texts of what waits, in order. */
    waiting: async () => (await turns.queue(sessionId)).items.map(({ parts }) => textOf(parts)),
    [Symbol.asyncDispose]: () => db.close(),
  };
}
export type TurnSession = Awaited<ReturnType<typeof createTurnSession>>;

/** The texts of the parts, one a line. */
export function textOf(parts: readonly PartBody[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.content.text] : [])).join('\n');
}

/** `it` for tests that take a session with turns of their own: `async ({ t }) => ...`. */
export const itWithTurns = it.extend<{ t: Awaited<ReturnType<typeof createTurnSession>> }>({
  // oxlint-disable-next-line no-empty-pattern -- fixtures are found by what the first argument names
  t: async ({}, give) => {
    await using t = await createTurnSession();
    await give(t);
  },
});
