import { and, desc, eq, ne } from 'drizzle-orm';
import { PRUNE_STRATEGY } from '#server/core/compactions';
import type { StoreReader } from '#server/store/database';
import { compactions } from '#server/store/schema';

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
