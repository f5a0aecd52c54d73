import {
  and,
  asc,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNull,
  lt,
  lte,
  ne,
  notExists,
  or,
  type Placeholder,
  type SQL,
  sql,
} from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { z } from 'zod';
import type { MessageWriter } from '#server/conversation/step/answer-writer';
import { yieldToEventLoop } from '#server/core/async';
import type { StoredView } from '#server/context/view';
import type { Message, NewMessage } from '#server/core/conversation/messages';
import type { Adopted } from '#server/core/conversation/session-export';
import type { OwnedTurn } from '#server/core/conversation/turns';
import { appendConversation, isNotStaged } from '#server/conversation/store/import-conversation';
import { activeCompaction, findActiveCompaction, keptFromRow } from '#server/conversation/store/compaction-rows';
import { decodeCursor, encodeCursor, type Page, pageSize, toPage } from '#server/platform/database/cursor';
import { builtOnce, type Database, type StoreReader } from '#server/platform/database/database';
import { LeaseWatch } from '#server/platform/database/leases';
import { type MessageRow, messagesFromRows, withParts } from '#server/conversation/store/message-rows';
import {
  createMessageWriter,
  createTurnWriter,
  type PositionedWriter,
} from '#server/conversation/store/message-writer';
import { messageParts, messages, seenPlaces } from '#server/platform/database/schema/sessions';
import { acceptedRequests } from '#server/platform/database/schema/turns';

const PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 1_000;
/** Number of messages that one query reads with their parts; the process serves no other request during that time. */
const ROWS_AT_ONCE = 250;
/** SQLite accepts a limited number of parameters. */
const IDS_PER_QUERY = 1_000;

interface MessageQuery {
  readonly cursor?: string | undefined;
  /** Default 100, at most 1,000. */
  readonly limit?: number | undefined;
  /** Include the summaries of compactions. Default false. */
  readonly summaries?: boolean | undefined;
  /** Include messages that were replaced by another one. Default false. */
  readonly superseded?: boolean | undefined;
}

/**
 * Messages with their parts, always in `seq` order. Every read throws CorruptRowError instead of skipping a broken row.
 */
