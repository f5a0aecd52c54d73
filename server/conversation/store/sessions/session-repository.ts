import { and, count, desc, eq, inArray, isNull, lt, notInArray, or, type Placeholder, sql } from 'drizzle-orm';
import { z } from 'zod';
import { EMBEDDED_SITE } from '#server/core/site/content';
import { ConflictError, NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import { DEFAULT_SESSION_TITLE, type LoadedTools, type Session } from '#server/core/conversation/sessions';
import { serverText } from '#server/core/messages/server-text';
import { decodeCursor, type Page, pageSize, toPage } from '#server/platform/database/cursor';
import { builtOnce, type Database, type StoreReader, type StoreTransaction } from '#server/platform/database/database';
import { deleteHidden, hideSession, isLiveSession } from '#server/conversation/store/sessions/delete-session';
import { parseJsonColumn, storableText } from '#server/platform/database/json-column';
import { sessions } from '#server/platform/database/schema/sessions';

const PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 200;
/**
 * Maximum sessions of one user: one a minute for two months. Only a program that never deletes any creates more, and it
 * would fill the disk unnoticed.
 */
const MOST_SESSIONS = 100_000;

interface NewSession extends SessionChanges {
  readonly ownerId: string;
  /** Default: the built-in site. */
  readonly siteId?: string | undefined;
}

interface SessionChanges {
  readonly title?: string | undefined;
  readonly modelId?: string | null | undefined;
  readonly instructions?: string | null | undefined;
}

/** Conversations of a user that are shown for one site: those on it, and those on deleted sites. */
export interface OnSites {
  /** Sites that the user may work on; null: all. */
  readonly theirs: readonly string[] | null;
  /** Sites whose conversations are shown elsewhere. */
  readonly elsewhere: readonly string[];
}

/** Which sessions of a user are listed. */
export interface SessionQuery extends SessionSearch {
  readonly ownerId: string;
  /** Default: any. */
  readonly sites?: OnSites | undefined;
}

/** A page of the sessions that match a search. */
export interface SessionSearch {
  readonly cursor?: string | undefined;
  /** Default 50, at most 200. */
  readonly limit?: number | undefined;
  /** Only sessions whose title contains this text (ASCII letters regardless of case). */
  readonly q?: string | undefined;
}

/** Conversations, without their messages. */
export interface SessionRepository {
  /** @throws ConflictError if the user has 100,000 */
  create(session: NewSession): Promise<Session>;
  find(id: string): Promise<Session | null>;
  /** @throws NotFoundError */
  get(id: string): Promise<Session>;
  /** Working context of the last compaction, as it was stored; null before the first. */
  workingContext(id: string): Promise<unknown>;
  /** Cost of its steps and summaries in US dollars, as the providers reported it; null if none did. */
  cost(id: string): Promise<number | null>;
  /**
   * Most recently used first.
   *
   * @throws InvalidInputError for an invalid cursor.
   */
  list(query: SessionQuery): Promise<Page<Session>>;
  /** Changes the given fields only. @throws NotFoundError */
  update(id: string, changes: SessionChanges): Promise<Session>;
  /**
   * Deletes the session with all its content: it disappears immediately; the content is deleted in batches, so that
   * other reads and writes can run in between. @throws NotFoundError
   */
  delete(id: string): Promise<void>;
  /** Deletes the rest of sessions whose deletion was interrupted. @param signal stops it between two batches */
  finishDeletions(signal?: AbortSignal): Promise<void>;
}

const findSession = builtOnce((db: StoreReader) =>
  db
    .select(sessionColumns(sql.placeholder('now')))
    .from(sessions)
    .where(isLiveSession(sql.placeholder('id')))
    .prepare(),
);

/** Triggers maintain the sum (migration 0022). */
const findCost = builtOnce((db: StoreReader) =>
  db
    .select({ cost: sessions.cost })
    .from(sessions)
    .where(eq(sessions.id, sql.placeholder('sessionId')))
    .prepare(),
);

const countOwn = builtOnce((tx: StoreReader) =>
  tx
    .select({ sessions: count() })
    .from(sessions)
    .where(and(eq(sessions.ownerId, sql.placeholder('ownerId')), isNull(sessions.deletedAt)))
    .prepare(),
);

const insertSession = builtOnce((tx: StoreTransaction) =>
  tx
    .insert(sessions)
    .values({
      id: sql.placeholder('id'),
      ownerId: sql.placeholder('ownerId'),
      siteId: sql.placeholder('siteId'),
      title: sql.placeholder('title'),
      modelId: sql.placeholder('modelId'),
      instructions: sql.placeholder('instructions'),
      createdAt: sql.placeholder('now'),
      updatedAt: sql.placeholder('now'),
    })
    .returning(sessionColumns(sql.placeholder('now')))
    .prepare(),
);

/** `now` returns epoch milliseconds. */
export function createSessionRepository(db: Database, now: () => number = Date.now): SessionRepository {
  const columns = () => sessionColumns(now());

  async function find(id: string): Promise<Session | null> {
    return (await findSession(db.read).get({ id, now: now() })) ?? null;
  }

  return {
    async workingContext(id) {
      const row = await db.read
        .select({ value: sessions.workingContext })
        .from(sessions)
        .where(eq(sessions.id, id))
        .get();
      return row?.value ?? null;
    },

    async cost(sessionId) {
      const row = await findCost(db.read).get({ sessionId });
      return row?.cost ?? null;
    },

    find,
    get: async (id) => (await find(id)) ?? sessionNotFound(id),

    async create({
      ownerId,
      siteId = EMBEDDED_SITE,
      title = DEFAULT_SESSION_TITLE,
      modelId = null,
      instructions = null,
    }) {
      const row = {
        id: createId('ses'),
        ownerId,
        siteId,
        title: storableText(title),
        modelId,
        instructions: instructions === null ? null : storableText(instructions),
        now: now(),
      };
      return db.write(async (tx) => {
        const own = await countOwn(tx).get({ ownerId });
        if ((own?.sessions ?? 0) >= MOST_SESSIONS) throw tooManySessions();
        return insertSession(tx).get(row);
      });
    },

    async list({ ownerId, sites, cursor, limit, q }) {
      const size = pageSize(limit, PAGE_SIZE, MAX_PAGE_SIZE);
      const rows = await db.read
        .select(columns())
        .from(sessions)
        .where(and(sessionsOf({ ownerId, cursor, q }), onSites(sites)))
        .orderBy(...lastUsedFirst)
        .limit(size + 1);
      return toPage(rows, size, cursorKey);
    },

    async update(id, { title, modelId, instructions }) {
      const changes = {
        title: title && storableText(title),
        modelId,
        instructions: instructions && storableText(instructions),
        updatedAt: now(),
      };
      const row = await db.write((tx) =>
        tx.update(sessions).set(changes).where(isLiveSession(id)).returning(columns()).get(),
      );
      return row ?? sessionNotFound(id);
    },

    async delete(id) {
      if (!(await db.write((tx) => hideSession(tx, id, now())))) sessionNotFound(id);
      // The session is hidden already. Rows that could not be removed now are deleted with the next session, or when a
      // server starts.
      await deleteHidden(db).catch(() => undefined);
    },

    finishDeletions: (signal) => deleteHidden(db, signal),
  };
}

/**
 * True while a session is shown as being compacted: until its lease expires, or a sweep releases it from a dead
 * process. Code that acts on it must ask the LeaseWatch.
 */
export function isCompacting(time: number | Placeholder) {
  return sql`${sessions.currentlyCompacting} and ${sessions.compactionLeaseExpiresAt} > ${time}`;
}

function sessionColumns(time: number | Placeholder) {
  const isHeld = isCompacting(time);
  return {
    id: sessions.id,
    title: sessions.title,
    modelId: sessions.modelId,
    ownerId: sessions.ownerId,
    siteId: sessions.siteId,
    instructions: sessions.instructions,
    compactionCount: sessions.compactionCount,
    lastCompactionAt: sessions.lastCompactionAt,
    currentlyCompacting: sql`${isHeld}`.mapWith(Boolean),
    compactingSince: sql<number | null>`case when ${isHeld} then ${sessions.compactingSince} end`,
    createdAt: sessions.createdAt,
    updatedAt: sessions.updatedAt,
  } as const;
}

/** The order of all lists of sessions, and the columns of their cursor. */
export const lastUsedFirst = [desc(sessions.updatedAt), desc(sessions.id)] as const;
/** The values of a list item that its cursor contains. */
export const cursorKey = (last: { readonly updatedAt: number; readonly id: string }) => [last.updatedAt, last.id];
const cursorSchema = z.tuple([z.number(), z.string()]);

/**
 * The sessions of a list, from its cursor on.
 * @param query.ownerId null: all users
 * @throws InvalidInputError for an invalid cursor
 */
export function sessionsOf({ ownerId, cursor, q }: SessionSearch & { ownerId: string | null }) {
  const isOwn = ownerId === null ? undefined : eq(sessions.ownerId, ownerId);
  return and(isOwn, isNull(sessions.deletedAt), after(cursor), titleContains(q));
}

function onSites(sites: OnSites | undefined) {
  if (sites === undefined) return undefined;
  const { theirs, elsewhere } = sites;
  return and(
    theirs === null ? undefined : inArray(sessions.siteId, [...theirs]),
    notInArray(sessions.siteId, [...elsewhere]),
  );
}

function after(cursor: string | undefined) {
  if (cursor === undefined) return undefined;
  const [updatedAt, id] = decodeCursor(cursorSchema, cursor);
  return or(lt(sessions.updatedAt, updatedAt), and(eq(sessions.updatedAt, updatedAt), lt(sessions.id, id)));
}

function titleContains(q: string | undefined) {
  if (q === undefined || q === '') return undefined;
  const pattern = `%${storableText(q).replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  return sql`${sessions.title} like ${pattern} escape '\\'`;
}

function tooManySessions(): ConflictError {
  const limit = MOST_SESSIONS;
  return new ConflictError(serverText('too-many-conversations', { count: limit }), { details: { limit } });
}

function sessionNotFound(id: string): never {
  throw new NotFoundError('session', id);
}

const namesSchema = z.array(z.string());

const findNames = builtOnce((db: StoreReader) =>
  db
    .select({ names: sessions.loadedTools })
    .from(sessions)
    .where(eq(sessions.id, sql.placeholder('id')))
    .prepare(),
);

/**
 * Stores which tools are loaded in each session. A session that does not exist has none; updating it throws
 * NotFoundError.
 */
export function createLoadedToolsStore(db: Database): LoadedTools {
  const parse = (id: string, text: string) => parseJsonColumn(namesSchema, text, { table: 'sessions', id });
  return {
    async read(id) {
      const row = await findNames(db.read).get({ id });
      return row ? parse(id, row.names) : [];
    },

    update: (id, decide) =>
      db.write(async (tx) => {
        const row = await findNames(tx).get({ id });
        if (!row) throw new NotFoundError('session', id);
        const names = decide(parse(id, row.names));
        await tx
          .update(sessions)
          .set({ loadedTools: JSON.stringify(names) })
          .where(eq(sessions.id, id))
          .run();
        return names;
      }),
  };
}
