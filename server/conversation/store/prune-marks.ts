import { and, eq, inArray, ne, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { PruneCommit } from '#server/context/ports';
import { yieldToEventLoop } from '#server/core/async';
import type { CompactionRecord } from '#server/core/conversation/compactions';
import { PRUNE_STRATEGY } from '#server/core/conversation/labels';
import type { StoreTransaction } from '#server/platform/database/database';
import { messageIdOfLegacyPart } from '#server/conversation/store/legacy-messages';
import { backfillLegacyMessages } from '#server/conversation/store/message-writer';
import { parseJsonColumn } from '#server/platform/database/json-column';
import { compactions, messageParts } from '#server/platform/database/schema/sessions';

/* The marks that pruning sets on parts. */

/** Result of pruning one part; an undo restores the newest mark of an active prune. */
export interface PruneMark {
  readonly partId: string;
  /** Tokens of the pruned part; null in rows that are older than marks. */
  readonly tokens: number | null;
  /** Characters that the view still shows; null: only the placeholder. */
  readonly excerptChars: number | null;
}

const marksSchema = z.array(
  z.union([
    z.object({ partId: z.string(), tokens: z.number().nullable(), excerptChars: z.number().nullable() }),
    // Rows that are older than marks contain only ids: at that time nothing was pruned twice.
    z.string().transform((partId) => ({ partId, tokens: null, excerptChars: null })),
  ]),
);

/** @throws CorruptRowError if the column cannot be read. */
export function marksFromRow({ id, prunedPartIds }: typeof compactions.$inferSelect): PruneMark[] {
  return parseJsonColumn(marksSchema, prunedPartIds, { table: 'compactions', id });
}

/** Number of parts that one statement clears. */
const PARTS_AT_ONCE = 250;

/** Marks the parts as cleared; returns the marks of those that were complete before, or a longer excerpt. */
export async function clearParts(
  tx: StoreTransaction,
  sessionId: string,
  parts: PruneCommit['parts'],
  compactedAt: number,
): Promise<PruneMark[]> {
  // The mark is stored in the part's row.
  await backfillLegacyMessages(
    tx,
    parts.flatMap(({ partId }) => messageIdOfLegacyPart(partId) ?? []),
  );
  const marks: PruneMark[] = [];
  for (const wanted of batchesOf(parts)) {
    // Only the writer waits for all batches: the first step of a long import clears thousands of outputs.
    if (marks.length > 0) await yieldToEventLoop();
    // The + prevents SQLite from scanning the session for each part, so that parts are found by id.
    const cleared = await tx.all<{ id: string }>(sql`
      update message_parts set
        compacted_at = ${compactedAt}, tokens = wanted.tokens, excerpt_chars = wanted.excerpt_chars,
        original_tokens = coalesce(message_parts.original_tokens, message_parts.tokens)
      from (
        select value ->> 'partId' as id, value ->> 'tokens' as tokens, value ->> 'excerptChars' as excerpt_chars
        from json_each(${JSON.stringify(wanted)})
      ) as wanted
      where message_parts.id = wanted.id and +message_parts.session_id = ${sessionId} and (
        message_parts.compacted_at is null
        or (message_parts.excerpt_chars is not null and message_parts.tokens > wanted.tokens))
      returning message_parts.id as id`);
    const ids = new Set(cleared.map(({ id }) => id));
    marks.push(...wanted.filter(({ partId }) => ids.has(partId)));
  }
  return marks;
}

/** Batches of parts, each cleared by one statement; a part that occurs twice is cleared twice. */
function batchesOf(parts: PruneCommit['parts']): PruneMark[][] {
  const batches: PruneMark[][] = [];
  let ids = new Set<string>();
  for (const { partId, tokensAfter, excerptChars = null } of parts) {
    const batch = batches.at(-1);
    const mark = { partId, tokens: tokensAfter, excerptChars };
    if (batch && ids.size < PARTS_AT_ONCE && !ids.has(partId)) batch.push(mark);
    else {
      batches.push([mark]);
      ids = new Set();
    }
    ids.add(partId);
  }
  return batches;
}

/** Ids per statement; SQLite accepts a limited number of parameters. */
const CHUNK = 1_000;

/** Shows the parts in full again, or as the newest active prune left them. */
export async function restoreParts(
  tx: StoreTransaction,
  { id, sessionId, prunedPartIds }: CompactionRecord,
): Promise<void> {
  const others = await tx
    .select()
    .from(compactions)
    .where(
      and(
        eq(compactions.sessionId, sessionId),
        eq(compactions.strategy, PRUNE_STRATEGY),
        eq(compactions.status, 'completed'),
        ne(compactions.id, id),
      ),
    )
    .orderBy(compactions.createdAt, compactions.id);
  const standing = new Map(
    others.flatMap((row) => marksFromRow(row).map((mark) => [mark.partId, { ...mark, compactedAt: row.createdAt }])),
  );
  for (const partId of prunedPartIds) {
    const mark = standing.get(partId);
    if (!mark) continue;
    const { compactedAt, excerptChars, tokens } = mark;
    await tx.update(messageParts).set({ compactedAt, excerptChars, tokens }).where(eq(messageParts.id, partId));
  }
  const whole = prunedPartIds.filter((partId) => !standing.has(partId));
  for (let start = 0; start < whole.length; start += CHUNK) {
    const ids = whole.slice(start, start + CHUNK);
    await tx
      .update(messageParts)
      .set({ compactedAt: null, excerptChars: null, tokens: messageParts.originalTokens, originalTokens: null })
      .where(and(eq(messageParts.sessionId, sessionId), inArray(messageParts.id, ids)));
  }
}
