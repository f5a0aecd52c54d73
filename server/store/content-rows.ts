import { and, asc, count, desc, eq, getTableColumns, isNotNull, isNull, sql, type SQL } from 'drizzle-orm';
import { z } from 'zod';
import {
  type Entry,
  type EntryDocument,
  entryDocumentSchema,
  entryMarks,
  type EntryStatus,
  patchOpSchema,
} from '#server/core/content';
import type { ChangeSet } from '#server/core/changes';
import { type JsonValue, jsonValueSchema } from '#server/core/json';
import { entries, revisions } from '#server/store/schema/content';
import { users } from '#server/store/schema/people';
import { CorruptRowError } from '#server/store/part-codec';
import type { EntryListQuery } from '#server/content/embedded/content-store';
import { InvalidInputError } from '#server/core/errors';
import { decodeCursor, encodeCursor } from '#server/store/cursor';
import type { StoreReader } from '#server/store/database';

/* Rows of entries and changes, and the list of entries that is read from them. */

type EntryRow = typeof entries.$inferSelect;
type RevisionRow = typeof revisions.$inferSelect;
/** A change without its target's states, which are whole documents. */
type ChangeRow = Omit<RevisionRow, 'seq' | 'siteId' | 'before' | 'after'> & { readonly userName?: string | null };

const { seq: _seq, siteId: _site, before: _before, after: _after, ...columnsOfChange } = getTableColumns(revisions);
/** Columns that `changeFromRow` reads. */
export const changeColumns = {
  ...columnsOfChange,
  userName: sql<string | null>`(select ${users.name} from ${users} where ${users.id} = ${revisions.userId})`,
};

const operationsSchema = z.array(patchOpSchema);

function checked<T>(schema: z.ZodType<T>, value: unknown, table: string, id: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new CorruptRowError(table, id, parsed.error);
}

/** JSON columns are written by `JSON.stringify` from documents in one key order, so equal documents are equal text. */
function statusOf(draft: EntryDocument, published: EntryDocument | null): EntryStatus {
  if (published === null) return 'draft';
  return JSON.stringify(draft) === JSON.stringify(published) ? 'published' : 'changed';
}

/** @throws CorruptRowError */
export function entryFromRow(row: EntryRow): Entry {
  const draft = checked(entryDocumentSchema, row.draft, 'entries', row.id);
  const published = checked(entryDocumentSchema.nullable(), row.published, 'entries', row.id);
  const plannedOrNull = checked(entryDocumentSchema.nullable(), row.planned, 'entries', row.id);
  const { id, type, revision, publishedAt, publishAt, deletedAt, createdAt, updatedAt } = row;
  const planned = publishAt === null ? null : (plannedOrNull ?? draft);
  const status = statusOf(draft, published);
  const times = { publishedAt, publishAt, deletedAt, createdAt, updatedAt };
  return { id, type, revision, status, draft, published, planned, ...times, ...marksFromRow(row) };
}

/** Visitors read it without a password. */
export const isOpen = sql`(${entries.marks} is null or ${entries.marks} not like '%"password"%')`;

const marksSchema = z.array(z.enum(entryMarks)).nullable();

function marksFromRow({ id, marks }: Pick<EntryRow, 'id' | 'marks'>): Pick<Entry, 'marks'> {
  const found = checked(marksSchema, marks, 'entries', id);
  return found === null ? {} : { marks: found };
}

/** The row of an entry; slugs and title are kept beside the documents for their indexes. */
export function rowFromEntry(entry: Entry): Omit<typeof entries.$inferInsert, 'siteId'> {
  const { status: _derived, ...columns } = entry;
  return {
    ...columns,
    marks: entry.marks ?? null,
    slug: entry.draft.slug,
    publishedSlug: entry.published?.slug ?? null,
    title: entry.draft.title,
  };
}

