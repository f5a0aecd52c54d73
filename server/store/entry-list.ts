import { and, asc, count, desc, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { EntryListQuery } from '#server/content/embedded/content-store';
import { type EntryDocument, entryDocumentSchema, type EntryStatus } from '#server/core/content';
import { InvalidInputError } from '#server/core/errors';
import { isOpen, marksFromRow } from '#server/store/content-rows';
import { decodeCursor, encodeCursor } from '#server/store/cursor';
import type { StoreReader } from '#server/store/database';
import { entries } from '#server/store/schema/content';
import { CorruptRowError } from '#server/store/part-codec';

const statusColumn = sql<EntryStatus>`case
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
      }
    : { document: entries.draft, title: entries.title, slug: entries.slug, parent: entries.parentId };
}

/** Written as in the indexes of the table, which are used only then. Without a date of publication means last. */
function sortExpression(query: EntryListQuery): SQL<string | number> {
  switch (query.sort) {
    case 'updated':
      return sql`${entries.updatedAt}`;
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
  const { document, title, slug, parent } = columnsOf(query.state);
  const direction = query.order === 'asc' ? asc : desc;
  const place = `${query.state} ${query.sort} ${query.order}`;
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
      updatedAt: entries.updatedAt,
      marks: entries.marks,
      sortKey: sortExpression(query),
      document: query.select.length === 0 ? sql<null>`null` : document,
    })
    .from(entries)
    .where(and(condition, behindCursor(query, place)))
    .orderBy(direction(sortExpression(query)), direction(entries.id))
    .limit(query.limit + 1);
  const total = await db.select({ n: count() }).from(entries).where(condition).get();
  const last = found.length > query.limit ? found[query.limit - 1] : undefined;
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
