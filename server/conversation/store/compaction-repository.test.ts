import { describe, expect } from 'vitest';
import { uncodedText } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import { NO_GAIN } from '#server/core/conversation/compactions';
import { ConflictError, NotFoundError } from '#server/core/errors';
import type { NewMessage } from '#server/core/conversation/messages';
import {
  compactions as compactionsTable,
  messageParts,
  messages as messagesTable,
} from '#server/platform/database/schema/sessions';
import { compactionCommit } from '#tests/support/compaction-commit';
import { createTurnSession, itWithTurns as it, say, type TurnSession } from '#tests/support/turn-session';

const compaction = (round: number, compactedMessageIds: string[], firstKeptMessageId?: string) =>
  compactionCommit({
    round,
    strategy: 'summarize',
    compactedMessageIds,
    ...(firstKeptMessageId !== undefined && { firstKeptMessageId }),
    summary: `Summary ${round}`,
    summaryTokens: 40,
    modelId: 'a/b',
    usage: { inputTokens: 900, outputTokens: 40 },
  });

describe('CompactionRepository.recordCompaction', () => {
  it('makes the view start from the summary and the first kept message', async ({ t }) => {
    const stored = await t.messages.appendMany(
      t.sessionId,
      ['a', 'b', 'c', 'd'].map((words) => say(words)),
    );
    const ids = stored.map(({ id }) => id);
    const { compaction: record, summaryMessage } = await t.compactions.recordCompaction(
      t.sessionId,
      compaction(1, ids.slice(0, 2), ids[2]),
    );
    const later = await t.messages.append(t.sessionId, say('e'));

    expect(await t.messages.loadView(t.sessionId)).toEqual({
      leading: [],
      summary: summaryMessage,
      kept: [],
      messages: [stored[2], stored[3], later],
    });
    expect(summaryMessage).toMatchObject({ role: 'assistant', isSummary: true, status: 'complete', seq: 5 });
    expect(summaryMessage.parts).toMatchObject([
      {
        type: 'compaction-marker',
        tokens: 40,
        content: {
          summary: 'Summary 1',
          messagesCompacted: 2,
          originalTokens: 900,
          round: 1,
          compactedAt: record.createdAt,
        },
      },
    ]);
    expect(record).toMatchObject({ status: 'completed', compactedMessageIds: ids.slice(0, 2), messagesCompacted: 2 });
    expect(await t.sessions.get(t.sessionId)).toMatchObject({ compactionCount: 1, lastCompactionAt: record.createdAt });
  });

  it('keeps the originals in the transcript, where summaries show only when asked for', async ({ t }) => {
    const stored = await t.messages.appendMany(
      t.sessionId,
      ['a', 'b'].map((words) => say(words)),
    );
    const { summaryMessage } = await t.compactions.recordCompaction(
      t.sessionId,
      compaction(1, [stored[0]!.id], stored[1]!.id),
    );
    expect((await t.messages.list(t.sessionId)).items).toEqual(stored);
    expect((await t.messages.list(t.sessionId, { summaries: true })).items).toEqual([...stored, summaryMessage]);
    expect(await t.messages.loadBefore(t.sessionId, 99)).toEqual(stored);
  });

  it('shows only what came later when everything was compacted', async ({ t }) => {
    const stored = await t.messages.appendMany(
      t.sessionId,
      ['a', 'b'].map((words) => say(words)),
    );
    const { summaryMessage } = await t.compactions.recordCompaction(
      t.sessionId,
      compaction(
        1,
        stored.map(({ id }) => id),
      ),
    );
    await t.db.write((tx) => tx.update(compactionsTable).set({ firstKeptMessageId: null }));
    const later = await t.messages.append(t.sessionId, say('c'));
    expect(await t.messages.loadView(t.sessionId)).toEqual({
      leading: [],
      summary: summaryMessage,
      kept: [],
      messages: [later],
    });
  });

  it('changes nothing when the session does not exist', async ({ t }) => {
    await expect(t.compactions.recordCompaction('ses_none', compaction(1, []))).rejects.toThrow(NotFoundError);
    expect(await t.db.read.select().from(messagesTable)).toEqual([]);
  });
});

describe('CompactionRepository.list and attempts', () => {
  it('list the newest of a status, and as attempts only those that summarized or gained nothing', async ({ t }) => {
    const [first, second] = await t.messages.appendMany(
      t.sessionId,
      ['a', 'b'].map((words) => say(words)),
    );
    await t.compactions.recordCompaction(t.sessionId, compaction(1, [first!.id]));
    const failure = {
      strategy: 'ledger',
      trigger: 'manual',
      tokensBefore: 900,
      modelId: 'a/b',
      durationMs: 1,
      contextWindow: 8_000,
      usage: null,
    } as const;
    await t.compactions.recordFailure(t.sessionId, { ...failure, error: serverText(NO_GAIN, { attempts: null }) });
    await t.compactions.recordFailure(t.sessionId, { ...failure, error: uncodedText('The provider is down.') });
    await t.compactions.recordCompaction(t.sessionId, compaction(2, [second!.id]));
    const rounds = (records: readonly { round: number; status: string }[]) =>
      records.map(({ round, status }) => `${round} ${status}`);
    expect(rounds(await t.compactions.list(t.sessionId))).toEqual([
      '2 completed',
      '2 failed',
      '2 failed',
      '1 completed',
    ]);
    expect(rounds(await t.compactions.list(t.sessionId, { most: 2 }))).toEqual(['2 completed', '2 failed']);
    expect(rounds(await t.compactions.list(t.sessionId, { most: 3, status: 'completed' }))).toEqual([
      '2 completed',
      '1 completed',
    ]);
    expect(rounds(await t.compactions.attempts(t.sessionId, 5))).toEqual(['2 completed', '2 failed', '1 completed']);
    expect(rounds(await t.compactions.attempts(t.sessionId, 1))).toEqual(['2 completed']);
  });
});