/** @throws CorruptRowError */
export function changeFromRow(row: ChangeRow): ChangeSet {
  const { id, targetType, targetId, slug, title, revision, action, summary, undoneBy, createdAt } = row;
  const { actor, userId, userName = null, sessionId, turnId, toolCallId, approvalId } = row;
  return {
    id,
    targetType,
    targetId,
    slug,
    title,
    revision,
    action,
    operations: checked(operationsSchema, row.operations, 'revisions', id),
    inverse: checked(operationsSchema, row.inverse, 'revisions', id),
    summary,
    origin: {
      actor,
      ...(userId !== null && { userId }),
      ...(userName !== null && { userName }),
      ...(sessionId !== null && { sessionId }),
      ...(turnId !== null && { turnId }),
      ...(toolCallId !== null && { toolCallId }),
      ...(approvalId !== null && { approvalId }),
    },
    undoneBy,
    createdAt,
  };
}

/** A change with its target's state on both sides. @throws CorruptRowError */
export function journalEntryFromRow(row: RevisionRow): { change: ChangeSet; before: JsonValue; after: JsonValue } {
  const state = (value: unknown) => checked(jsonValueSchema, value, 'revisions', row.id);
  return { change: changeFromRow(row), before: state(row.before), after: state(row.after) };
}

/** The row of a change; `seq` is its place in the journal. */
export function rowFromChange(
  change: ChangeSet,
  before: JsonValue,
  after: JsonValue,
  seq: number,
): Omit<RevisionRow, 'siteId'> {
  const { origin, operations, inverse, ...columns } = change;
  return {
    ...columns,
    seq,
    operations,
    inverse,
    before,
    after,
    actor: origin.actor,
    userId: origin.userId ?? null,
    sessionId: origin.sessionId ?? null,
    turnId: origin.turnId ?? null,
    toolCallId: origin.toolCallId ?? null,
    approvalId: origin.approvalId ?? null,
    undoes: null,
  };
}

export const statusColumn = sql<EntryStatus>`case
  when ${entries.published} is null then 'draft'
  when ${entries.published} = ${entries.draft} then 'published'
  else 'changed' end`;

/** Columns of an entry in the requested state: as visitors see it, or the draft. */
function columnsOf(state: EntryListQuery['state']) {
  return state === 'published'
    ? {
        document: entries.published,
        title: entries.publishedTitle,
        slug: entries.publishedSlug,
        parent: entries.publishedParentId,
        updatedAt: sql<number>`${entries.publishedUpdatedAt}`,
      }
    : {
        document: entries.draft,
        title: entries.title,
        slug: entries.slug,
        parent: entries.parentId,
        updatedAt: sql<number>`${entries.updatedAt}`,
      };
}

/** Written as in the indexes of the table, which are used only then. Without a date of publication means last. */
function sortExpression(query: EntryListQuery): SQL<string | number> {
  switch (query.sort) {
    case 'updated':
      return query.state === 'published' ? sql`${entries.publishedUpdatedAt}` : sql`${entries.updatedAt}`;
    case 'created':
      return sql`${entries.createdAt}`;
    case 'published':
      return sql`case when published_at is null then 8640000000000000 else published_at end`;
    case 'scheduled':
      return sql`coalesce(publish_at, 8640000000000000)`;
    case 'title':
      return query.state === 'published' ? sql`published_title collate nocase` : sql`title collate nocase`;
  }
}

function holdsWord({ title, slug, document }: ReturnType<typeof columnsOf>, word: string): SQL {
  const text = sql`lower(${title} || ' ' || ${slug} || ' ' || coalesce(json_extract(${document}, '$.excerpt'), ''))`;
  return sql`instr(${text}, lower(${word})) > 0`;
}

/** In a tag, or in another group or of a kind of a connected site, of this name. */
function isFiledAs(document: unknown, name: string): SQL {
  const isName = (value: SQL) => sql`lower(${value}) = lower(${name})`;
  return sql`(exists (select 1 from json_each(${document}, '$.tags') as tag where ${isName(sql`tag.value`)})
    or exists (select 1 from json_tree(${document}, '$.terms') as term where term.type = 'text' and ${isName(sql`term.value`)})
    or ${isName(sql`coalesce(json_extract(${document}, '$.kind'), '')`)})`;
}

