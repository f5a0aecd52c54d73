import { serverText } from '#server/core/messages/server-text';
import { and, asc, count, desc, eq, isNotNull, isNull, sql, type SQL } from 'drizzle-orm';
import { z } from 'zod';
import { type EntryDocument, entryDocumentSchema } from '#server/core/site/content';
import { entries } from '#server/platform/database/schema/content';
import { CorruptRowError } from '#server/platform/database/json-column';
import type { EntryListQuery } from '#server/site/embedded/content-store';
import { InvalidInputError } from '#server/core/errors';
import { decodeCursor, encodeCursor } from '#server/platform/database/cursor';
import type { StoreReader } from '#server/platform/database/database';
import { hasFoldedName, hasFoldedWord, hasTextWord } from '#server/site/store/folded-texts';
import { isWithoutPassword, isWithoutPasswordIn, marksFromRow, statusColumn } from '#server/site/store/content-rows';

/** Columns of an entry in the requested state: the published version or the draft. */
function columnsOf(state: EntryListQuery['state']) {
  return state === 'published'
    ? {
        document: entries.published,
        title: entries.publishedTitle,
        slug: entries.publishedSlug,
        parent: entries.publishedParentId,
        updatedAt: sql<number>`${entries.publishedUpdatedAt}`,
        folded: '$.published',
      }
    : {
        document: entries.draft,
        title: entries.title,
        slug: entries.slug,
        parent: entries.parentId,
        updatedAt: sql<number>`${entries.updatedAt}`,
        folded: '$.draft',
      };
}

/** True for a title with a word; SQLite's lower() supports ASCII only, so `Ö` is looked for as the word may begin. */
function isInTitle({ title }: EntryColumns, word: string): SQL {
  const capitalized = word.charAt(0).toUpperCase() + word.slice(1);
  return sql`(instr(lower(${title}), lower(${word})) > 0 or instr(${title}, ${capitalized}) > 0)`;
}

/** How well an entry fits a search: 2 for all words in the title, 1 for all in title, slug or excerpt, else 0. */
function relevanceOf(query: EntryListQuery): SQL {
  const columns = columnsOf(query.state);
  const all = (conditions: readonly SQL[]) => and(...conditions) ?? sql`true`;
  const inTitle = all(query.textWords.map((word) => isInTitle(columns, word)));
  const inHead = all(query.textWords.map((word) => containsWord(columns, word)));
  return sql`(case when ${inTitle} then 2 when ${inHead} then 1 else 0 end)`;
}

/**
 * The expressions must equal those of the table's indexes, otherwise SQLite does not use the indexes. Entries without a
 * publication date come last.
 */
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
    case 'relevance':
      return sql`${relevanceOf(query)} * 100000000000000 + ${columnsOf(query.state).updatedAt}`;
    case 'title':
      return query.state === 'published' ? sql`published_title collate nocase` : sql`title collate nocase`;
  }
}

type EntryColumns = ReturnType<typeof columnsOf>;

function containsWord({ title, slug, document, folded }: EntryColumns, word: string): SQL {
  const text = sql`lower(${title} || ' ' || ${slug} || ' ' || coalesce(json_extract(${document}, '$.excerpt'), ''))`;
  return hasFoldedWord(entries, folded, word, sql`instr(${text}, lower(${word})) > 0`);
}

function containsText({ document, folded }: EntryColumns, word: string): SQL {
  return hasTextWord(folded, word, sql`instr(lower(${document}), lower(${word})) > 0`);
}

/** Matches entries with a tag of this name or, on a connected site, with another term or a type of this name. */
function hasName({ document, folded }: EntryColumns, name: string): SQL {
  const isName = (value: SQL) => sql`lower(${value}) = lower(${name})`;
  const otherwise = sql`(exists (select 1 from json_each(${document}, '$.tags') as tag where ${isName(sql`tag.value`)})
    or exists (select 1 from json_tree(${document}, '$.terms') as term where term.type = 'text' and ${isName(sql`term.value`)})
    or ${isName(sql`coalesce(json_extract(${document}, '$.kind'), '')`)})`;
  return hasFoldedName(entries, folded, name, otherwise);
}

