import { serverText } from '#server/core/messages/server-text';
import { and, asc, desc, eq, gt, gte, inArray, isNull, lt, ne, or, sql, type SQL } from 'drizzle-orm';
import type { ChangesQuery } from '#server/site/content-backend';
import { InvalidInputError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import {
  changeColumns,
  changeFromRow,
  journalEntryFromRow,
  summaryMessageFromRow,
} from '#server/site/store/content-rows';
import type { StoreReader } from '#server/platform/database/database';
import { revisions } from '#server/platform/database/schema/content';

const inEffect = and(isNull(revisions.undoneBy), ne(revisions.action, 'undo'));
const { before, after, targetType } = revisions;
const isEntry = sql`${targetType} in ('page', 'post')`;

/** Compares one JSON path of the states before and after. `is not` also compares null. */
function differs(path: string) {
  return sql<number>`json_extract(${before}, ${path}) is not json_extract(${after}, ${path})`;
}

/** Columns of a journal line. Entry states are whole documents, so only their differences are read. */
const lineColumns = {
  ...changeColumns,
  seq: revisions.seq,
  existence: sql<number>`${before} is null or ${differs('$.deletedAt')}`,
  publication: sql<number>`${isEntry} and ${differs('$.published')}`,
  plan: sql<number>`${isEntry} and (${differs('$.publishAt')} or ${differs('$.planned')})`,
  before: sql<string | null>`case when ${isEntry} then null else ${before} end`,
  after: sql<string | null>`case when ${isEntry} then null else ${after} end`,
};

/** Changes of a session, and changes that people made outside of any session since a time. */
function ofSession(sessionId: string | undefined, handSince: number | undefined) {
  if (sessionId === undefined) return undefined;
  const own = eq(revisions.sessionId, sessionId);
  if (handSince === undefined) return own;
  const isByHand = and(eq(revisions.actor, 'user'), isNull(revisions.sessionId), gte(revisions.createdAt, handSince));
  return or(own, isByHand);
}

/**
 * Reads the journal of a site; implements the journal methods of `ContentReader`.
 * @param db the reading connection, or a transaction
 */
export function createJournalReader(db: StoreReader, siteId: string) {
  const ofSite = eq(revisions.siteId, siteId);
  const oneEntry = async (condition: SQL | undefined) => {
    const row = await db.select().from(revisions).where(and(ofSite, condition)).get();
    return row === undefined ? null : journalEntryFromRow(row);
  };
  const seqOf = async (changeId: string) => {
    const row = await db
      .select({ seq: revisions.seq })
      .from(revisions)
      .where(and(ofSite, eq(revisions.id, changeId)))
      .get();
    if (row === undefined) throw new InvalidInputError(serverText('change-unknown', { id: changeId }));
    return row.seq;
  };

  return {
    journalEntry: (changeId: string) => oneEntry(eq(revisions.id, changeId)),
    journalEntryAt: (targetId: string, revision: number) =>
      oneEntry(and(eq(revisions.targetId, targetId), eq(revisions.revision, revision))),

    async newestStandingChange(sessionId: string) {
      const row = await db
        .select(changeColumns)
        .from(revisions)
        .where(and(ofSite, eq(revisions.sessionId, sessionId), inEffect))
        .orderBy(desc(revisions.seq))
        .limit(1)
        .get();
      return row === undefined ? null : changeFromRow(row);
    },

    async journalOf(targetId: string, above?: number) {
      const rows = await db
        .select(lineColumns)
        .from(revisions)
        .where(
          and(
            ofSite,
            eq(revisions.targetId, targetId),
            above === undefined ? undefined : gt(revisions.revision, above),
          ),
        )
        .orderBy(asc(revisions.seq));
      return rows.map((row) => ({
        change: changeFromRow(row),
        seq: row.seq,
        undoes: row.undoes,
        existence: row.existence !== 0,
        publication: row.publication !== 0,
        plan: row.plan !== 0,
        before: row.before === null ? null : (JSON.parse(row.before) as JsonValue),
        after: row.after === null ? null : (JSON.parse(row.after) as JsonValue),
      }));
    },

    async targetsOfSession(sessionId: string, turnIds?: readonly string[]) {
      const ofTurns = turnIds === undefined ? undefined : inArray(revisions.turnId, [...turnIds]);
      const rows = await db
        .selectDistinct({ targetId: revisions.targetId })
        .from(revisions)
        .where(and(ofSite, eq(revisions.sessionId, sessionId), ofTurns));
      return rows.map(({ targetId }) => targetId);
    },

    async versionsOf(targetId: string) {
      const isPublished = sql<number>`json_extract(${after}, '$.published') is json_extract(${after}, '$.draft')`;
      const rows = await db
        .select({ ...changeColumns, title: sql<string>`json_extract(${after}, '$.draft.title')`, isPublished })
        .from(revisions)
        .where(and(ofSite, eq(revisions.targetId, targetId)))
        .orderBy(desc(revisions.seq));
      return rows.map(({ revision, action, summary, actor, userName, createdAt, title, ...row }) => ({
        revision,
        action,
        summary,
        summaryMessage: summaryMessageFromRow(row),
        actor,
        ...(userName !== null && { userName }),
        createdAt,
        title,
        isPublished: row.isPublished !== 0,
      }));
    },

    async changes({
      limit,
      before: cursor,
      after: seen,
      sessionId,
      handSince,
      ...query
    }: ChangesQuery & { readonly limit: number }) {
      const matching = (['targetId', 'targetType', 'turnId', 'toolCallId', 'actor'] as const).map((name) =>
        query[name] === undefined ? undefined : eq(revisions[name], query[name]),
      );
      const from = seen ?? cursor;
      const seq = from === undefined ? undefined : await seqOf(from);
      const beyond = seq === undefined ? undefined : (seen === undefined ? lt : gt)(revisions.seq, seq);
      const rows = await db
        .select(changeColumns)
        .from(revisions)
        .where(and(ofSite, ...matching, ofSession(sessionId, handSince), beyond))
        .orderBy((seen === undefined ? desc : asc)(revisions.seq))
        .limit(limit);
      return rows.map(changeFromRow);
    },
  };
}
