import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { uncodedText } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import { type CompactionRecord, NO_GAIN } from '#server/core/conversation/compactions';
import { ThroughlineError } from '#server/core/errors';
import type { Message, NewMessage } from '#server/core/conversation/messages';
import type { NewPart } from '#server/core/conversation/parts';
import type { EngineSession } from '#server/context/ports';
import { defaultSettings } from '#server/context/settings/context-settings';
import { createCompactionRepository } from '#server/conversation/store/compaction-repository';
import { StoredSession } from '#server/conversation/store/stored-session';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { createPreferenceRepository } from '#server/conversation/store/sessions/preference-repository';
import type { Database } from '#server/platform/database/database';
import { createMessageRepository } from '#server/conversation/store/message-repository';
import { TestSession } from '#tests/support/test-session';
import { createTestDatabase } from '#tests/support/test-database';
import { isDeep } from '#tests/support/deep';

/** What may happen to a store; numbers are taken modulo what there is. */
const anyOperation = fc.oneof(
  fc.record({
    do: fc.constant('append' as const),
    messages: fc.nat(3),
    parts: fc.nat(3),
    tokens: fc.option(fc.nat(900)),
  }),
  fc.record({
    do: fc.constant('compact' as const),
    cut: fc.nat(),
    kept: fc.nat(),
    /** What becomes of its lease before it is saved. */
    lease: fc.constantFrom('held', 'held', 'held', 'held', 'lapsed', 'taken'),
  }),
  fc.record({
    do: fc.constant('prune' as const),
    parts: fc.array(fc.nat(), { maxLength: 4 }),
    chars: fc.option(fc.nat(50)),
    tokens: fc.nat(3),
  }),
  fc.record({
    do: fc.constant('fail' as const),
    error: fc.constantFrom(serverText(NO_GAIN, { attempts: null }), uncodedText('overloaded')),
  }),
  fc.record({ do: fc.constant('undo' as const), record: fc.nat() }),
  fc.record({ do: fc.constant('hold' as const) }),
  fc.record({ do: fc.constant('pause' as const), failures: fc.nat(2) }),
  fc.record({ do: fc.constant('prefer' as const), quote: fc.constantFrom('Keep it short.', 'Never blue.') }),
);
type Operation = typeof anyOperation extends fc.Arbitrary<infer T> ? T : never;

interface StoreUnderTest {
  readonly session: EngineSession;
  readonly append: (messages: readonly NewMessage[]) => Promise<unknown>;
  readonly originals: () => Promise<Message[]>;
  readonly list: () => Promise<CompactionRecord[]>;
  readonly undo: (id: string) => Promise<unknown>;
}

