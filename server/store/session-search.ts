import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { SessionHit } from '#server/core/messages';
import { decodeCursor, encodeCursor, type Page, pageSize } from '#server/store/cursor';
import type { Database } from '#server/store/database';
import { isUnspaced, type Phrases, readHits, searchPhrases, textExpression } from '#server/store/history-search';

const USUAL_HITS = 20;
const MOST_HITS = 50;
/** Parts looked at for each hit: several parts of one message are one hit. */
const PARTS_PER_HIT = 4;

export interface SessionSearchOptions {
  /** Default 20, at most 50. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/**
 * Finds what was said, and what the assistant wrote, in all sessions of a user, the newest first; a message is one hit.
 * Messages with all words of the query or, where there are none, with some of them.
 * @throws InvalidInputError for a cursor that is not one
 */
export type SessionSearch = (
  ownerId: string,
  query: string,
  options?: SessionSearchOptions,
) => Promise<Page<SessionHit>>;

/** Rows before this number, with all words of the query or some. */
const cursorSchema = z.tuple([z.number().int(), z.enum(['AND', 'OR'])]);
type Start = z.infer<typeof cursorSchema>;

interface FoundPart {
  readonly row: number;
  readonly partId: string;
  readonly messageId: string;
  readonly sessionId: string;
  readonly title: string;
}

/** The search over the index of the history. */
export function createSessionSearch(db: Database): SessionSearch {
  async function find(
    ownerId: string,
    phrases: Phrases,
    [before, operator]: Start,
    limit: number,
  ): Promise<FoundPart[]> {
    const matching = phrases.some(isUnspaced) ? holding(phrases, operator) : indexed(phrases, operator);
    return db.read.all<FoundPart>(sql`
      select searchable_parts.id as "row", part.id as partId, message.id as messageId,
        session.id as sessionId, session.title as title
      from ${matching}
      join message_parts as part on part.id = searchable_parts.part_id
      join messages as message on message.id = part.message_id
      join sessions as session on session.id = part.session_id
      where searchable_parts.id < ${before} and part.type in ('text', 'tool-call')
        and message.superseded_by is null and not message.is_summary
        and session.owner_id = ${ownerId} and session.deleted_at is null
      order by searchable_parts.id desc
      limit ${limit}`);
  }

  return async (ownerId, query, { limit, cursor } = {}) => {
    const phrases = searchPhrases(query);
    if (phrases.length === 0) return { items: [], nextCursor: null };
    const size = pageSize(limit, USUAL_HITS, MOST_HITS);
    let start: Start = cursor === undefined ? [Number.MAX_SAFE_INTEGER, 'AND'] : decodeCursor(cursorSchema, cursor);
    let parts = await find(ownerId, phrases, start, size * PARTS_PER_HIT);
    if (parts.length === 0 && cursor === undefined && phrases.length > 1) {
      start = [start[0], 'OR'];
      parts = await find(ownerId, phrases, start, size * PARTS_PER_HIT);
    }
    const { chosen, last } = firstOfMessages(parts, size);
    const isEnd = last === parts.length - 1 && parts.length < size * PARTS_PER_HIT;
    const found = new Map(chosen.map((part) => [part.partId, part]));
    const hits = await readHits(db, [...found.keys()], phrases);
    const items = hits.map((hit): SessionHit => {
      const { sessionId, title } = found.get(hit.partId)!;
      return { sessionId, title, ...hit };
    });
    const end = parts[last];
    return { items, nextCursor: isEnd || end === undefined ? null : encodeCursor([end.row, start[1]]) };
  };
}

/** One part of each message, up to `size` messages, and the place of the last part that belongs to them. */
function firstOfMessages(parts: readonly FoundPart[], size: number) {
  const byMessage = new Map<string, FoundPart>();
  let last = -1;
  for (const part of parts) {
    if (!byMessage.has(part.messageId) && byMessage.size === size) break;
    if (!byMessage.has(part.messageId)) byMessage.set(part.messageId, part);
    last += 1;
  }
  return { chosen: [...byMessage.values()], last };
}

function indexed(phrases: Phrases, operator: 'AND' | 'OR'): SQL {
  return sql`(select rowid from history_search where history_search match ${textExpression(phrases, operator)}) as hit
    join searchable_parts on searchable_parts.id = hit.rowid`;
}

/** For scripts that the index cannot part into words: reads everything. */
function holding(phrases: Phrases, operator: 'AND' | 'OR'): SQL {
  const wanted = phrases.flat().map((word) => sql`instr(lower(text), ${word.toLowerCase()}) > 0`);
  const all = sql.join(wanted, operator === 'AND' ? sql` and ` : sql` or `);
  return sql`(select part_id as id from part_texts where ${all}) as hit
    join searchable_parts on searchable_parts.part_id = hit.id`;
}
