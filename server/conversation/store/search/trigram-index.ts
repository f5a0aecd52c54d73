import type { FaultLog } from '#server/core/process';
import { setTimeout } from 'node:timers/promises';
import { type SQL, sql } from 'drizzle-orm';
import { holdsExpression, TRIGRAM } from '#server/conversation/store/search/search-words';
import { yieldToEventLoop } from '#server/core/async';
import type { Database } from '#server/platform/database/database';
import { searchBacklog } from '#server/platform/database/schema/sessions';

/*
 * The index of trigrams for scripts without spaces (migrations 0031 and 0032). Parts that are older than the index are
 * added in batches in the background; until then they are scanned.
 */

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
    where found.history_search_trigrams match ${holdsExpression(sessionId ?? null, text)} and ${inSession}
      and found.rowid > (select coalesce(max(until_row), 0) from history_search_backlog)
    union all ${missingRows(text, sessionId)}`;
}

/** A query of all rows (`id`) with this text, ignoring case; reads the text of each row. */
function scannedRows(text: string, sessionId?: string): SQL {
  return sql`
    select named.id as id from part_texts cross join searchable_parts as named on named.part_id = part_texts.part_id
    where ${holds(text, sessionId)}`;
}

/**
 * Those rows that are not in the index yet. A cross join reads its first table first: where no row is missing, nothing
 * is read, otherwise the texts of the session, or the rows up to the newest missing one.
 */
function missingRows(text: string, sessionId?: string): SQL {
  const read =
    sessionId === undefined
      ? sql`searchable_parts as named cross join part_texts on part_texts.part_id = named.part_id`
      : sql`part_texts cross join searchable_parts as named on named.part_id = part_texts.part_id`;
  return sql`
    select named.id as id from history_search_backlog as backlog cross join ${read}
    where named.id <= backlog.until_row and ${holds(text, sessionId)}`;
}

function holds(text: string, sessionId?: string): SQL {
  const inSession = sessionId === undefined ? sql`true` : sql`part_texts.session_id = ${sessionId}`;
  return sql`${inSession} and instr(lower(part_texts.text), ${text.toLowerCase()}) > 0`;
}

/**
 * Maximum rows and approximate maximum bytes of one transaction. Choices: other writes wait for it, so it should last a
 * few milliseconds.
 */
const ROWS_AT_ONCE = 250;
const BYTES_AT_ONCE = 500_000;

/** Milliseconds between a failed batch and the next attempt. A choice: a full disk or a lost server may last a while. */
const RETRY_MS = 60_000;

/** How the index is completed in the background. */
export interface CompletionOptions extends FaultLog {
  /** Stops between two batches, also during a pause; the next start continues. */
  readonly signal?: AbortSignal | undefined;
  /** Default: a minute. */
  readonly retryMs?: number;
}

/**
 * Adds the parts that are older than the index, the newest first, in transactions of a few milliseconds. Several
 * processes may do so simultaneously. After a failure it pauses and continues; the first of several in a row is logged.
 */
export async function completeTrigramIndex(
  db: Database,
  { signal, onFault, retryMs = RETRY_MS }: CompletionOptions,
): Promise<void> {
  let hasFailed = false;
  for (;;) {
    if (signal?.aborted) return;
    try {
      if (await addBatch(db)) return;
      hasFailed = false;
      await yieldToEventLoop();
    } catch (error) {
      if (signal?.aborted) return;
      if (!hasFailed) onFault('Older conversations could not be added to the search index; trying again', error);
      hasFailed = true;
      // Aborted: the loop ends. The timer does not keep the process alive.
      await setTimeout(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}

/** Adds the newest missing rows. @returns true if none is missing */
function addBatch(db: Database): Promise<boolean> {
  return db.write(async (tx) => {
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
      insert or replace into history_search_trigrams (rowid, session, text)
      select named.id, found.session_mark, found.text
      from searchable_parts as named join unspaced_part_texts as found on found.part_id = named.part_id
      where named.id between ${first} and ${backlog.untilRow}`);
    await tx.update(searchBacklog).set({ untilRow: first - 1 });
    return false;
  });
}
