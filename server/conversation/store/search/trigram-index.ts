import { type SQL, sql } from 'drizzle-orm';
import { holdsExpression, TRIGRAM } from '#server/conversation/store/search/search-words';
import { yieldToEventLoop } from '#server/core/async';
import type { Database } from '#server/platform/database/database';
import { searchBacklog } from '#server/platform/database/schema/sessions';

/*
 * The index of trigrams for scripts without spaces (migration 0031). Parts that are older than the index are added in
 * batches in the background; until then they are scanned.
 */

/** The number of the newest row that is missing in the index; 0: none. */
const MISSING = sql`(select coalesce(max(until_row), 0) from history_search_backlog)`;

/**
 * A query of the rows (`id`) whose text contains this text, ignoring case. Less than three characters are not in the
 * index: the text of each row is read.
 * @param sessionId default: in any session
 */
export function holdingRows(text: string, sessionId?: string): SQL {
  if (Array.from(text).length < TRIGRAM) return scannedRows(text, sessionId);
  const inSession = sessionId === undefined ? sql`true` : sql`part.session_id = ${sessionId}`;
  return sql`
    select found.rowid as id from history_search_trigrams as found
    join searchable_parts as named on named.id = found.rowid
    join message_parts as part on part.id = named.part_id
    where found.text match ${holdsExpression(text)} and found.rowid > ${MISSING} and ${inSession}
    union all ${scannedRows(text, sessionId, MISSING)}`;
}

/**
 * A query of the rows (`id`) whose text contains this text, ignoring case; reads the text of each row.
 * @param sessionId default: in any session
 * @param until largest number of a row; default: all rows
 */
function scannedRows(text: string, sessionId?: string, until?: SQL): SQL {
  const inSession = sessionId === undefined ? sql`true` : sql`part_texts.session_id = ${sessionId}`;
  const holds = sql`${inSession} and instr(lower(part_texts.text), ${text.toLowerCase()}) > 0`;
  // A cross join reads its first table first: with a limit, only the rows up to it.
  return until === undefined
    ? sql`
      select named.id as id from part_texts cross join searchable_parts as named on named.part_id = part_texts.part_id
      where ${holds}`
    : sql`
      select named.id as id from searchable_parts as named cross join part_texts on part_texts.part_id = named.part_id
      where named.id <= ${until} and ${holds}`;
}

/**
 * Maximum rows and approximate maximum bytes of one transaction. Choices: other writes wait for it, so it should last a
 * few milliseconds.
 */
const ROWS_AT_ONCE = 250;
const BYTES_AT_ONCE = 500_000;

/**
 * Adds the parts that are older than the index, the newest first, in transactions of a few milliseconds. Several
 * processes may do so simultaneously.
 * @param signal stops it between two batches; the next call continues
 */
export async function completeTrigramIndex(db: Database, signal?: AbortSignal): Promise<void> {
  for (;;) {
    if (signal?.aborted) return;
    const isComplete = await db.write(async (tx) => {
      const backlog = await tx.select().from(searchBacklog).get();
      if (!backlog) return true;
      const newest = sql`
        select named.id as id, octet_length(part.content) as bytes
        from searchable_parts as named join message_parts as part on part.id = named.part_id
        where named.id <= ${backlog.untilRow} order by named.id desc limit ${ROWS_AT_ONCE}`;
      const summed = sql`select id, sum(bytes) over (order by id desc) - bytes as before from (${newest})`;
      const batch = sql`select min(id) as first from (${summed}) where before < ${BYTES_AT_ONCE}`;
      const first = (await tx.get<{ first: number | null }>(batch))?.first ?? null;
      if (first === null) {
        await tx.delete(searchBacklog);
        return true;
      }
      await tx.run(sql`
        insert or replace into history_search_trigrams (rowid, text)
        select named.id, found.text
        from searchable_parts as named join unspaced_part_texts as found on found.part_id = named.part_id
        where named.id between ${first} and ${backlog.untilRow}`);
      await tx.update(searchBacklog).set({ untilRow: first - 1 });
      return false;
    });
    if (isComplete) return;
    await yieldToEventLoop();
  }
}
