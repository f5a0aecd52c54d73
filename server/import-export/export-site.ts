import { type ExportedAsset, type ExportedEntry, SITE_FORMAT } from '#server/import-export/plan/export-format';
import type { ContentBackend } from '#server/site/content-backend';
import { InvalidInputError, NotFoundError, TooLargeError, UnsupportedFileError } from '#server/core/errors';
import { documentFields, type Entry, type EntryDocument } from '#server/core/site/content';

/** Entries per read. A choice, not measured. */
const PAGE_SIZE = 100;

/** Optional parts of an export. */
export interface SiteExportOptions {
  /** Includes the bytes of pictures. */
  readonly media: boolean;
  /** Includes entries in the trash. */
  readonly trashed: boolean;
}

/** Comments stored with entries, by entry id. */
type Comments = ReadonlyMap<string, NonNullable<ExportedEntry['comments']>>;

/**
 * A whole site as JSON text (`plan/export-format`), one item per line: drafts and published versions, media, menu,
 * settings, standing instructions, design and redirects. Contains neither authors of changes nor earlier versions. The site is
 * read page by page as the text is consumed.
 */
export async function* exportSite(
  content: ContentBackend,
  { media, trashed, comments = new Map() }: SiteExportOptions & { readonly comments?: Comments },
  now: () => number = Date.now,
): AsyncGenerator<string> {
  const { voice, glossary, rules } = await content.standingInstructions();
  const { draft: design, published: publishedDesign, revision } = await content.design();
  const head = {
    format: SITE_FORMAT,
    exportedAt: now(),
    settings: await content.settings(),
    navigation: await content.navigation(),
    standingInstructions: { voice, glossary, rules },
    ...(revision > 0 && { design, publishedDesign }),
    redirects: (await content.redirects()).map(({ from, targetId, createdAt }) => ({
      from,
      target: targetId,
      createdAt,
    })),
  };
  yield `${JSON.stringify(head).slice(0, -1)},\n`;
  yield* list('media', exportedAssets(content, media));
  yield ',\n';
  yield* list('entries', exportedEntries(content, comments));
  if (trashed) {
    yield ',\n';
    yield* list('trashed', trashedEntries(content));
  }
  yield '}\n';
}

async function* list(name: string, items: AsyncIterable<unknown>): AsyncGenerator<string> {
  yield `${JSON.stringify(name)}:[`;
  let separator = '\n';
  for await (const item of items) {
    yield separator + JSON.stringify(item);
    separator = ',\n';
  }
  yield '\n]';
}

async function* pages<Item>(
  read: (
    cursor: string | undefined,
  ) => Promise<{ readonly items: readonly Item[]; readonly nextCursor: string | null }>,
): AsyncGenerator<Item> {
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    yield* page.items;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

async function* exportedEntries(content: ContentBackend, comments: Comments): AsyncGenerator<ExportedEntry> {
  const all = pages((cursor) => content.query({ sort: 'created', order: 'asc', limit: PAGE_SIZE, cursor }));
  for await (const { id, type } of all) {
    const entry = await content.find(id, type);
    // The entry may have been deleted since the page was read.
    const own = comments.get(id);
    if (entry?.id === id) yield { ...(await exportedEntry(entry, content)), ...(own && { comments: own }) };
  }
}

async function exportedEntry(entry: Entry, content: ContentBackend): Promise<ExportedEntry> {
  const { id, type, draft, published, planned, publishedAt, publishAt, createdAt, updatedAt } = entry;
  const paths = [await content.pathOf(entry, 'draft')];
  if (published !== null) paths.push(await content.pathOf(entry, 'published'));
  const times = { publishedAt, publishAt, createdAt, updatedAt };
  return { id, type, paths: [...new Set(paths)], draft, published, planned, ...times };
}

async function* exportedAssets(content: ContentBackend, withBytes: boolean): AsyncGenerator<ExportedAsset> {
  if (!content.capabilities().assets) return;
  const all = pages((cursor) => content.assets.list({ limit: PAGE_SIZE, cursor }));
  for await (const { id, url, version, filename, mediaType, size, width, height, alt, tags, createdAt } of all) {
    const asset = { id, url, version, filename, mediaType, size, width, height, alt, tags: [...tags], createdAt };
    if (!withBytes) {
      yield asset;
      continue;
    }
    const data = await bytesOf(id, content);
    yield { ...asset, ...(data && { data: Buffer.from(data).toString('base64') }) };
  }
}

/**
 * Bytes of a picture; null if it is deleted, or if a connected site returns something that we do not accept as a
 * picture.
 */
async function bytesOf(id: string, content: ContentBackend): Promise<Uint8Array | null> {
  try {
    return (await content.assets.read(id, 'full')).data;
  } catch (error) {
    const isPictureProblem = [NotFoundError, InvalidInputError, TooLargeError, UnsupportedFileError].some(
      (kind) => error instanceof kind,
    );
    if (isPictureProblem) return null;
    throw error;
  }
}

async function* trashedEntries(content: ContentBackend): AsyncGenerator {
  const select: readonly (keyof EntryDocument)[] = [...documentFields, 'sections'];
  const all = pages((cursor) => content.query({ state: 'trashed', select, limit: PAGE_SIZE, cursor }));
  for await (const { id, type, title, selected } of all) yield { id, type, title, draft: selected };
}
