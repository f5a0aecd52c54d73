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
  notExists,
  type Placeholder,
  type SQL,
  sql,
} from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { z } from 'zod';
import type { MessageWriter } from '#server/agent/answer-writer';
import type { ContextStore } from '#server/context/ports';
import { letOthersThrough } from '#server/core/async';
import type { Message, NewMessage } from '#server/core/messages';
import type { Adopted } from '#server/core/sessions';
import type { Turn } from '#server/core/turns';
import { appendConversation, isNotStaged } from '#server/store/import-conversation';
import { findActiveCompaction, keptFromRow } from '#server/store/compaction-rows';
import { decodeCursor, encodeCursor, type Page, pageSize, toPage } from '#server/store/cursor';
import { builtOnce, type Database, type StoreReader } from '#server/store/database';
import { LeaseWatch } from '#server/store/leases';
import { type MessageRow, messagesFromRows, withParts } from '#server/store/message-rows';
import { createMessageWriter } from '#server/store/message-writer';
import { messageParts, messages, seenPlaces } from '#server/store/schema/sessions';
import { requireRunning } from '#server/store/turn-rows';

const PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 1_000;
/** Messages that one query reads with their parts, while nobody else can be served. */
const ROWS_AT_ONCE = 250;
/** SQLite takes a bounded number of parameters. */
const IDS_PER_QUERY = 1_000;

interface MessageQuery {
  readonly cursor?: string | undefined;
  /** Default 100, at most 1,000. */
  readonly limit?: number | undefined;
  /** Also the summaries of compactions. Default false. */
  readonly summaries?: boolean | undefined;
  /** Also what another message was sent in the place of. Default false. */
  readonly superseded?: boolean | undefined;
}

/** Messages with their parts, always in `seq` order. Every read throws CorruptRowError rather than skip a broken row. */
export interface MessageRepository extends MessageWriter {
  /**
   * Writes for a running turn. Each checks in its transaction that the turn still runs under that owner, and throws
   * TurnLostError, with nothing written, when another process has ended or taken it.
   */
  forTurn(turn: Pick<Turn, 'id' | 'leaseOwner'>): MessageWriter;
  /**
   * Like `append`, of what belongs to no turn; all of them or none, with others let through between the pieces of a long
   * conversation (see import-conversation).
   * @throws ConflictError while a turn of the session runs, or something else has it
   */
  appendMany(sessionId: string, newMessages: readonly NewMessage[], adopted?: Adopted): Promise<Message[]>;
  readonly find: (id: string) => Promise<Message | null>;
  /** @throws InvalidInputError for a cursor that is not one. */
  list(sessionId: string, query?: MessageQuery): Promise<Page<Message>>;
  /**
   * Backwards in whole turns: at least `limit` of the newest messages in front of `cursor`, and so many more that no
   * turn is cut; in order, summaries included. `nextCursor` leads to those in front of them.
   * @throws InvalidInputError for a cursor that is not one.
   */
  listTurns(sessionId: string, query?: Pick<MessageQuery, 'cursor' | 'limit'>): Promise<Page<Message>>;
  /** Messages that were superseded when this one was sent, in order. */
  earlierVersion(sessionId: string, messageId: string): Promise<Message[]>;
  /** Selects the messages that were sent in the place of others. */
  replacements(messageIds: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Loads what the newest active compaction left in the view, and everything since; all messages when there was none.
   * Nothing that is superseded, whenever it was.
   */
  readonly loadView: ContextStore['loadView'];
  /** All messages but summaries and superseded ones whose `seq` is smaller. */
  loadBefore(sessionId: string, seq: number): Promise<Message[]>;
  /** The newest revisions at which tool results have shown things of the site, by what they are noted under. */
  seenIn(sessionId: string): Promise<Record<string, number>>;
  /** All messages from that `seq` on, summaries included. */
  loadFrom(sessionId: string, seq: number): Promise<Message[]>;
}

/** `now` gives epoch milliseconds. */
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

  /** Page by page: others are let through while a long conversation is read. */
  async function loadPages(next: (last: Message | undefined) => PromiseLike<MessageRow[]>): Promise<Message[]> {
    const loaded: Message[] = [];
    for (;;) {
      const rows = await next(loaded.at(-1));
      for (const message of await withParts(db.read, rows)) loaded.push(message);
      if (rows.length < ROWS_AT_ONCE) return loaded;
      await letOthersThrough();
    }
  }

  async function find(id: string): Promise<Message | null> {
    return (await load(eq(messages.id, id)))[0] ?? null;
  }

