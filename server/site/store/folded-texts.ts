import { and, eq, gt, or, type SQL, sql } from 'drizzle-orm';
import { type Entry, type EntryDocument, entryDocumentSchema } from '#server/core/site/content';
import { foldAccents, foldText } from '#server/core/fold-text';
import { sectionPlainText } from '#server/site/text/section-plain-text';
import type { Database, StoreReader } from '#server/platform/database/database';
import { assets, entries } from '#server/platform/database/schema/content';

/* Texts in the form in which filters compare them (core/fold-text), stored with their rows, because SQLite's own
   lower() supports ASCII only. */

/** Folded texts of one document. */
interface FoldedTexts {
  /** Title, slug and excerpt; for a picture its filename, description and tags. One text, to search for words. */
  readonly words: string;
  /** Tags, names of other groups, and the kind; filters compare each of them as a whole. */
  readonly names: readonly string[];
}

/** Folded texts of a version of an entry. */
interface FoldedDocument extends FoldedTexts {
  /**
   * `words`, the names and the texts of the sections without accents (core/fold-text `foldAccents`), to search for words.
   * Absent in rows of older versions until they are filled.
   */
  readonly texts: string;
}

/** The column `folded` of an entry. It is valid while its revision equals that of the row. */
interface FoldedEntry {
  readonly revision: number;
  readonly draft: FoldedDocument;
  readonly published: FoldedDocument | null;
}

function foldedDocument(document: EntryDocument): FoldedDocument {
  const { title, slug, excerpt = '', tags = [], terms = {}, kind, custom = {}, sections } = document;
  const names = [...tags, ...Object.values(terms).flat(), ...(kind === undefined ? [] : [kind])];
  const words = `${title} ${slug} ${excerpt}`;
  const texts = [words, ...names, ...Object.values(custom), ...sections.map(sectionPlainText)].join('\n');
  return { words: foldText(words), names: [...new Set(names.map(foldText))], texts: foldAccents(texts) };
}

/** Value of the column `folded` for an entry. */
export function foldedEntry({
  revision,
  draft,
  published,
}: Pick<Entry, 'revision' | 'draft' | 'published'>): FoldedEntry {
  return { revision, draft: foldedDocument(draft), published: published === null ? null : foldedDocument(published) };
}

/** Value of the column `folded` for a picture. */
export function foldedAsset(asset: {
  readonly revision: number;
  readonly filename: string;
  readonly alt: string;
  readonly tags: readonly string[];
}) {
  const { revision, filename, alt, tags } = asset;
  return { revision, words: foldText(`${filename} ${alt} ${tags.join(' ')}`), names: tags.map(foldText) };
}

/** Tables with the column `folded`. */
type Folded = typeof entries | typeof assets;

/** SQL condition: the column matches the current state of its row. Rows of older versions have none until they are filled. */
function isFresh(table: Folded): SQL {
  return sql`json_extract(${table.folded}, '$.revision') = ${table.revision}`;
}

/**
 * SQL condition for rows whose texts contain a word.
 * @param place path of the texts within the column: `$`, `$.draft`, `$.published`
 * @param otherwise condition for rows that are not filled yet
 */
export function hasFoldedWord(table: Folded, place: string, word: string, otherwise: SQL): SQL {
  const has = sql`instr(json_extract(${table.folded}, ${`${place}.words`}), ${foldText(word)}) > 0`;
  return sql`case when ${isFresh(table)} then ${has} else ${otherwise} end`;
}

/**
 * SQL condition for entries whose texts contain a word, accents aside.
 * @param place path of the texts within the column: `$.draft`, `$.published`
 * @param otherwise condition for rows that are not filled yet
 */
export function hasTextWord(place: string, word: string, otherwise: SQL): SQL {
  const texts = sql`json_extract(${entries.folded}, ${`${place}.texts`})`;
  const has = sql`instr(${texts}, ${foldAccents(word)}) > 0`;
  return sql`case when ${isFresh(entries)} and ${texts} is not null then ${has} else ${otherwise} end`;
}

/** SQL condition for rows that have a name; parameters as for `hasFoldedWord`. */
export function hasFoldedName(table: Folded, place: string, name: string, otherwise: SQL): SQL {
  const names = sql`json_each(${table.folded}, ${`${place}.names`}) as folded_name`;
  const has = sql`exists (select 1 from ${names} where folded_name.value = ${foldText(name)})`;
  return sql`case when ${isFresh(table)} then ${has} else ${otherwise} end`;
}

/** Number of rows that are filled in one write. */
const BATCH = 200;

/**
 * Fills the column in rows of older versions, a batch at a time, in the order of their ids; unreadable rows are
 * skipped.
 * @returns number of filled rows
 */
export async function fillFoldedTexts(db: Database): Promise<number> {
  let filled = 0;
  for (const table of [entries, assets] as const) {
    let last = '';
    for (;;) {
      const rows = await staleRows(db.read, table, last);
      const newest = rows.at(-1);
      if (newest === undefined) break;
      last = newest.id;
      const values = rows.flatMap(({ id, revision, folded }) => (folded === null ? [] : [{ id, revision, folded }]));
      await db.write(async (tx) => {
        for (const { id, revision, folded } of values)
          await tx
            .update(table)
            .set({ folded })
            .where(and(eq(table.id, id), eq(table.revision, revision)));
      });
      filled += values.length;
    }
  }
  return filled;
}

async function staleRows(
  reader: StoreReader,
  table: Folded,
  after: string,
): Promise<{ id: string; revision: number; folded: object | null }[]> {
  const isStale = sql`(${isFresh(table)}) is not true`;
  const isWithoutTexts = sql`json_type(${entries.folded}, '$.draft.texts') is null`;
  if (table === assets) {
    const rows = await reader
      .select()
      .from(assets)
      .where(and(gt(assets.id, after), isStale))
      .orderBy(assets.id)
      .limit(BATCH);
    return rows.map(({ id, revision, filename, alt, tags }) => ({
      id,
      revision,
      folded: isTexts(tags) ? foldedAsset({ revision, filename, alt, tags }) : null,
    }));
  }
  const columns = { id: entries.id, revision: entries.revision, draft: entries.draft, published: entries.published };
  const rows = await reader
    .select(columns)
    .from(entries)
    .where(and(gt(entries.id, after), or(isStale, isWithoutTexts)))
    .orderBy(entries.id)
    .limit(BATCH);
  return rows.map(({ id, revision, ...documents }) => {
    const draft = entryDocumentSchema.safeParse(documents.draft);
    const published = entryDocumentSchema.nullable().safeParse(documents.published);
    const isRead = draft.success && published.success;
    return {
      id,
      revision,
      folded: isRead ? foldedEntry({ revision, draft: draft.data, published: published.data }) : null,
    };
  });
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