/** True for a page whose parent is none of the live entries in this state: its address begins there. */
function isAtTop({ parent }: EntryColumns, state: EntryListQuery['state']): SQL {
  return sql`not exists (select 1 from ${entries} as above where above.id = ${parent} and ${isShown('above', state)})`;
}

/** True for an entry, by the name of its table in the query, that lists of this state contain. */
function isShown(table: 'above' | 'below', state: EntryListQuery['state']): SQL {
  const column = (name: string) => sql.raw(`${table}.${name}`);
  const isLive = sql`${column('deleted_at')} is null`;
  if (state !== 'published') return isLive;
  return sql`(${isLive} and ${column('published')} is not null and ${isWithoutPasswordIn(column('marks'))})`;
}

/** Number of entries of this state directly below an entry. */
function childCount(state: EntryListQuery['state']): SQL<number> {
  const above = state === 'published' ? sql`below.published_parent_id` : sql`below.parent_id`;
  return sql<number>`(select count(*) from ${entries} as below
    where ${above} = ${sql.raw('"entries"."id"')} and ${above} is not null and ${isShown('below', state)})`;
}

function conditionOf(query: EntryListQuery): SQL | undefined {
  const columns = columnsOf(query.state);
  const { type, tag, parent, status } = query;
  return and(
    query.state === 'trashed' ? isNotNull(entries.deletedAt) : isNull(entries.deletedAt),
    query.state === 'published' ? and(isNotNull(entries.published), isWithoutPassword) : undefined,
    query.scheduled === true ? isNotNull(entries.publishAt) : undefined,
    type === undefined ? undefined : eq(entries.type, type),
    status === undefined ? undefined : eq(statusColumn, status),
    parent === undefined ? undefined : parent === null ? isAtTop(columns, query.state) : eq(columns.parent, parent),
    tag === undefined ? undefined : hasName(columns, tag),
    query.author === undefined ? undefined : sql`json_extract(${columns.document}, '$.author') = ${query.author}`,
    query.updatedFrom === undefined ? undefined : sql`${columns.updatedAt} >= ${query.updatedFrom}`,
    query.updatedBefore === undefined ? undefined : sql`${columns.updatedAt} < ${query.updatedBefore}`,
    ...query.words.map((word) => containsWord(columns, word)),
    ...query.textWords.map((word) => containsText(columns, word)),
  );
}

const cursorSchema = z.tuple([z.string(), z.union([z.string(), z.number()]), z.string()]);

/** Matches entries after the item in the cursor; a cursor is valid for one order of one state only. */
function afterCursor(query: EntryListQuery, place: string): SQL | undefined {
  if (query.cursor === undefined) return undefined;
  const [of, value, id] = decodeCursor(cursorSchema, query.cursor);
  if (of !== place) throw new InvalidInputError(serverText('cursor-of-other-order'));
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

/** One page of entries in short form; entries with equal sort keys are ordered by id. */
export async function listEntries(db: StoreReader, siteId: string, query: EntryListQuery) {
  const condition = and(eq(entries.siteId, siteId), conditionOf(query));
  const { document, title, slug, parent, updatedAt } = columnsOf(query.state);
  const direction = query.order === 'asc' ? asc : desc;
  // A new name, because cursors with the old one contain a different time.
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
      childCount: childCount(query.state),
      publishedAt: entries.publishedAt,
      publishAt: entries.publishAt,
      isPlanOlder: sql<number>`${entries.planned} is not null and ${entries.planned} <> ${entries.draft}`,
      updatedAt,
      marks: entries.marks,
      sortKey: sortExpression(query),
      document: query.select.length === 0 ? sql<null>`null` : document,
    })
    .from(entries)
    .where(and(condition, afterCursor(query, place)))
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