  /** The newest compaction that stands, with its summary and the `seq` its view starts from. */
  async function latestCompaction(sessionId: string) {
    const row = await findActiveCompaction(db.read, sessionId);
    const summary = row?.summaryMessageId ? await find(row.summaryMessageId) : null;
    if (!row || !summary) return null;
    const { firstKeptMessageId } = row;
    const fromSeq = firstKeptMessageId === null ? summary.seq + 1 : await seqOf(firstKeptMessageId);
    return { summary, fromSeq, ...keptFromRow(row) };
  }

  /** Should the boundary be gone, showing a message twice is better than losing one. */
  async function seqOf(messageId: string): Promise<number> {
    const row = await db.read.select({ seq: messages.seq }).from(messages).where(eq(messages.id, messageId)).get();
    return row?.seq ?? 0;
  }

  /**
   * The `seq` of the newest message that begins a turn and has at least `count` of these from it on; null where the
   * conversation begins first. Words that the user sent into a running turn begin none.
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

  /** Loads messages by their ids, without those between them. */
  async function loadIds(ids: readonly string[]): Promise<Message[]> {
    if (ids.length === 0) return [];
    const rows = await db.read
      .select()
      .from(messages)
      .where(and(inArray(messages.id, [...ids]), isNull(messages.supersededBy)))
      .orderBy(asc(messages.seq));
    const partRows = await db.read
      .select()
      .from(messageParts)
      .where(inArray(messageParts.messageId, [...ids]))
      .orderBy(asc(messageParts.order));
    return messagesFromRows(rows, partRows);
  }

  return {
    ...createMessageWriter((work, order) => db.write(work, order), now),
    forTurn: (turn) =>
      createMessageWriter(
        (work, order) =>
          db.write(async (tx) => {
            await requireRunning(tx, turn);
            return work(tx);
          }, order),
        now,
      ),
    appendMany: (sessionId, newMessages, adopted = {}) =>
      appendConversation(db, sessionId, newMessages, adopted, now, watch),
    find,

    async list(sessionId, { cursor, limit, summaries = false, superseded = false } = {}) {
      const size = pageSize(limit, PAGE_SIZE, MAX_PAGE_SIZE);
      const rows = await db.read
        .select()
        .from(messages)
        .where(
          and(
            eq(messages.sessionId, sessionId),
            cursor === undefined ? undefined : gt(messages.seq, decodeCursor(z.number(), cursor)),
            summaries ? undefined : eq(messages.isSummary, false),
            superseded ? isNotStaged : isNull(messages.supersededBy),
          ),
        )
        .orderBy(asc(messages.seq))
        .limit(size + 1);
      const page = toPage(rows, size, (last) => last.seq);
      return { ...page, items: await withParts(db.read, page.items) };
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

    async loadView(sessionId) {
      const compaction = await latestCompaction(sessionId);
      const fromSeq = compaction?.fromSeq ?? 0;
      const since = await loadPages((last) =>
        findInView(db.read).all({ sessionId, fromSeq: last ? last.seq + 1 : fromSeq }),
      );
      if (!compaction) return { leading: [], summary: null, kept: [], messages: since };
      const leading = await loadIds(compaction.keptBeforeSummary);
      const kept = await loadIds(compaction.keptAfterSummary);
      return { leading, summary: compaction.summary, kept, messages: since };
    },

    loadBefore: (sessionId, seq) => load(ofView(sessionId), lt(messages.seq, seq)),

    async seenIn(sessionId) {
      const { key, revision } = seenPlaces;
      const rows = await db.read.select({ key, revision }).from(seenPlaces).where(eq(seenPlaces.sessionId, sessionId));
      return Object.fromEntries(rows.map((row) => [row.key, row.revision]));
    },

    loadFrom: (sessionId, seq) => load(eq(messages.sessionId, sessionId), isNotStaged, gte(messages.seq, seq)),
  };
}

/** By the index of what is superseded: whatever the length of the session, only these are looked for. */
export function replacementsQuery(db: Pick<StoreReader, 'selectDistinct'>, ids: readonly string[]) {
  return db
    .selectDistinct({ id: messages.supersededBy })
    .from(messages)
    .where(inArray(messages.supersededBy, [...ids]));
}

const findInView = builtOnce((db: Pick<StoreReader, 'select'>) =>
  db
    .select()
    .from(messages)
    .where(and(ofView(sql.placeholder('sessionId')), gte(messages.seq, sql.placeholder('fromSeq'))))
    .orderBy(asc(messages.seq))
    .limit(ROWS_AT_ONCE)
    .prepare(),
);

/** Messages of a session that are neither summaries nor superseded. */
function ofView(sessionId: string | Placeholder) {
  return and(eq(messages.sessionId, sessionId), eq(messages.isSummary, false), isNull(messages.supersededBy));
}
