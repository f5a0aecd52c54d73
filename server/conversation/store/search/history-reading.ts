import { and, asc, desc, eq, gt, gte, isNull, lt, lte, not, type SQL, sql } from 'drizzle-orm';
import { partText } from '#server/core/conversation/part-text';
import type { Message } from '#server/core/conversation/messages';
import type { SessionHit } from '#server/core/conversation/search-hits';
import { type HistorySearch, ofTurn, readHits } from '#server/conversation/store/search/history-search';
import type { Database } from '#server/platform/database/database';
import { withParts } from '#server/conversation/store/message-rows';
import { messages } from '#server/platform/database/schema/sessions';
import type { OnSites } from '#server/conversation/store/sessions/session-repository';
import type { HistoryLine, HistoryReader } from '#server/tools/tool';
import { z } from 'zod';
import { decodeCursor, type Page, pageSize, toPage } from '#server/platform/database/cursor';
import {
  isUnspaced,
  matchExpression,
  type Phrases,
  searchPhrases,
} from '#server/conversation/store/search/search-words';

/* Searches conversations and reads around the hits: one session for its tools, all sessions of a user for that user. */

/** Maximum length of an exchange that is read for its answer; messages. */
const MAX_EXCHANGE = 200;

/**
 * Searches and reads the history of one session, for its tools.
 * @param exceptTurn a turn that is excluded
 */
export function createHistoryReader(
  db: Database,
  history: HistorySearch,
  sessionId: string,
  exceptTurn: string,
): HistoryReader {
  const ofSession = and(
    eq(messages.sessionId, sessionId),
    eq(messages.isSummary, false),
    isNull(messages.supersededBy),
    not(ofTurn(messages, exceptTurn)),
  );
  const isRequest = and(ofSession, eq(messages.role, 'user'), isNull(messages.parentId));

  async function read(where: SQL | undefined, limit: number): Promise<Message[]> {
    const rows = await db.read.select().from(messages).where(where).orderBy(asc(messages.seq)).limit(limit);
    return withParts(db.read, rows);
  }

  async function requestSeq(where: SQL | undefined, order: SQL): Promise<number | undefined> {
    const row = await db.read.select({ seq: messages.seq }).from(messages).where(where).orderBy(order).limit(1).get();
    return row?.seq;
  }

  return {
    search: (query, limit) => history.search(sessionId, query, { limit, exceptTurn }),
    readPart: (partId) => history.readPart(sessionId, partId),
    imagesOf: (partId) => history.imagesOf(sessionId, partId),

    async exchangeAt(seq) {
      const start = await requestSeq(and(isRequest, lte(messages.seq, seq)), desc(messages.seq));
      if (start === undefined) return null;
      const end = await requestSeq(and(isRequest, gt(messages.seq, start)), asc(messages.seq));
      const inside = and(ofSession, gte(messages.seq, start), end === undefined ? undefined : lt(messages.seq, end));
      const [request, ...rest] = await read(inside, MAX_EXCHANGE);
      const answers = rest.filter(({ role }) => role === 'assistant').map(textOf);
      return {
        seq: start,
        request: request ? textOf(request) : '',
        answer: answers.findLast((text) => text !== '') ?? '',
      };
    },

    async readFrom(seq, limit) {
      const found = await read(and(ofSession, gte(messages.seq, seq)), limit);
      return found.flatMap(linesOf);
    },
  };
}

function textOf({ parts }: Message): string {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.content.text] : []));
  return texts.join('\n').trim();
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

function indexed(scope: SearchScope, phrases: Phrases, operator: 'AND' | 'OR'): SQL {
  const expression = matchExpression('sessionId' in scope ? scope.sessionId : null, phrases, operator);
  return sql`(select rowid from history_search where history_search match ${expression}) as hit
    join searchable_parts on searchable_parts.id = hit.rowid`;
}

/** For scripts that the index cannot split into words: scans everything. */
function holding(phrases: Phrases, operator: 'AND' | 'OR'): SQL {
  const wanted = phrases.flat().map((word) => sql`instr(lower(text), ${word.toLowerCase()}) > 0`);
  const all = sql.join(wanted, operator === 'AND' ? sql` and ` : sql` or `);
  return sql`(select part_id as id from part_texts where ${all}) as hit
    join searchable_parts on searchable_parts.part_id = hit.id`;
}
