import { and, asc, eq, gte, inArray, isNull, not, type SQL, sql } from 'drizzle-orm';
import { partText } from '#server/core/conversation/part-text';
import type { Message } from '#server/core/conversation/messages';
import type { SessionHit } from '#server/core/conversation/search-hits';
import { ofTurn, readHits } from '#server/conversation/store/search/history-search';
import type { Database } from '#server/platform/database/database';
import { withParts } from '#server/conversation/store/message-rows';
import { messages } from '#server/platform/database/schema/sessions';
import type { OnSites } from '#server/conversation/store/sessions/session-repository';
import type { HistoryLine } from '#server/tools/tool';
import { z } from 'zod';
import { decodeCursor, type Page, pageSize, toPage } from '#server/platform/database/cursor';
import { holdingRows } from '#server/conversation/store/search/trigram-index';
import {
  dividePhrases,
  matchExpression,
  type Phrases,
  searchPhrases,
} from '#server/conversation/store/search/search-words';

/* Searches conversations and reads around the hits: one session for its tools, all sessions of a user for that user. */

/** Reads the messages of one session by their numbers, without those of one turn. */
export interface HistoryLines {
  /**
   * What surrounds messages, for each of these numbers in order: numbers of messages with text, the nearest first: the
   * one before, the one after, the request that led to it, and the last answer to that request.
   */
  around(seqs: readonly number[]): Promise<readonly (readonly number[])[]>;
  /** The texts of messages, by number. */
  texts(seqs: readonly number[]): Promise<readonly HistoryLine[]>;
  /** See `HistoryReader.readFrom`. */
  readFrom(seq: number, limit: number): Promise<readonly HistoryLine[]>;
}

/** @param exceptTurn a turn that is excluded */
export function createHistoryLines(db: Database, sessionId: string, exceptTurn: string): HistoryLines {
  const ofSession = and(
    eq(messages.sessionId, sessionId),
    eq(messages.isSummary, false),
    isNull(messages.supersededBy),
    not(ofTurn(messages, exceptTurn)),
  );

  async function read(where: SQL | undefined, limit: number): Promise<Message[]> {
    const rows = await db.read.select().from(messages).where(where).orderBy(asc(messages.seq)).limit(limit);
    return withParts(db.read, rows);
  }

  /** The number of the nearest message with text that fulfills a condition. */
  const nearest = (where: SQL, order: 'asc' | 'desc') => sql`(
    select message.seq from messages as message
    where message.session_id = ${sessionId} and not message.is_summary and message.superseded_by is null
      and ${where} and exists (select 1 from message_parts as part where part.message_id = message.id and part.type = 'text')
    order by message.seq ${sql.raw(order)} limit 1)`;
  // A user message with a parent is a note of the engine.
  const asks = sql`message.role = 'user' and message.parent_id is null`;
  const speaks = sql`(message.role = 'assistant' or ${asks})`;
  const nextRequest = nearest(sql`message.seq > wanted.value and ${asks}`, 'asc');
  const requestBefore = nearest(sql`message.seq <= wanted.value and ${asks}`, 'desc');
  const isAfterRequest = sql`message.seq > coalesce(${requestBefore}, 0)`;
  const isBeforeNext = sql`message.seq < coalesce(${nextRequest}, 9223372036854775807)`;

  return {
    async around(seqs) {
      const rows = await db.read.all<Record<'before' | 'after' | 'request' | 'answer', number | null>>(sql`
        select
          ${nearest(sql`message.seq < wanted.value and ${speaks}`, 'desc')} as before,
          ${nearest(sql`message.seq > wanted.value and ${speaks}`, 'asc')} as after,
          ${requestBefore} as request,
          ${nearest(sql`${isAfterRequest} and ${isBeforeNext} and message.role = 'assistant'`, 'desc')} as answer
        from json_each(${JSON.stringify(seqs)}) as wanted order by wanted.key`);
      return rows.map(({ before, after, request, answer }) =>
        [before, after, request, answer].filter((seq) => seq !== null),
      );
    },

    async texts(seqs) {
      const found = await read(and(ofSession, inArray(messages.seq, [...seqs])), seqs.length);
      return found.flatMap(linesOf).filter(({ kind }) => kind === 'text');
    },

    async readFrom(seq, limit) {
      const found = await read(and(ofSession, gte(messages.seq, seq)), limit);
      return found.flatMap(linesOf);
    },
  };
}