function conditionOf(query: EntryListQuery): SQL | undefined {
  const columns = columnsOf(query.state);
  const { type, tag, parent, status } = query;
  return and(
    query.state === 'trashed' ? isNotNull(entries.deletedAt) : isNull(entries.deletedAt),
    query.state === 'published' ? and(isNotNull(entries.published), isOpen) : undefined,
    query.scheduled === true ? isNotNull(entries.publishAt) : undefined,
    type === undefined ? undefined : eq(entries.type, type),
    status === undefined ? undefined : eq(statusColumn, status),
    parent === undefined ? undefined : parent === null ? isNull(columns.parent) : eq(columns.parent, parent),
    tag === undefined ? undefined : isFiledAs(columns.document, tag),
    ...query.words.map((word) => holdsWord(columns, word)),
  );
}

const cursorSchema = z.tuple([z.string(), z.union([z.string(), z.number()]), z.string()]);

/** Behind the item that the cursor names; it belongs to one order of one state. */
function behindCursor(query: EntryListQuery, place: string): SQL | undefined {
  if (query.cursor === undefined) return undefined;
  const [of, value, id] = decodeCursor(cursorSchema, query.cursor);
  if (of !== place) throw new InvalidInputError('This cursor is of another order. Start again without one.');
  const key = sql`(${sortExpression(query)}, ${entries.id})`;
  return query.order === 'asc' ? sql`${key} > (${value}, ${id})` : sql`${key} < (${value}, ${id})`;
}

function selectedOf(document: unknown, id: string, select: readonly (keyof EntryDocument)[]): Partial<EntryDocument> {
  const parsed = entryDocumentSchema.safeParse(document);
  if (!parsed.success) throw new CorruptRowError('entries', id, parsed.error);
  return Object.fromEntries(
    select.map((field) => [field, parsed.data[field]]).filter(([, value]) => value !== undefined),
  );
}

/** Entries in one line each, a page at a time; equal sort keys are in the order of their ids. */
export async function listEntries(db: Pick<StoreReader, 'select'>, siteId: string, query: EntryListQuery) {
  const condition = and(eq(entries.siteId, siteId), conditionOf(query));
  const { document, title, slug, parent, updatedAt } = columnsOf(query.state);
  const direction = query.order === 'asc' ? asc : desc;
  // Not the name of before: a cursor of then has another time in it.
  const sort = query.sort === 'updated' && query.state === 'published' ? 'shown' : query.sort;
  const place = `${query.state} ${sort} ${query.order}`;
  const found = await db
    .select({
      id: entries.id,
      type: entries.type,
      title: sql<string>`${title}`,
      slug: sql<string>`${slug}`,
      status: statusColumn,
      excerpt: sql<string | null>`json_extract(${document}, '$.excerpt')`,
      kind: sql<string | null>`json_extract(${document}, '$.kind')`,
      sectionCount: sql<number>`json_array_length(${document}, '$.sections')`,
      parent: sql<string | null>`${parent}`,
      publishedAt: entries.publishedAt,
      publishAt: entries.publishAt,
      isPlanOlder: sql<number>`${entries.planned} is not null and ${entries.planned} <> ${entries.draft}`,
      updatedAt,
      marks: entries.marks,
      sortKey: sortExpression(query),
      document: query.select.length === 0 ? sql<null>`null` : document,
    })
    .from(entries)
    .where(and(condition, behindCursor(query, place)))
    .orderBy(direction(sortExpression(query)), direction(entries.id))
    .limit(query.limit + 1);
  const last = found.length > query.limit ? found[query.limit - 1] : undefined;
  const isAll = last === undefined && query.cursor === undefined;
  const total = isAll ? { n: found.length } : await db.select({ n: count() }).from(entries).where(condition).get();
  return {
    items: found
      .slice(0, query.limit)
      .map(({ excerpt, kind, parent: above, sortKey: _key, document: selected, isPlanOlder, marks, ...row }) => ({
        ...row,
        ...marksFromRow({ id: row.id, marks }),
        isPlanOlder: isPlanOlder === 1,
        ...(excerpt !== null && { excerpt }),
        ...(kind !== null && { kind }),
        ...(above !== null && { parent: above }),
        ...(query.select.length > 0 && { selected: selectedOf(selected, row.id, query.select) }),
      })),
    total: total?.n ?? 0,
    nextCursor: last === undefined ? null : encodeCursor([place, last.sortKey, last.id]),
  };
}
