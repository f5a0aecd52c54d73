import { and, desc, eq, inArray, isNull, lte, or, sql } from 'drizzle-orm';
import { PRUNE_STRATEGY, type CompactionRecord, type CompactionTrigger } from '#server/core/compactions';
import { ConflictError, NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import type { Message, Usage } from '#server/core/messages';
import type { Lease } from '#server/store/begin-turn';
import { compactionFromRow, type CompactionRow } from '#server/store/compaction-codec';
import type { Database, StoreTransaction } from '#server/store/database';
import { messageIdOfLegacyPart } from '#server/store/message-codec';
import { backfillLegacyMessages, insertMessages } from '#server/store/message-rows';
import { compactions, messageParts, sessions } from '#server/store/schema';
import { findStandingCompaction } from '#server/store/standing-compaction';
import { storableText } from '#server/store/storable-text';

export interface NewCompaction {
  /** 1 for the session's first compaction. */
  readonly round: number;
  readonly strategy: string;
  readonly trigger: CompactionTrigger;
  /** Tokens of the view before and after. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly compactedMessageIds: readonly string[];
  /** The first message that stays in the view as it is; null when all were compacted. */
  readonly firstKeptMessageId: string | null;
  /** Messages before it that the view keeps, in front of the summary and behind it. */
  readonly keptBeforeSummary?: readonly string[];
  readonly keptAfterSummary?: readonly string[];
  /** What the session works on after this compaction; stored with it. */
  readonly workingContext?: object;
  readonly summary: string;
  readonly summaryTokens: number;
  readonly modelId: string | null;
  readonly durationMs: number;
  readonly usage: Usage | null;
}

/** Who must still hold the session's compaction lease, and the summary that the new one continues. */
export interface CompactionBasis {
  readonly leaseOwner: string;
  readonly previousSummaryId: string | null;
}

export interface NewPrune {
  readonly trigger: CompactionTrigger;
  /** Tokens of the view before and after. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** What each cleared part counts from now on. Parts that are cleared already are left alone. */
  readonly parts: readonly {
    readonly partId: string;
    readonly tokensAfter: number;
    /** Characters of the output that stay in the view. Default none. */
    readonly excerptChars?: number;
  }[];
  readonly modelId: string | null;
}

export interface FailedCompaction {
  readonly strategy: string;
  readonly trigger: CompactionTrigger;
  readonly tokensBefore: number;
  readonly modelId: string | null;
  readonly durationMs: number;
  readonly error: string;
  readonly usage?: Usage | null | undefined;
}

/** What compactions and prunes did, and who may run one. Each record is one transaction with what it records. */
export interface CompactionRepository {
  /**
   * Marks the session as being compacted, or renews the lease of whoever does it already. False: somebody else is at
   * it, and that lease has not run out.
   *
   * @throws NotFoundError
   */
  acquire(sessionId: string, lease: Lease): Promise<boolean>;
  /** Ends what `acquire` began; does nothing when the lease has gone to somebody else. */
  release(sessionId: string, leaseOwner: string): Promise<void>;
  /** Stores the summary, as a message with one compaction-marker, which the view starts from now on. */
  recordCompaction(
    sessionId: string,
    compaction: NewCompaction,
    /** What it was planned on; a ConflictError where that has changed. Default: nothing is asked. */
    basis?: CompactionBasis,
  ): Promise<{ compaction: CompactionRecord; summaryMessage: Message }>;
  /** Clears the parts from the view; their content stays. */
  recordPrune(sessionId: string, prune: NewPrune): Promise<CompactionRecord>;
  /**
   * Takes a prune or the newest compaction back: the view is again what it was before, plus what was said since.
   *
   * @throws NotFoundError, ConflictError when it does not stand (any more) or a newer compaction builds on it.
   */
  undo(sessionId: string, compactionId: string): Promise<CompactionRecord>;
  /** Notes an attempt that changed nothing. */
  recordFailure(sessionId: string, failure: FailedCompaction): Promise<CompactionRecord>;
  /** The newest first. */
  list(sessionId: string): Promise<CompactionRecord[]>;
}

/** `now` gives epoch milliseconds. */
export function createCompactionRepository(db: Database, now: () => number = Date.now): CompactionRepository {
  return {
    acquire: (sessionId, { leaseOwner, leaseMs }) =>
      db.write(async (tx) => {
        const time = now();
        const mine = eq(sessions.compactionLeaseOwner, leaseOwner);
        const free = or(eq(sessions.currentlyCompacting, false), lte(sessions.compactionLeaseExpiresAt, time));
        const { rowsAffected } = await tx
          .update(sessions)
          .set({
            currentlyCompacting: true,
            compactingSince: sql`case when ${mine} then ${sessions.compactingSince} else ${time} end`,
            compactionLeaseOwner: leaseOwner,
            compactionLeaseExpiresAt: time + leaseMs,
          })
          .where(and(eq(sessions.id, sessionId), or(free, mine)))
          .run();
        if (rowsAffected === 0) await compactionCount(tx, sessionId);
        return rowsAffected > 0;
      }),

    async release(sessionId, leaseOwner) {
      await db.write((tx) =>
        tx
          .update(sessions)
          .set({
            currentlyCompacting: false,
            compactingSince: null,
            compactionLeaseOwner: null,
            compactionLeaseExpiresAt: null,
          })
          .where(and(eq(sessions.id, sessionId), eq(sessions.compactionLeaseOwner, leaseOwner))),
      );
    },

    recordCompaction: (
      sessionId,
      { summary, summaryTokens, compactedMessageIds, workingContext, ...compaction },
      basis,
    ) =>
      db.write(async (tx) => {
        const time = now();
        if (basis) await requireBasis(tx, sessionId, basis, time);
        const marker = {
          summary,
          compactedAt: time,
          messagesCompacted: compactedMessageIds.length,
          originalTokens: compaction.tokensBefore,
          round: compaction.round,
        };
        const [summaryMessage] = await insertMessages(
          tx,
          sessionId,
          [
            {
              role: 'assistant',
              modelId: compaction.modelId,
              parts: [{ type: 'compaction-marker', content: marker, tokens: summaryTokens }],
            },
          ],
          time,
          { isSummary: true },
        );
        await tx
          .update(sessions)
          .set({
            compactionCount: sql`${sessions.compactionCount} + 1`,
            lastCompactionAt: time,
            ...(workingContext !== undefined && { workingContext }),
          })
          .where(eq(sessions.id, sessionId));
        const record = await insertRecord(tx, sessionId, {
          ...compaction,
          messagesCompacted: compactedMessageIds.length,
          compactedMessageIds,
          summaryMessageId: summaryMessage!.id,
          createdAt: time,
        });
        return { compaction: record, summaryMessage: summaryMessage! };
      }),

    recordPrune: (sessionId, { parts, ...prune }) =>
      db.write(async (tx) => {
        const createdAt = now();
        const round = (await compactionCount(tx, sessionId)) + 1;
        const prunedPartIds = await clearParts(tx, sessionId, parts, createdAt);
        return insertRecord(tx, sessionId, { ...prune, round, strategy: PRUNE_STRATEGY, prunedPartIds, createdAt });
      }),

    undo: (sessionId, compactionId) =>
      db.write(async (tx) => {
        const row = await tx
          .select()
          .from(compactions)
          .where(and(eq(compactions.id, compactionId), eq(compactions.sessionId, sessionId)))
          .get();
        if (!row) throw new NotFoundError('compaction', compactionId);
        const record = compactionFromRow(row);
        if (record.status !== 'completed')
          throw new ConflictError('This compaction does not stand, so there is nothing to undo.');
        if (record.strategy === PRUNE_STRATEGY) await restoreParts(tx, sessionId, record.prunedPartIds);
        else await requireNewest(tx, record);
        await tx.update(compactions).set({ status: 'undone' }).where(eq(compactions.id, compactionId));
        return { ...record, status: 'undone' };
      }),

    recordFailure: (sessionId, { error, ...failure }) =>
      db.write(async (tx) =>
        insertRecord(tx, sessionId, {
          ...failure,
          round: (await compactionCount(tx, sessionId)) + 1,
          status: 'failed',
          tokensAfter: failure.tokensBefore,
          error: storableText(error),
          createdAt: now(),
        }),
      ),

    async list(sessionId) {
      const rows = await db.read
        .select()
        .from(compactions)
        .where(eq(compactions.sessionId, sessionId))
        .orderBy(desc(compactions.createdAt), desc(compactions.id));
      return rows.map(compactionFromRow);
    },
  };
}

/** @throws NotFoundError */
async function compactionCount(tx: StoreTransaction, sessionId: string): Promise<number> {
  const row = await tx
    .select({ count: sessions.compactionCount })
    .from(sessions)
    .where(eq(sessions.id, sessionId))
    .get();
  if (!row) throw new NotFoundError('session', sessionId);
  return row.count;
}

/** Marks the parts as cleared and returns the ids of those that were not yet. */
async function clearParts(
  tx: StoreTransaction,
  sessionId: string,
  parts: NewPrune['parts'],
  compactedAt: number,
): Promise<string[]> {
  // The mark needs a row to be on.
  await backfillLegacyMessages(
    tx,
    parts.flatMap(({ partId }) => messageIdOfLegacyPart(partId) ?? []),
  );
  const cleared: string[] = [];
  for (const { partId, tokensAfter, excerptChars = null } of parts) {
    const uncleared = and(
      eq(messageParts.id, partId),
      eq(messageParts.sessionId, sessionId),
      isNull(messageParts.compactedAt),
    );
    const { rowsAffected } = await tx
      .update(messageParts)
      .set({
        compactedAt,
        tokens: tokensAfter,
        excerptChars,
        originalTokens: sql`coalesce(${messageParts.originalTokens}, ${messageParts.tokens})`,
      })
      .where(uncleared)
      .run();
    if (rowsAffected > 0) cleared.push(partId);
  }
  return cleared;
}

/** @throws ConflictError when the lease has gone, or the view is no longer the one that was planned on. */
async function requireBasis(
  tx: StoreTransaction,
  sessionId: string,
  { leaseOwner, previousSummaryId }: CompactionBasis,
  time: number,
): Promise<void> {
  const row = await tx
    .select({ owner: sessions.compactionLeaseOwner, expiresAt: sessions.compactionLeaseExpiresAt })
    .from(sessions)
    .where(eq(sessions.id, sessionId))
    .get();
  const isOurs = row?.owner === leaseOwner && (row.expiresAt ?? 0) > time;
  const newest = await findStandingCompaction(tx, sessionId);
  if (!isOurs || (newest?.summaryMessageId ?? null) !== previousSummaryId)
    throw new ConflictError('Another process has taken over the compaction of this conversation.');
}

/** Ids in one statement; SQLite takes a bounded number of parameters. */
const CHUNK = 1_000;

/** Shows the parts in full again. */
async function restoreParts(tx: StoreTransaction, sessionId: string, partIds: readonly string[]): Promise<void> {
  for (let start = 0; start < partIds.length; start += CHUNK) {
    const ids = partIds.slice(start, start + CHUNK);
    await tx
      .update(messageParts)
      .set({ compactedAt: null, excerptChars: null, tokens: messageParts.originalTokens, originalTokens: null })
      .where(and(eq(messageParts.sessionId, sessionId), inArray(messageParts.id, ids)));
  }
}

/** @throws ConflictError when a later compaction has this one's summary in its own. */
async function requireNewest(tx: StoreTransaction, { sessionId, id }: CompactionRecord): Promise<void> {
  const newest = await findStandingCompaction(tx, sessionId);
  if (newest?.id !== id) throw new ConflictError('Undo the newer compaction first: it builds on this one.');
}

type NewRecord = Pick<
  CompactionRecord,
  'round' | 'strategy' | 'trigger' | 'tokensBefore' | 'tokensAfter' | 'modelId' | 'createdAt'
> &
  Partial<Omit<CompactionRecord, 'usage'>> & { readonly usage?: Usage | null | undefined };

async function insertRecord(tx: StoreTransaction, sessionId: string, record: NewRecord): Promise<CompactionRecord> {
  const row: CompactionRow = {
    status: 'completed',
    messagesCompacted: 0,
    firstKeptMessageId: null,
    summaryMessageId: null,
    durationMs: 0,
    error: null,
    ...record,
    id: createId('cmp'),
    sessionId,
    compactedMessageIds: JSON.stringify(record.compactedMessageIds ?? []),
    prunedPartIds: JSON.stringify(record.prunedPartIds ?? []),
    keptBeforeSummary: JSON.stringify(record.keptBeforeSummary ?? []),
    keptAfterSummary: JSON.stringify(record.keptAfterSummary ?? []),
    usage: record.usage ? JSON.stringify(record.usage) : null,
  };
  await tx.insert(compactions).values(row);
  return compactionFromRow(row);
}
