import { and, asc, desc, eq, gt, gte, inArray, isNotNull, isNull, lt, ne, or, sql, type SQL } from 'drizzle-orm';
import type { ChangesQuery } from '#server/content/content-backend';
import type { SiteState } from '#server/content/site-paths';
import type { EntryType } from '#server/core/content';
import { InvalidInputError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { changeColumns, changeFromRow, isOpen, journalEntryFromRow } from '#server/store/content-rows';
import type { StoreReader, StoreTransaction } from '#server/store/database';
import { entries, redirects, revisions } from '#server/store/schema/content';
import type { PastEntry } from '#server/content/embedded/content-store';

const standing = and(isNull(revisions.undoneBy), ne(revisions.action, 'undo'));
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

/** Changes of a session, and those by hand of nobody's session since a time. */
function ofSession(sessionId: string | undefined, handSince: number | undefined) {
  if (sessionId === undefined) return undefined;
  const own = eq(revisions.sessionId, sessionId);
  if (handSince === undefined) return own;
  const isByHand = and(eq(revisions.actor, 'user'), isNull(revisions.sessionId), gte(revisions.createdAt, handSince));
  return or(own, isByHand);
}

/** Reads the journal of a site, on either connection. */
export function createJournalReader(
  db: Pick<StoreReader & StoreTransaction, 'select' | 'selectDistinct'>,
  siteId: string,
) {
  const ofSite = eq(revisions.siteId, siteId);
  const oneEntry = async (condition: ReturnType<typeof and>) => {
    const row = await db.select().from(revisions).where(and(ofSite, condition)).get();
    return row === undefined ? null : journalEntryFromRow(row);
  };
  const seqOf = async (changeId: string) => {
    const row = await db
      .select({ seq: revisions.seq })
      .from(revisions)
      .where(and(ofSite, eq(revisions.id, changeId)))
      .get();
    if (row === undefined) throw new InvalidInputError(`The journal has no change "${changeId}" to go on from.`);
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
        .where(and(ofSite, eq(revisions.sessionId, sessionId), standing))
        .orderBy(desc(revisions.seq))
        .limit(1)
        .get();
      return row === undefined ? null : changeFromRow(row);
    },

    async journalOf(targetId: string) {
      const rows = await db
        .select(lineColumns)
        .from(revisions)
        .where(and(ofSite, eq(revisions.targetId, targetId)))
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

/** Columns of an entry's address, without its documents. */
const placeColumns = {
  id: entries.id,
  type: entries.type,
  slug: entries.slug,
  parent: entries.parentId,
  // Visitors of ours are shown nothing that needs a password there.
  publishedSlug: sql<string | null>`case when ${isOpen} then ${entries.publishedSlug} end`,
  publishedParent: entries.publishedParentId,
};

/** Reads the places of live entries, on either connection. */
export function createPlaceReader(db: Pick<StoreReader & StoreTransaction, 'select'>, siteId: string) {
  const live = and(eq(entries.siteId, siteId), isNull(entries.deletedAt));
  const onePlace = async (condition: ReturnType<typeof and>) => {
    const row = await db.select(placeColumns).from(entries).where(and(condition, live)).get();
    return row ?? null;
  };

  return {
    place: (id: string) => onePlace(eq(entries.id, id)),
    placeBySlug: (type: EntryType, slug: string, state: SiteState) =>
      onePlace(
        and(
          eq(entries.type, type),
          state === 'draft' ? eq(entries.slug, slug) : and(eq(entries.publishedSlug, slug), isOpen),
        ),
      ),

    async firstPage(state: SiteState) {
      const isThere = state === 'draft' ? undefined : and(isNotNull(entries.publishedSlug), isOpen);
      const row = await db
        .select(placeColumns)
        .from(entries)
        .where(and(eq(entries.type, 'page'), live, isThere))
        .orderBy(asc(entries.createdAt), asc(entries.id))
        .limit(1)
        .get();
      return row ?? null;
    },

    pagesPublishedBelow: (id: string) =>
      db
        .select(placeColumns)
        .from(entries)
        .where(and(eq(entries.publishedParentId, id), live, isOpen)),

    async redirectTarget(path: string) {
      const row = await db
        .select()
        .from(redirects)
        .where(and(eq(redirects.siteId, siteId), eq(redirects.fromPath, path)))
        .get();
      return row?.targetId ?? null;
    },
  };
}

interface PastRow extends Omit<PastEntry, 'slug'> {
  readonly slug: string | null;
  readonly deletedAt: number | null;
}

/** Reads what things of a site were like earlier, from the states that the journal keeps. */
export function createPastReader(db: Pick<StoreReader & StoreTransaction, 'all'>, siteId: string) {
  /** State of a target after the change at `seq`: what the last change until then left, else what the next one found. */
  const stateOf = (target: SQL, seq: number) => ({
    until: sql`(select r.seq from ${revisions} r where r.site_id = ${siteId} and r.target_id = ${target}
      and r.seq <= ${seq} order by r.seq desc limit 1)`,
    next: sql`(select r.seq from ${revisions} r where r.site_id = ${siteId} and r.target_id = ${target}
      and r.seq > ${seq} order by r.seq limit 1)`,
  });

  return {
    async seqOf(changeId: string): Promise<number | null> {
      const [row] = await db.all<{ seq: number }>(
        sql`select seq from ${revisions} where site_id = ${siteId} and id = ${changeId}`,
      );
      return row?.seq ?? null;
    },

    async stateAt(targetId: string, seq: number): Promise<JsonValue | undefined> {
      const { until, next } = stateOf(sql`${targetId}`, seq);
      const [row] = await db.all<{ until: number | null; next: number | null; state: string | null }>(sql`
        select until, next, case
          when until is not null then (select after from ${revisions} where seq = until)
          when next is not null then (select before from ${revisions} where seq = next) end as state
        from (select ${until} as until, ${next} as next)`);
      if (row === undefined || (row.until === null && row.next === null)) return undefined;
      return row.state === null ? null : (JSON.parse(row.state) as JsonValue);
    },

    async entriesAt(seq: number): Promise<PastEntry[]> {
      const { until, next } = stateOf(sql`e.id`, seq);
      // What the journal says nothing of is as it was.
      const present = sql`(select json_object('draft', json(draft), 'publishedAt', published_at, 'deletedAt', deleted_at,
        'published', json_object('slug', published_slug)) from ${entries} where id = picked.id)`;
      const rows = await db.all<PastRow>(sql`
        select id, type, createdAt, json_extract(state, '$.draft.slug') as slug,
          json_extract(state, '$.draft.parent') as parent, json_extract(state, '$.publishedAt') as publishedAt,
          json_extract(state, '$.deletedAt') as deletedAt, json_extract(state, '$.published.slug') as publishedSlug
        from (
          select id, type, created_at as createdAt, case
            when until is not null then (select after from ${revisions} where seq = until)
            when next is not null then (select before from ${revisions} where seq = next)
            else ${present} end as state
          from (select e.id, e.type, e.created_at, ${until} as until, ${next} as next
            from ${entries} e where e.site_id = ${siteId}) as picked)
        where state is not null
        order by createdAt, id`);
      return rows.flatMap(({ deletedAt, slug, ...entry }) =>
        deletedAt !== null || slug === null ? [] : [{ ...entry, slug }],
      );
    },
  };
}