export interface MessageRepository extends PositionedWriter {
  /**
   * Writes for a running turn. Each checks in its transaction that the turn still runs under this owner, and throws
   * TurnLostError without writing if another process has ended or taken it.
   */
  forTurn(turn: OwnedTurn): MessageWriter;
  /**
   * Like `append`, for messages without a turn; all or nothing, yielding to other work between the batches of a long
   * conversation (see import-conversation).
   * @throws ConflictError while a turn of the session runs, or the session is otherwise busy
   */
  appendMany(sessionId: string, newMessages: readonly NewMessage[], adopted?: Adopted): Promise<Message[]>;
  readonly find: (id: string) => Promise<Message | null>;
  /** @throws InvalidInputError for an invalid cursor. */
  list(sessionId: string, query?: MessageQuery): Promise<Page<Message>>;
  /**
   * Reads backwards in whole turns: at least `limit` of the newest messages before `cursor`, and as many more as are
   * needed to keep turns complete; in order, including summaries. `nextCursor` leads to the messages before them.
   * @throws InvalidInputError for an invalid cursor.
   */
  listTurns(sessionId: string, query?: Pick<MessageQuery, 'cursor' | 'limit'>): Promise<Page<Message>>;
  /** Messages that were superseded when this one was sent, in order. */
  earlierVersion(sessionId: string, messageId: string): Promise<Message[]>;
  /** Returns which of the messages replaced others. */
  replacements(messageIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Ids that clients gave their requests, by the id of the message or of its entry in the queue. */
  clientRequestIds(sessionId: string, acceptedAs: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  /**
   * Loads the messages that the newest active compaction kept in the view and all later ones; all messages if there is
   * no compaction. Never includes superseded messages.
   */
  readonly loadView: (sessionId: string) => Promise<StoredView>;
  /** All messages with a smaller `seq`, except summaries and superseded ones. */
  loadBefore(sessionId: string, seq: number): Promise<Message[]>;
  /**
   * The newest revisions at which tool results have shown things of the site, by the key under which they are stored.
   */
  seenIn(sessionId: string): Promise<Record<string, number>>;
  /** All messages from this `seq` on, including summaries. */
  loadFrom(sessionId: string, seq: number): Promise<Message[]>;
  /** The messages of a turn that begins at this `seq`, and summaries up to the next turn, in order. */
  loadTurn(sessionId: string, turnId: string, seq: number): Promise<Message[]>;
  /** Ids of the turns that contain these parts, or the last message before this one; newest first. */
  turnsWith(place: { readonly partIds: readonly string[] } | { readonly before: string }): Promise<string[]>;
  /**
   * The answers without a turn, from imports, that contain these parts: each with the messages between two requests, in
   * order. Newest first, at most `limit`.
   */
  loadImportedAnswers(sessionId: string, partIds: readonly string[], limit: number): Promise<Message[][]>;
}

/** `now` returns epoch milliseconds. */
export function createMessageRepository(
  db: Database,
  now: () => number = Date.now,
  watch: LeaseWatch = new LeaseWatch(now),
): MessageRepository {
  function load(...conditions: (SQL | undefined)[]): Promise<Message[]> {
    return loadPages((last) =>
      db.read
        .select()
        .from(messages)
        .where(and(...conditions, last && gt(messages.seq, last.seq)))
        .orderBy(asc(messages.seq))
        .limit(ROWS_AT_ONCE),
    );
  }

  /** Reads in pages and yields to other work in between. */
  async function loadPages(next: (last: Message | undefined) => PromiseLike<MessageRow[]>): Promise<Message[]> {
    const loaded: Message[] = [];
    for (;;) {
      const rows = await next(loaded.at(-1));
      for (const message of await withParts(db.read, rows)) loaded.push(message);
      if (rows.length < ROWS_AT_ONCE) return loaded;
      await yieldToEventLoop();
    }
  }

  async function find(id: string): Promise<Message | null> {
    return (await load(eq(messages.id, id)))[0] ?? null;
  }

  /**
   * The newest active compaction, and the first messages after it. On a database server they are read together, because
   * each read is a round trip; on a file, the compaction is only read if there is one. Read again if another compaction
   * became active in between.
   */
  async function startOfView(sessionId: string) {
    for (;;) {
      const [early, found, partRows] = await Promise.all([
        db.isServer ? findActiveCompaction(db.read, sessionId) : null,
        findStartOfView(db.read).all({ sessionId }),
        findPartsOfStart(db.read).all({ sessionId }),
      ]);
      const [first] = found;
      const isNone = db.isServer || first?.compactionId === null;
      const compaction = isNone ? early : await findActiveCompaction(db.read, sessionId);
      if (first && first.compactionId !== (compaction?.id ?? null)) continue;
      const rows = found.map(({ message }) => message);
      const since = messagesFromRows(
        rows,
        partRows.map(({ part }) => part),
      );
      return { compaction, since, isWhole: rows.length < ROWS_AT_ONCE };
    }
  }

  /**
   * The `seq` of the newest message that starts a turn with at least `count` messages from it on; null if the
   * conversation starts before that. Messages that the user sent into a running turn start none.
   */
  async function startOfTurns(these: SQL | undefined, count: number): Promise<number | null> {
    const newest = db.read.select({ seq: messages.seq }).from(messages).where(these).orderBy(desc(messages.seq));
    const last = await newest.limit(1).offset(count - 1);
    if (!last[0]) return null;
    const earlier = alias(messages, 'earlier');
    const sameTurn = and(
      eq(earlier.turnId, messages.turnId),
      eq(earlier.role, 'user'),
      isNull(earlier.supersededBy),
      lt(earlier.seq, messages.seq),
    );
    const begins = and(
      these,
      lte(messages.seq, last[0].seq),
      eq(messages.role, 'user'),
      isNull(messages.parentId),
      notExists(db.read.select({ id: earlier.id }).from(earlier).where(sameTurn)),
    );
    const ofTurns = db.read.select({ seq: messages.seq }).from(messages).where(begins).orderBy(desc(messages.seq));
    const [start, another] = await ofTurns.limit(2);
    return start && another ? start.seq : null;
  }

  /** The `seq` of the first message of the user among these, in this order. */
  async function requestNextTo(these: SQL | undefined, order: typeof asc): Promise<number | undefined> {
    const ofUser = and(these, eq(messages.role, 'user'));
    const found = db.read.select({ seq: messages.seq }).from(messages).where(ofUser).orderBy(order(messages.seq));
    return (await found.limit(1).get())?.seq;
  }

  /** Loads messages by id, without those between them. */
  async function loadIds(ids: readonly string[]): Promise<Message[]> {
    if (ids.length === 0) return [];
    const [rows, partRows] = await Promise.all([
      db.read
        .select()
        .from(messages)
        .where(and(inArray(messages.id, [...ids]), isNull(messages.supersededBy)))
        .orderBy(asc(messages.seq)),
      db.read
        .select()
        .from(messageParts)
        .where(inArray(messageParts.messageId, [...ids]))
        .orderBy(asc(messageParts.order)),
    ]);
    return messagesFromRows(rows, partRows);
  }

  return {
    ...createMessageWriter((work, order) => db.write(work, order), now),
    forTurn: (turn) => createTurnWriter(db, turn, now),
    appendMany: (sessionId, newMessages, adopted = {}) =>
      appendConversation(db, sessionId, newMessages, adopted, now, watch),
    find,

    async list(sessionId, { cursor, limit, summaries = false, superseded = false } = {}) {
      const size = pageSize(limit, PAGE_SIZE, MAX_PAGE_SIZE);
      const listed = and(
        eq(messages.sessionId, sessionId),
        cursor === undefined ? undefined : gt(messages.seq, decodeCursor(z.number(), cursor)),
        summaries ? undefined : eq(messages.isSummary, false),
        superseded ? isNotStaged : isNull(messages.supersededBy),
      );
      const ids = db.read
        .select({ id: messages.id })
        .from(messages)
        .where(listed)
        .orderBy(asc(messages.seq))
        .limit(size);
      // Read together: on a database server each read is a round trip.
      const [rows, partRows] = await Promise.all([
        db.read
          .select()
          .from(messages)
          .where(listed)
          .orderBy(asc(messages.seq))
          .limit(size + 1),
        db.read
          .select()
          .from(messageParts)
          .where(inArray(messageParts.messageId, ids))
          .orderBy(asc(messageParts.order)),
      ]);
      const page = toPage(rows, size, (last) => last.seq);
      return { ...page, items: messagesFromRows(page.items, partRows) };
    },

    async listTurns(sessionId, { cursor, limit } = {}) {
      const standing = and(
        eq(messages.sessionId, sessionId),
        isNull(messages.supersededBy),
        cursor === undefined ? undefined : lt(messages.seq, decodeCursor(z.number(), cursor)),
      );
      const start = await startOfTurns(standing, pageSize(limit, PAGE_SIZE, MAX_PAGE_SIZE));
      const items = await load(standing, start === null ? undefined : gte(messages.seq, start));
      return { items, nextCursor: start === null ? null : encodeCursor(start) };
    },

    earlierVersion: (sessionId, messageId) =>
      load(eq(messages.sessionId, sessionId), eq(messages.supersededBy, messageId)),

    async replacements(messageIds) {
      const found = new Set<string>();
      for (let start = 0; start < messageIds.length; start += IDS_PER_QUERY) {
        const ids = messageIds.slice(start, start + IDS_PER_QUERY);
        for (const { id } of await replacementsQuery(db.read, ids)) if (id !== null) found.add(id);
      }
      return found;
    },

    async clientRequestIds(sessionId, acceptedAs) {
      const found = new Map<string, string[]>();
      for (let start = 0; start < acceptedAs.length; start += IDS_PER_QUERY) {
        const rows = await db.read
          .select({ acceptedAs: acceptedRequests.acceptedAs, id: acceptedRequests.clientRequestId })
          .from(acceptedRequests)
          .where(
            and(
              eq(acceptedRequests.sessionId, sessionId),
              inArray(acceptedRequests.acceptedAs, acceptedAs.slice(start, start + IDS_PER_QUERY)),
            ),
          );
        for (const row of rows) found.set(row.acceptedAs, [...(found.get(row.acceptedAs) ?? []), row.id]);
      }
      return found;
    },

    async loadView(sessionId) {
      const { compaction, since, isWhole } = await startOfView(sessionId);
      const later = isWhole
        ? []
        : await loadPages((last) =>
            findInView(db.read).all({ sessionId, fromSeq: ((last ?? since.at(-1))?.seq ?? 0) + 1 }),
          );
      const view = { leading: [], summary: null, kept: [], messages: [...since, ...later] };
      if (!compaction?.summaryMessageId) return view;
      const { keptBeforeSummary, keptAfterSummary } = keptFromRow(compaction);
      const [summary, leading, kept] = await Promise.all([
        find(compaction.summaryMessageId),
        loadIds(keptBeforeSummary),
        loadIds(keptAfterSummary),
      ]);
      return summary ? { ...view, leading, summary, kept } : view;
    },

    loadBefore: (sessionId, seq) => load(ofView(sessionId), lt(messages.seq, seq)),

    async seenIn(sessionId) {
      const { key, revision } = seenPlaces;
      const rows = await db.read.select({ key, revision }).from(seenPlaces).where(eq(seenPlaces.sessionId, sessionId));
      return Object.fromEntries(rows.map((row) => [row.key, row.revision]));
    },

    async loadTurn(sessionId, turnId, seq) {
      const standing = and(eq(messages.sessionId, sessionId), isNull(messages.supersededBy));
      const isOther = and(eq(messages.isSummary, false), or(isNull(messages.turnId), ne(messages.turnId, turnId)));
      const next = await db.read
        .select({ seq: messages.seq })
        .from(messages)
        .where(and(standing, gt(messages.seq, seq), isOther))
        .orderBy(asc(messages.seq))
        .limit(1)
        .get();
      return load(standing, gte(messages.seq, seq), next && lt(messages.seq, next.seq));
    },

    async turnsWith(place) {
      if ('before' in place) {
        const later = await find(place.before);
        if (!later) return [];
        const earlier = and(ofView(later.sessionId), lt(messages.seq, later.seq));
        const row = await db.read
          .select({ turnId: messages.turnId })
          .from(messages)
          .where(earlier)
          .orderBy(desc(messages.seq))
          .limit(1)
          .get();
        return row?.turnId ? [row.turnId] : [];
      }
      const found = new Set<string>();
      for (let start = 0; start < place.partIds.length; start += IDS_PER_QUERY) {
        const rows = await db.read
          .selectDistinct({ turnId: messages.turnId })
          .from(messageParts)
          .innerJoin(messages, eq(messages.id, messageParts.messageId))
          .where(inArray(messageParts.id, place.partIds.slice(start, start + IDS_PER_QUERY)));
        for (const { turnId } of rows) if (turnId !== null) found.add(turnId);
      }
      return [...found].toSorted().toReversed();
    },

    async loadImportedAnswers(sessionId, partIds, limit) {
      const seqs = new Set<number>();
      for (let start = 0; start < partIds.length; start += IDS_PER_QUERY) {
        const rows = await db.read
          .selectDistinct({ seq: messages.seq })
          .from(messageParts)
          .innerJoin(messages, eq(messages.id, messageParts.messageId))
          .where(
            and(
              eq(messages.sessionId, sessionId),
              isNull(messages.turnId),
              inArray(messageParts.id, partIds.slice(start, start + IDS_PER_QUERY)),
            ),
          );
        for (const { seq } of rows) seqs.add(seq);
      }
      const standing = and(eq(messages.sessionId, sessionId), isNull(messages.supersededBy));
      const answers: Message[][] = [];
      let loadedFrom = Infinity;
      for (const seq of [...seqs].toSorted((a, b) => b - a)) {
        if (answers.length === limit) break;
        if (seq >= loadedFrom) continue;
        const [request, next] = await Promise.all([
          requestNextTo(and(standing, lt(messages.seq, seq)), desc),
          requestNextTo(and(standing, gt(messages.seq, seq)), asc),
        ]);
        const after = request === undefined ? undefined : gt(messages.seq, request);
        const answer = await load(standing, after, next === undefined ? undefined : lt(messages.seq, next));
        answers.push(answer);
        loadedFrom = answer[0]?.seq ?? seq;
      }
      return answers;
    },

    loadFrom: (sessionId, seq) => load(eq(messages.sessionId, sessionId), isNotStaged, gte(messages.seq, seq)),
  };
}

/** Uses the index of superseded messages, so the cost does not depend on the length of the session. */
export function replacementsQuery(db: StoreReader, ids: readonly string[]) {
  return db
    .selectDistinct({ id: messages.supersededBy })
    .from(messages)
    .where(inArray(messages.supersededBy, [...ids]));
}

const findInView = builtOnce((db: StoreReader) =>
  db
    .select()
    .from(messages)
    .where(and(ofView(sql.placeholder('sessionId')), gte(messages.seq, sql.placeholder('fromSeq'))))
    .orderBy(asc(messages.seq))
    .limit(ROWS_AT_ONCE)
    .prepare(),
);

/** Selects the first messages of the view of the session `:sessionId`, by their `seq`. */
function inStartOfView(db: StoreReader) {
  return and(ofView(sql.placeholder('sessionId')), sql`${messages.seq} >= ${activeCompaction(db).fromSeq}`);
}

const findStartOfView = builtOnce((db: StoreReader) =>
  db
    .select({ message: messages, compactionId: activeCompaction(db).id })
    .from(messages)
    .where(inStartOfView(db))
    .orderBy(asc(messages.seq))
    .limit(ROWS_AT_ONCE)
    .prepare(),
);

/** The parts of the messages of `findStartOfView`, in order. */
const findPartsOfStart = builtOnce((db: StoreReader) => {
  const start = db
    .select({ id: messages.id, seq: messages.seq })
    .from(messages)
    .where(inStartOfView(db))
    .orderBy(asc(messages.seq))
    .limit(ROWS_AT_ONCE)
    .as('start');
  return db
    .select({ part: messageParts })
    .from(start)
    .innerJoin(messageParts, eq(messageParts.messageId, start.id))
    .orderBy(asc(start.seq), asc(messageParts.order))
    .prepare();
});

/** Messages of a session that are neither summaries nor superseded. */
function ofView(sessionId: string | Placeholder) {
  return and(eq(messages.sessionId, sessionId), eq(messages.isSummary, false), isNull(messages.supersededBy));
}