function linesOf({ seq, role, parts }: Message): HistoryLine[] {
  return parts.flatMap((part): HistoryLine[] => {
    if (part.type === 'text') return [{ partId: part.id, seq, role, kind: 'text', text: part.content.text }];
    if (part.type !== 'tool-call' && part.type !== 'tool-result') return [];
    const { toolName } = part.content;
    return [{ partId: part.id, seq, role, kind: part.type, toolName, text: partText(part) ?? '' }];
  });
}

const USUAL_HITS = 20;
const MOST_HITS = 50;

/** The searched sessions: all of a user, or one. */
type SearchScope = { readonly ownerId: string; readonly sites?: OnSites | undefined } | { readonly sessionId: string };

interface SessionSearchOptions {
  /** Default 20, at most 50. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/**
 * Finds user messages and the assistant's texts, newest first; each message is one hit on one page. Returns messages
 * with all words of the query or, if there are none, with some of them.
 * @throws InvalidInputError for an invalid cursor
 */
type SessionSearch = (scope: SearchScope, query: string, options?: SessionSearchOptions) => Promise<Page<SessionHit>>;

/** Rows before this number, with all words of the query or some of them. */
const cursorSchema = z.tuple([z.number().int(), z.enum(['AND', 'OR'])]);
type Start = z.infer<typeof cursorSchema>;

interface FoundMessage {
  /** Number of its newest part with the words; hits are ordered by it. */
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
    const isIn = 'sessionId' in scope ? sql`session.id = ${scope.sessionId}` : isOwn(scope.ownerId, scope.sites);
    // SQLite takes the other columns from the row with the maximum.
    return db.read.all<FoundMessage>(sql`
      select max(searchable_parts.id) as "row", part.id as partId, session.id as sessionId, session.title as title
      from ${matching(scope, phrases, operator)}
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
    let rows = await find(scope, phrases, start, size + 1);
    if (rows.length === 0 && cursor === undefined && phrases.length > 1) {
      start = [start[0], 'OR'];
      rows = await find(scope, phrases, start, size + 1);
    }
    const { items: found, nextCursor } = toPage(rows, size, ({ row }) => [row, start[1]]);
    const byPart = new Map(found.map((message) => [message.partId, message]));
    const hits = await readHits(db, [...byPart.keys()], phrases);
    const items = hits.map((hit): SessionHit => {
      const { sessionId, title } = byPart.get(hit.partId)!;
      return { sessionId, title, ...hit };
    });
    return { items, nextCursor };
  };
}

function isOwn(ownerId: string, { theirs, elsewhere }: OnSites = { theirs: null, elsewhere: [] }): SQL {
  const within = theirs === null ? sql`` : sql`and session.site_id in ${[...theirs]}`;
  return sql`session.owner_id = ${ownerId} ${within} and session.site_id not in ${[...elsewhere]}`;
}

/** Rows with all or any of the phrases; the index of words is limited to one session by the expression itself. */
function matching(scope: SearchScope, phrases: Phrases, operator: 'AND' | 'OR'): SQL {
  const sessionId = 'sessionId' in scope ? scope.sessionId : undefined;
  const { spaced, unspaced } = dividePhrases(phrases);
  const expression = matchExpression(sessionId ?? null, spaced, operator);
  const queries = [
    ...(spaced.length > 0
      ? [sql`select rowid as id from history_search where history_search match ${expression}`]
      : []),
    ...unspaced.map((word) => holdingRows(word, sessionId)),
  ].map((query) => sql`select id from (${query})`);
  return sql`(${sql.join(queries, operator === 'AND' ? sql` intersect ` : sql` union `)}) as hit
    join searchable_parts on searchable_parts.id = hit.id`;
}