describe('CompactionRepository.recordPrune', () => {
  const prune = { trigger: 'overflow', tokensBefore: 900, tokensAfter: 100, modelId: 'a/b' } as const;
  const output = (toolCallId: string, tokens: number): NewMessage => ({
    role: 'tool',
    parts: [
      { type: 'tool-result', content: { toolCallId, toolName: 'get', output: { type: 'text', value: 'x' } }, tokens },
    ],
  });

  const partOf = async ({ messages, sessionId }: TurnSession, id: string) =>
    (await messages.loadView(sessionId)).messages.flatMap(({ parts }) => parts).find((part) => part.id === id);

  it('clears or shortens an excerpt; undo restores the mark that is still valid', async () => {
    for (const firstUndone of ['oldest', 'newest']) {
      await using t = await createTurnSession();
      const [whole] = (await t.messages.append(t.sessionId, output('a', 500))).parts;
      const pruneTo = (tokensAfter: number, excerptChars?: number) => {
        const part = { partId: whole!.id, tokensAfter, ...(excerptChars !== undefined && { excerptChars }) };
        return t.compactions.recordPrune(t.sessionId, { ...prune, parts: [part] });
      };
      const long = await pruneTo(300, 900);
      const afterLong = await partOf(t, whole!.id);
      expect((await pruneTo(400, 1_200)).prunedPartIds).toEqual([]);
      const short = await pruneTo(100, 200);
      const afterShort = await partOf(t, whole!.id);
      expect(afterShort).toMatchObject({ tokens: 100, excerptChars: 200, originalTokens: 500 });
      const cleared = await pruneTo(20);
      expect(await partOf(t, whole!.id)).toMatchObject({ tokens: 20, excerptChars: null, originalTokens: 500 });
      expect((await pruneTo(10)).prunedPartIds).toEqual([]);

      await t.compactions.undo(t.sessionId, cleared.id);
      expect(await partOf(t, whole!.id)).toEqual(afterShort);
      if (firstUndone === 'newest') {
        await t.compactions.undo(t.sessionId, short.id);
        expect(await partOf(t, whole!.id)).toEqual(afterLong);
        await t.compactions.undo(t.sessionId, long.id);
      } else {
        await t.compactions.undo(t.sessionId, long.id);
        expect(await partOf(t, whole!.id)).toEqual(afterShort);
        await t.compactions.undo(t.sessionId, short.id);
      }
      expect(await partOf(t, whole!.id)).toEqual(whole);
    }
  });

  it('reads prunes from before marks were kept', async ({ t }) => {
    const [whole] = (await t.messages.append(t.sessionId, output('a', 500))).parts;
    const record = await t.compactions.recordPrune(t.sessionId, {
      ...prune,
      parts: [{ partId: whole!.id, tokensAfter: 12 }],
    });
    await t.db.write((tx) => tx.update(compactionsTable).set({ prunedPartIds: JSON.stringify([whole!.id]) }));
    expect((await t.compactions.list(t.sessionId))[0]?.prunedPartIds).toEqual([whole!.id]);
    await t.compactions.undo(t.sessionId, record.id);
    expect(await partOf(t, whole!.id)).toEqual(whole);
  });

  it('clears an output of a message from before parts existed', async ({ t }) => {
    const content = JSON.stringify([{ type: 'tool-result', toolCallId: 'c', toolName: 'get', result: 'Home' }]);
    const row = {
      id: 'msg_old',
      sessionId: t.sessionId,
      seq: 1,
      role: 'tool',
      status: 'complete',
      content,
      createdAt: 7,
    } as const;
    await t.db.write(async (tx) => tx.insert(messagesTable).values(row));
    const before = await partOf(t, 'msg_old.0');
    const record = await t.compactions.recordPrune(t.sessionId, {
      ...prune,
      parts: [{ partId: 'msg_old.0', tokensAfter: 9 }],
    });
    expect(record.prunedPartIds).toEqual(['msg_old.0']);
    const after = { ...before, tokens: 9, compactedAt: record.createdAt };
    expect(await partOf(t, 'msg_old.0')).toEqual(after);
    expect((await t.messages.find('msg_old'))?.parts).toEqual([after]);

    const again = { ...prune, parts: [{ partId: 'msg_old.0', tokensAfter: 1 }] };
    expect((await t.compactions.recordPrune(t.sessionId, again)).prunedPartIds).toEqual([]);
    expect((await t.messages.find('msg_old'))?.parts).toEqual([after]);
  });

  it('leaves parts of other sessions alone', async ({ t }) => {
    const other = await t.sessions.create({ ownerId: 'own_1' });
    const { parts } = await t.messages.append(other.id, output('a', 500));
    const record = await t.compactions.recordPrune(t.sessionId, {
      ...prune,
      parts: [{ partId: parts[0]!.id, tokensAfter: 1 }],
    });
    expect(record.prunedPartIds).toEqual([]);
    expect((await t.db.read.select().from(messageParts))[0]).toMatchObject({ compactedAt: null, tokens: 500 });
  });
});

