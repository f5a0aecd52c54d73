import { and, count, desc, eq, inArray, max, ne, or, type SQL, sql } from 'drizzle-orm';
import type { CompactionCommit, CompactionFailure, PruneCommit } from '#server/context/ports';
import { type CompactionRecord, NO_GAIN, type CompactionFigures } from '#server/core/conversation/compactions';
import { PRUNE_STRATEGY } from '#server/core/conversation/labels';
import { ConflictError, NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import type { Message, Usage } from '#server/core/conversation/messages';
import type { ServerText } from '#server/core/coded-message';
import { errorFields } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import {
  compactionLease,
  compactionLeaseColumns,
  type CompactionLeases,
  createCompactionLeases,
  findCompactionLease,
} from '#server/conversation/store/compaction-lease';
import {
  compactionFromRow,
  type CompactionRow,
  findActiveCompaction,
} from '#server/conversation/store/compaction-rows';
import { builtOnce, type Database, type StoreReader, type StoreTransaction } from '#server/platform/database/database';
import { isLiveSession } from '#server/conversation/store/sessions/delete-session';
import { LeaseWatch } from '#server/platform/database/leases';
import { insertMessages } from '#server/conversation/store/message-writer';
import { storableText } from '#server/platform/database/json-column';
import { clearParts, type PruneMark, restoreParts } from '#server/conversation/store/prune-marks';
import { compactions, sessions } from '#server/platform/database/schema/sessions';

/** Filter for a session's compactions and prunes; default: all. */
export interface CompactionQuery {
  /** Maximum number, newest first. */
  readonly most?: number | undefined;
  readonly status?: CompactionRecord['status'] | undefined;
}

/** Stores compactions and prunes. Each record is one transaction with everything it changes. */
export interface CompactionRepository extends CompactionLeases {
  /**
   * Stores the summary as a message with one compaction-marker; the view starts from it from now on.
   *
   * @param leaseOwner the owner that must still hold the session's lease. Default: not checked
   * @throws ConflictError if the lease is lost, or the view has changed since the plan
   */
  recordCompaction(
    sessionId: string,
    commit: CompactionCommit,
    leaseOwner?: string,
  ): Promise<{ compaction: CompactionRecord; summaryMessage: Message }>;
  /** Clears the parts from the view; their content stays stored. */
  recordPrune(sessionId: string, prune: PruneCommit): Promise<CompactionRecord>;
  /**
   * Undoes a prune or the newest compaction: restores the previous view and working context, plus the messages since.
   *
   * @throws NotFoundError, ConflictError if it is not active, a newer compaction builds on it, or one runs.
   */
  undo(sessionId: string, compactionId: string): Promise<CompactionRecord>;
  /** The pause that `setSummarizerPause` stored last; null: none. */
  summarizerPause(sessionId: string): Promise<unknown>;
  /** Stores when the model that failed to write the session's summaries may be asked again; null: at any time. */
  setSummarizerPause(sessionId: string, pause: object | null): Promise<void>;
  /** Records an attempt that changed nothing. */
  recordFailure(sessionId: string, failure: CompactionFailure): Promise<CompactionRecord>;
  /** A text that changes with each compaction and prune and with each undo of one; failures do not change it. */
  version(sessionId: string): Promise<string>;
  /** The version, and whether a live process compacts the session; read at the same moment. */
  viewState(sessionId: string): Promise<{ readonly version: string; readonly isCompacting: boolean }>;
  /** Newest first. */
  list(sessionId: string, options?: CompactionQuery): Promise<CompactionRecord[]>;
  /** Attempts to summarize, newest first: completed ones, and those that were abandoned because they gained nothing. */
  attempts(sessionId: string, most: number): Promise<CompactionRecord[]>;
  /** Compactions with these summary messages, in any order. */
  ofSummaries(sessionId: string, summaryMessageIds: readonly string[]): Promise<CompactionRecord[]>;
}

/** What the version of a view consists of: of all compactions that have not failed. */
const versionColumns = {
  n: count(compactions.id),
  undone: count(sql`nullif(${compactions.status} = 'undone', 0)`),
  newest: max(compactions.id),
};

const findVersion = builtOnce((db: StoreReader) =>
  db
    .select(versionColumns)
    .from(compactions)
    .where(and(eq(compactions.sessionId, sql.placeholder('sessionId')), ne(compactions.status, 'failed')))
    .prepare(),
);

const findViewState = builtOnce((db: StoreReader) =>
  db
    .select({ ...compactionLeaseColumns, ...versionColumns })
    .from(sessions)
    .leftJoin(compactions, and(eq(compactions.sessionId, sessions.id), ne(compactions.status, 'failed')))
    .where(eq(sessions.id, sql.placeholder('sessionId')))
    .groupBy(sessions.id)
    .prepare(),
);

function versionOf(row: { readonly n: number; readonly undone: number; readonly newest: string | null } | undefined) {
  return [row?.n, row?.undone, row?.newest].join(' ');
}

/** `now` returns epoch milliseconds. */
export function createCompactionRepository(
  db: Database,
  now: () => number = Date.now,
  watch: LeaseWatch = new LeaseWatch(now),
): CompactionRepository {
  async function newest(condition: SQL | undefined, most = -1): Promise<CompactionRecord[]> {
    const rows = await db.read
      .select()
      .from(compactions)
      .where(condition)
      .orderBy(desc(compactions.createdAt), desc(compactions.id))
      .limit(most);
    return rows.map(compactionFromRow);
  }

  return {
    ...createCompactionLeases(db, now, watch),

    recordCompaction: (
      sessionId,
      {
        summary,
        narrative,
        summaryTokens,
        compactedMessageIds,
        workingContext,
        previousSummaryId,
        error,
        ...compaction
      },
      leaseOwner,
    ) =>
      db.write(async (tx) => {
        const time = now();
        if (leaseOwner !== undefined) await requireBasis(tx, sessionId, leaseOwner, previousSummaryId);
        const marker = {
          summary,
          narrative: narrative ?? '',
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
            workingContext,
          })
          .where(eq(sessions.id, sessionId));
        const record = await insertRecord(tx, sessionId, {
          ...compaction,
          workingContext,
          ...storedError(error),
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
        const marks = await clearParts(tx, sessionId, parts, createdAt);
        return insertRecord(tx, sessionId, { ...prune, round, strategy: PRUNE_STRATEGY, marks, createdAt });
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
        if (record.status !== 'completed') throw new ConflictError(serverText('compaction-not-active'));
        // This transaction needs no lease: a compaction that starts later reads the resulting view.
        if (await findCompactionLease(tx, sessionId, watch, now()))
          throw new ConflictError(serverText('compaction-before-undo'));
        if (record.strategy !== PRUNE_STRATEGY) await requireNewest(tx, record);
        await tx.update(compactions).set({ status: 'undone' }).where(eq(compactions.id, compactionId));
        if (record.strategy === PRUNE_STRATEGY) await restoreParts(tx, record);
        else await restoreWorkingContext(tx, sessionId);
        return { ...record, status: 'undone' };
      }),

    async summarizerPause(sessionId) {
      const row = await db.read
        .select({ pause: sessions.summarizerPause })
        .from(sessions)
        .where(eq(sessions.id, sessionId))
        .get();
      return row?.pause ?? null;
    },

    async setSummarizerPause(sessionId, summarizerPause) {
      await db.write((tx) => tx.update(sessions).set({ summarizerPause }).where(eq(sessions.id, sessionId)));
    },

    recordFailure: (sessionId, { error, ...failure }) =>
      db.write(async (tx) =>
        insertRecord(tx, sessionId, {
          ...failure,
          round: (await compactionCount(tx, sessionId)) + 1,
          status: 'failed',
          tokensAfter: failure.tokensBefore,
          ...storedError(error),
          createdAt: now(),
        }),
      ),

    async version(sessionId) {
      return versionOf(await findVersion(db.read).get({ sessionId }));
    },

    async viewState(sessionId) {
      const row = await findViewState(db.read).get({ sessionId });
      const lease = row?.currentlyCompacting ? compactionLease(row) : null;
      return { version: versionOf(row), isCompacting: lease !== null && !watch.hasRunOut(lease, now()) };
    },

    list: (sessionId, { most, status } = {}) =>
      newest(and(eq(compactions.sessionId, sessionId), status && eq(compactions.status, status)), most),

    attempts: (sessionId, most) => {
      const code = sql`json_extract(${compactions.errorMessage}, '$.code')`;
      const gainedNothing = and(eq(compactions.status, 'failed'), eq(code, NO_GAIN));
      return newest(
        and(
          eq(compactions.sessionId, sessionId),
          ne(compactions.strategy, PRUNE_STRATEGY),
          or(eq(compactions.status, 'completed'), gainedNothing),
        ),
        most,
      );
    },

    async ofSummaries(sessionId, summaryMessageIds) {
      if (summaryMessageIds.length === 0) return [];
      const ofThem = inArray(compactions.summaryMessageId, [...summaryMessageIds]);
      const rows = await db.read
        .select()
        .from(compactions)
        .where(and(eq(compactions.sessionId, sessionId), ofThem));
      return rows.map(compactionFromRow);
    },
  };
}

/** @throws NotFoundError */
async function compactionCount(tx: StoreTransaction, sessionId: string): Promise<number> {
  const row = await tx.select({ count: sessions.compactionCount }).from(sessions).where(isLiveSession(sessionId)).get();
  if (!row) throw new NotFoundError('session', sessionId);
  return row.count;
}

/**
 * Restores the working context of the compaction that the view now starts from; clears it if no compaction is active.
 */
async function restoreWorkingContext(tx: StoreTransaction, sessionId: string): Promise<void> {
  const active = await findActiveCompaction(tx, sessionId);
  const row = active && (await tx.select().from(compactions).where(eq(compactions.id, active.id)).get());
  const workingContext = row?.workingContext ?? null;
  await tx.update(sessions).set({ workingContext }).where(eq(sessions.id, sessionId));
}

/**
 * Checks that the compaction still has its lease and its view. An expired lease counts until another process takes it
 * or settles the remaining work of its holder, so that a delay alone loses no work.
 * @throws ConflictError if the lease is lost, or the view has changed since the plan
 */
async function requireBasis(
  tx: StoreTransaction,
  sessionId: string,
  leaseOwner: string,
  previousSummaryId: string | null,
): Promise<void> {
  const row = await tx
    .select({ owner: sessions.compactionLeaseOwner })
    .from(sessions)
    .where(eq(sessions.id, sessionId))
    .get();
  const newest = await findActiveCompaction(tx, sessionId);
  if (row?.owner !== leaseOwner || (newest?.summaryMessageId ?? null) !== previousSummaryId)
    throw new ConflictError(serverText('compaction-taken-over'));
}

/** @throws ConflictError if a later compaction includes this one's summary. */
async function requireNewest(tx: StoreTransaction, { sessionId, id }: CompactionRecord): Promise<void> {
  const newest = await findActiveCompaction(tx, sessionId);
  if (newest?.id !== id) throw new ConflictError(serverText('newer-compaction'));
}

const storedError = (error: ServerText | null) => errorFields(error && { ...error, text: storableText(error.text) });

type NewRecord = CompactionFigures &
  Partial<Omit<CompactionRecord, 'usage' | 'prunedPartIds'>> & {
    readonly modelId: string | null;
    readonly marks?: readonly PruneMark[];
    readonly workingContext?: object | undefined;
    readonly usage?: Usage | null | undefined;
  };

async function insertRecord(
  tx: StoreTransaction,
  sessionId: string,
  { marks = [], ...record }: NewRecord,
): Promise<CompactionRecord> {
  const row: CompactionRow = {
    status: 'completed',
    messagesCompacted: 0,
    firstKeptMessageId: null,
    summaryMessageId: null,
    contextWindow: null,
    workingContext: null,
    durationMs: 0,
    error: null,
    errorMessage: null,
    ...record,
    id: createId('cmp'),
    sessionId,
    compactedMessageIds: JSON.stringify(record.compactedMessageIds ?? []),
    prunedPartIds: JSON.stringify(marks),
    keptBeforeSummary: JSON.stringify(record.keptBeforeSummary ?? []),
    keptAfterSummary: JSON.stringify(record.keptAfterSummary ?? []),
    usage: record.usage ? JSON.stringify(record.usage) : null,
  };
  await tx.insert(compactions).values(row);
  return compactionFromRow(row);
}