describe('InMemorySession', () => {
  it('behaves like a stored session under any operations', async () => {
    const operations = fc.array(fc.tuple(anyOperation, fc.nat(2)), { minLength: 4, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(operations, async (steps) => {
        const clock = { time: 1_000 };
        const now = () => clock.time;
        await using db = await createTestDatabase();
        const real = await realStore(db, now);
        const memory = memoryStore(now);
        for (const [operation, pause] of steps) {
          clock.time += pause;
          const lapse = () => (clock.time += 5_000);
          const { time } = clock;
          const outcome = await apply(real, operation, lapse);
          clock.time = time;
          expect(await apply(memory, operation, lapse)).toEqual(outcome);
          expect(await everythingIn(memory)).toEqual(await everythingIn(real));
        }
      }),
      { numRuns: isDeep ? 200 : 8 },
    );
  });
});

async function realStore(db: Database, now: () => number): Promise<StoreUnderTest> {
  const sessions = createSessionRepository(db, now);
  const messages = createMessageRepository(db, now);
  const compactions = createCompactionRepository(db, now);
  const preferences = createPreferenceRepository(db, now);
  const { id } = await sessions.create({ ownerId: 'own_1' });
  return {
    session: new StoredSession(
      { sessions, messages, compactions, preferences, settings: { current: () => defaultSettings } },
      id,
    ),
    append: (drafts) => messages.appendMany(id, drafts),
    originals: () => messages.loadBefore(id, 1_000_000),
    list: () => compactions.list(id),
    undo: (record) => compactions.undo(id, record),
  };
}

function memoryStore(now: () => number): StoreUnderTest {
  const store = new TestSession(now);
  return {
    session: store,
    append: async (drafts) => store.appendMany(drafts),
    originals: async () => store.originals(),
    list: async () => store.list(),
    undo: async (record) => store.undo(record),
  };
}

/** The name of the error where it is refused; null where it is done. */
async function apply(under: StoreUnderTest, operation: Operation, lapse: () => void): Promise<string | null> {
  try {
    await carryOut(under, operation, lapse);
    return null;
  } catch (error) {
    if (!(error instanceof ThroughlineError)) throw error;
    return error.name;
  }
}

const FIGURES = {
  trigger: 'overflow',
  tokensBefore: 900,
  modelId: 'a/b',
  contextWindow: 16_000,
  durationMs: 7,
} as const;

async function carryOut(under: StoreUnderTest, operation: Operation, lapse: () => void): Promise<void> {
  const { session } = under;
  switch (operation.do) {
    case 'append': {
      const part: NewPart = {
        type: 'text',
        content: { text: 'Hello' },
        ...(operation.tokens !== null && { tokens: operation.tokens }),
      };
      const parts = Array.from({ length: operation.parts }, () => part);
      await under.append(Array.from({ length: operation.messages }, () => ({ role: 'user', parts })));
      return;
    }
    case 'compact':
      return compactAt(under, operation, lapse);
    case 'prune': {
      const all = (await under.originals()).flatMap(({ parts }) => parts);
      const chosen = operation.parts.flatMap((index) => all.at(index % Math.max(1, all.length)) ?? []);
      const parts = chosen.map(({ id }) => ({
        partId: id,
        tokensAfter: operation.tokens,
        ...(operation.chars !== null && { excerptChars: operation.chars }),
      }));
      await session.savePrune({ ...FIGURES, tokensAfter: 800, parts });
      return;
    }
    case 'fail':
      return session.saveFailure({ ...FIGURES, strategy: 'ledger', error: operation.error, usage: null });
    case 'pause': {
      const { failures } = operation;
      return session.savePause(failures === 0 ? null : { modelId: 'a/b', failures, until: 2_000 });
    }
    case 'prefer': {
      const [message] = await under.originals();
      if (message) await session.addPreferences([{ quote: operation.quote, messageId: message.id }]);
      return;
    }
    case 'undo': {
      const records = await under.list();
      await under.undo(records.at(operation.record % Math.max(1, records.length))?.id ?? 'cmp_none');
      return;
    }
    case 'hold': {
      const lease = await session.holdLease(false);
      try {
        await session.holdLease(false);
      } finally {
        await lease[Symbol.asyncDispose]();
      }
    }
  }
}

async function compactAt(
  { session, originals }: StoreUnderTest,
  { cut, kept, lease: fate }: Extract<Operation, { do: 'compact' }>,
  lapse: () => void,
): Promise<void> {
  const all = (await originals()).map(({ id }) => id);
  const [first = 'msg_none', ...head] = [
    all.at(cut % Math.max(1, all.length)),
    ...all.slice(0, cut % Math.max(1, all.length)),
  ];
  const isKept = (_: unknown, index: number) => index % 4 === kept % 4;
  const lease = await session.holdLease(false);
  if (fate !== 'held') lapse();
  const other = fate === 'taken' ? await session.holdLease(false) : null;
  try {
    const { summary } = await session.loadView();
    await session.saveCompaction(lease, {
      ...FIGURES,
      previousSummaryId: summary?.id ?? null,
      round: 1,
      strategy: 'ledger',
      tokensAfter: 300,
      compactedMessageIds: head.flatMap((id, index) => (isKept(id, index) ? [] : (id ?? []))),
      firstKeptMessageId: first,
      keptBeforeSummary: head.flatMap((id, index) => (isKept(id, index) && index % 8 < 4 ? (id ?? []) : [])),
      keptAfterSummary: head.flatMap((id, index) => (isKept(id, index) && index % 8 >= 4 ? (id ?? []) : [])),
      workingContext: { tools: ['get_content'], removedTools: [] },
      summary: 'What was said.',
      narrative: 'What was meant.',
      error: serverText('compaction-attempts', { attempts: [serverText('summary-empty')] }),
      summaryTokens: 40,
      usage: { inputTokens: 9, outputTokens: 4 },
    });
  } finally {
    await lease[Symbol.asyncDispose]();
    await other?.[Symbol.asyncDispose]();
  }
}

/** Everything that can be read of a store, its ids numbered by when they are first met. */
async function everythingIn({ session, originals, list }: StoreUnderTest): Promise<unknown> {
  const all = {
    originals: await originals(),
    view: await session.loadView(),
    before: (await session.loadBefore(4)).length,
    version: await session.viewVersion(),
    past: await session.pastCompactions(),
    records: await list(),
    preferences: await session.preferences(),
    removed: await session.removedPreferences(),
  };
  const numbers = new Map<string, number>();
  const numbered = JSON.stringify(all).replaceAll(/\b(?:ses|msg|prt|cmp|kep)_\w+/g, (id) => {
    if (!numbers.has(id)) numbers.set(id, numbers.size);
    return `id${numbers.get(id) ?? 0}`;
  });
  return JSON.parse(numbered);
}
