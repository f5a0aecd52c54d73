import { and, desc, eq, ne, or, type SQL } from 'drizzle-orm';
import { z } from 'zod';
import { type CompactionRecord, type CompactionTrigger, PRUNE_STRATEGY } from '#server/core/compactions';
import { usageSchema } from '#server/core/messages';
import type { StoreReader, StoreTransaction } from '#server/store/database';
import type { LeaseWatch, StoredLease } from '#server/store/lease-watch';
import { parseJsonColumn } from '#server/store/part-codec';
import { compactions, sessions } from '#server/store/schema/sessions';

export type CompactionRow = typeof compactions.$inferSelect;

const idsSchema = z.array(z.string());

/** What a prune made of one part; undo goes back to the newest mark that still stands. */
export interface PruneMark {
  readonly partId: string;
  /** What the part counts under it; null in rows from before marks were kept. */
  readonly tokens: number | null;
  /** Characters that the view still shows; null: only the placeholder. */
  readonly excerptChars: number | null;
}

const marksSchema = z.array(
  z.union([
    z.object({ partId: z.string(), tokens: z.number().nullable(), excerptChars: z.number().nullable() }),
    // As it was before marks were kept: nothing was pruned twice then.
    z.string().transform((partId) => ({ partId, tokens: null, excerptChars: null })),
  ]),
);

/** @throws CorruptRowError when the column cannot be read. */
export function marksFromRow({ id, prunedPartIds }: Pick<CompactionRow, 'id' | 'prunedPartIds'>): PruneMark[] {
  return parseJsonColumn(marksSchema, prunedPartIds, { table: 'compactions', id });
}

/**
 * The messages before the cut that a compaction keeps. Every step asks for them, so the long list of what was compacted
 * is not read along.
 *
 * @throws CorruptRowError when a JSON column cannot be read.
 */
export function keptFromRow(row: Pick<CompactionRow, 'id' | 'keptBeforeSummary' | 'keptAfterSummary'>) {
  const where = { table: 'compactions', id: row.id };
  return {
    keptBeforeSummary: parseJsonColumn(idsSchema, row.keptBeforeSummary, where),
    keptAfterSummary: parseJsonColumn(idsSchema, row.keptAfterSummary, where),
  };
}

/** @throws CorruptRowError when a JSON column cannot be read. */
export function compactionFromRow(row: CompactionRow): CompactionRecord {
  const where = { table: 'compactions', id: row.id };
  const { workingContext: _, ...columns } = row;
  return {
    ...columns,
    // Written by this store only, from the same type.
    trigger: row.trigger as CompactionTrigger,
    compactedMessageIds: parseJsonColumn(idsSchema, row.compactedMessageIds, where),
    ...keptFromRow(row),
    prunedPartIds: marksFromRow(row).map(({ partId }) => partId),
    usage: row.usage === null ? null : parseJsonColumn(usageSchema, row.usage, where),
  };
}

/**
 * The compaction that a session's view starts from: the newest that was completed, not undone, and no prune.
 * Undefined while nothing is compacted. Only what a view needs: the ids it replaced are long and nobody reads them here.
 */
export function findStandingCompaction(db: Pick<StoreReader, 'select'>, sessionId: string) {
  return db
    .select({
      id: compactions.id,
      keptBeforeSummary: compactions.keptBeforeSummary,
      keptAfterSummary: compactions.keptAfterSummary,
      firstKeptMessageId: compactions.firstKeptMessageId,
      summaryMessageId: compactions.summaryMessageId,
    })
    .from(compactions)
    .where(
      and(
        eq(compactions.sessionId, sessionId),
        eq(compactions.status, 'completed'),
        ne(compactions.strategy, PRUNE_STRATEGY),
      ),
    )
    .orderBy(desc(compactions.createdAt), desc(compactions.id))
    .limit(1)
    .get();
}

/* Who compacts a session: the lease is in the session's own row. */

/** The columns that `compactionLease` reads. */
export const compactionLeaseColumns = {
  id: sessions.id,
  currentlyCompacting: sessions.currentlyCompacting,
  compactionLeaseOwner: sessions.compactionLeaseOwner,
  compactionLeaseExpiresAt: sessions.compactionLeaseExpiresAt,
} as const;

type Row = Pick<typeof sessions.$inferSelect, keyof typeof compactionLeaseColumns>;

/** The lease of whoever compacts the session; of nobody where it is not being compacted. */
export function compactionLease(row: Row): StoredLease {
  const name = `compaction:${row.id}`;
  if (!row.currentlyCompacting) return { name, owner: null, expiresAt: null };
  return { name, owner: row.compactionLeaseOwner, expiresAt: row.compactionLeaseExpiresAt };
}

/** Sessions that are marked as being compacted, by processes dead or alive. */
export async function compactedSessions(db: Pick<StoreReader, 'select'>, where?: SQL): Promise<Row[]> {
  return db
    .select(compactionLeaseColumns)
    .from(sessions)
    .where(and(eq(sessions.currentlyCompacting, true), where));
}

/**
 * Ends the compactions of these sessions whose lease has run out.
 * @param lateMs how much longer one is waited for that may only be late to renew
 * @returns how many there were
 */
export async function releaseDead(
  tx: StoreTransaction,
  { watch, now, lateMs = 0 }: { readonly watch: LeaseWatch; readonly now: number; readonly lateMs?: number },
  where?: SQL,
): Promise<number> {
  const rows = await compactedSessions(tx, where);
  const dead = rows.filter((row) => watch.hasRunOut(compactionLease(row), now, lateMs));
  if (dead.length === 0) return 0;
  return releaseCompactions(tx, or(...dead.map(({ id }) => eq(sessions.id, id))));
}

/** Ends the compactions of these sessions, whoever ran them: the sessions are free. Returns how many there were. */
export async function releaseCompactions(tx: StoreTransaction, where: SQL | undefined): Promise<number> {
  const released = {
    currentlyCompacting: false,
    compactingSince: null,
    compactionLeaseOwner: null,
    compactionLeaseExpiresAt: null,
  };
  return (await tx.update(sessions).set(released).where(where).run()).rowsAffected;
}