describe('the compaction lease', () => {
  it('is held by one at a time, until it is released or runs out', async ({ t }) => {
    const racers = ['a', 'b', 'c'].map((leaseOwner) =>
      t.compactions.acquire(t.sessionId, { leaseOwner, leaseMs: 1_000 }),
    );
    expect(await Promise.all(racers)).toEqual([true, false, false]);
    expect(await t.sessions.get(t.sessionId)).toMatchObject({ currentlyCompacting: true });

    await t.compactions.release(t.sessionId, 'b');
    expect(await t.compactions.acquire(t.sessionId, { leaseOwner: 'b', leaseMs: 1_000 })).toBe(false);
    t.clock.time += 1_000;
    expect(await t.compactions.acquire(t.sessionId, { leaseOwner: 'b', leaseMs: 1_000 })).toBe(true);
    await t.compactions.release(t.sessionId, 'a');
    expect(await t.sessions.get(t.sessionId)).toMatchObject({ currentlyCompacting: true });
    await t.compactions.release(t.sessionId, 'b');
    expect(await t.sessions.get(t.sessionId)).toMatchObject({ currentlyCompacting: false, compactingSince: null });
    await expect(t.compactions.acquire('ses_none', { leaseOwner: 'a', leaseMs: 1 })).rejects.toThrow(NotFoundError);
  });
  it('is taken away by a cancel, which only its holder hears of, and is his to give back', async ({ t }) => {
    const lease = { leaseOwner: 'a', leaseMs: 1_000 };
    expect(await t.compactions.cancel(t.sessionId)).toBe(false);
    await t.compactions.acquire(t.sessionId, lease);
    expect(await t.compactions.isCancelled(t.sessionId, 'a')).toBe(false);
    expect([await t.compactions.cancel(t.sessionId), await t.compactions.cancel(t.sessionId)]).toEqual([true, true]);
    expect(await t.compactions.acquire(t.sessionId, lease)).toBe(false);
    expect(await t.compactions.isCancelled(t.sessionId, 'a')).toBe(true);
    expect(await t.compactions.isCancelled(t.sessionId, 'b')).toBe(false);
    expect(await t.sessions.get(t.sessionId)).toMatchObject({ currentlyCompacting: true });
    await t.compactions.release(t.sessionId, 'a');
    expect(await t.sessions.get(t.sessionId)).toMatchObject({ currentlyCompacting: false });
    expect(await t.compactions.isCancelled(t.sessionId, 'a')).toBe(false);
    await t.compactions.acquire(t.sessionId, lease);
    t.clock.time += 1_000;
    expect(await t.compactions.cancel(t.sessionId)).toBe(false);
  });

  it('still belongs to its holder after it has run out, until another one takes it', async ({ t }) => {
    const [first, second] = await t.messages.appendMany(
      t.sessionId,
      ['a', 'b'].map((words) => say(words)),
    );
    const record = (leaseOwner: string) =>
      t.compactions.recordCompaction(t.sessionId, compaction(1, [first!.id], second!.id), leaseOwner);
    await t.compactions.acquire(t.sessionId, { leaseOwner: 'a', leaseMs: 100 });
    t.clock.time += 100;
    await t.compactions.acquire(t.sessionId, { leaseOwner: 'b', leaseMs: 100 });
    await expect(record('a')).rejects.toThrow(ConflictError);
    t.clock.time += 100;
    await expect(record('b')).resolves.toMatchObject({ compaction: { status: 'completed' } });
    await t.compactions.release(t.sessionId, 'b');
    await expect(record('b')).rejects.toThrow(ConflictError);
  });

  it('is renewed by its holder, who is still at the same compaction', async ({ t }) => {
    const lease = { leaseOwner: 'a', leaseMs: 100 };
    await t.compactions.acquire(t.sessionId, lease);
    const { compactingSince } = await t.sessions.get(t.sessionId);
    t.clock.time += 60;
    expect(await t.compactions.acquire(t.sessionId, lease)).toBe(true);
    t.clock.time += 60;
    expect(await t.compactions.acquire(t.sessionId, { ...lease, leaseOwner: 'b' })).toBe(false);
    expect(await t.sessions.get(t.sessionId)).toMatchObject({ currentlyCompacting: true, compactingSince });
  });
});
