import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { SessionHit } from '#server/core/messages';
import { decodeCursor, type Page, pageSize, toPage } from '#server/store/cursor';
import type { Database } from '#server/store/database';
import { isUnspaced, matchExpression, type Phrases, readHits, searchPhrases } from '#server/store/history-search';

const USUAL_HITS = 20;
const MOST_HITS = 50;

/** Sessions that are searched: all of a user, or one. */
export type SearchScope = { readonly ownerId: string } | { readonly sessionId: string };

export interface SessionSearchOptions {
  /** Default 20, at most 50. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/**
 * Finds what was said, and what the assistant wrote, the newest first; a message is one hit, and stands on one page.
 * Messages with all words of the query or, where there are none, with some of them.
 * @throws InvalidInputError for a cursor that is not one
 */
export type SessionSearch = (
  scope: SearchScope,
  query: string,
  options?: SessionSearchOptions,
) => Promise<Page<SessionHit>>;

/** Rows before this number, with all words of the query or some. */
const cursorSchema = z.tuple([z.number().int(), z.enum(['AND', 'OR'])]);
type Start = z.infer<typeof cursorSchema>;

interface FoundMessage {
  /** Number of its newest part with the words, by which the hits are in order. */
  readonly row: number;
  readonly partId: string;
  readonly sessionId: string;
  readonly title: string;
}

/** The search over the index of the history. */
export function createSessionSearch(db: Database): SessionSearch {
  async function find(
    scope: SearchScope,
    phrases: Phrases,
    [before, operator]: Start,
    limit: number,
  ): Promise<FoundMessage[]> {
    const isIn = 'sessionId' in scope ? sql`session.id = ${scope.sessionId}` : sql`session.owner_id = ${scope.ownerId}`;
    // SQLite takes the other columns from the row with the maximum.
    return db.read.all<FoundMessage>(sql`
      select max(searchable_parts.id) as "row", part.id as partId, session.id as sessionId, session.title as title
      from ${phrases.some(isUnspaced) ? holding(phrases, operator) : indexed(scope, phrases, operator)}
      join message_parts as part on part.id = searchable_parts.part_id
      join messages as message on message.id = part.message_id
      join sessions as session on session.id = part.session_id
      where part.type in ('text', 'tool-call')
        and message.superseded_by is null and not message.is_summary
        and ${isIn} and session.deleted_at is null
      group by message.id
      having max(searchable_parts.id) < ${before}
      order by 1 desc
      limit ${limit}`);
  }

  return async (scope, query, { limit, cursor } = {}) => {
    const phrases = searchPhrases(query);
    if (phrases.length === 0) return { items: [], nextCursor: null };
    const size = pageSize(limit, USUAL_HITS, MOST_HITS);
    let start: Start = cursor === undefined ? [Number.MAX_SAFE_INTEGER, 'AND'] : decodeCursor(cursorSchema, cursor);
    let messages = await find(scope, phrases, start, size + 1);
    if (messages.length === 0 && cursor === undefined && phrases.length > 1) {
      start = [start[0], 'OR'];
      messages = await find(scope, phrases, start, size + 1);
    }
    const { items: found, nextCursor } = toPage(messages, size, ({ row }) => [row, start[1]]);
    const byPart = new Map(found.map((message) => [message.partId, message]));
    const hits = await readHits(db, [...byPart.keys()], phrases);
    const items = hits.map((hit): SessionHit => {
      const { sessionId, title } = byPart.get(hit.partId)!;
      return { sessionId, title, ...hit };
    });
    return { items, nextCursor };
  };
}

function indexed(scope: SearchScope, phrases: Phrases, operator: 'AND' | 'OR'): SQL {
  const expression = matchExpression('sessionId' in scope ? scope.sessionId : null, phrases, operator);
  return sql`(select rowid from history_search where history_search match ${expression}) as hit
    join searchable_parts on searchable_parts.id = hit.rowid`;
}

/** For scripts that the index cannot part into words: reads everything. */
function holding(phrases: Phrases, operator: 'AND' | 'OR'): SQL {
  const wanted = phrases.flat().map((word) => sql`instr(lower(text), ${word.toLowerCase()}) > 0`);
  const all = sql.join(wanted, operator === 'AND' ? sql` and ` : sql` or `);
  return sql`(select part_id as id from part_texts where ${all}) as hit
    join searchable_parts on searchable_parts.part_id = hit.id`;
}
