import type { ContentBackend } from '#server/content/content-backend';
import {
  documentFields,
  type Entry,
  type EntryDocument,
  entryDocumentSchema,
  entryTypes,
  navigationItemSchema,
  siteSettingsSchema,
  standingInstructionsSchema,
} from '#server/core/content';
import { z } from 'zod';
import { keptCommentSchema } from '#server/core/imports';
import type { Shape } from '#server/core/shapes';

/** The name of our JSON export of a site, and its version: an import reads this one alone. */
const SITE_FORMAT = 'throughline-site/1';

const time = z.number().int();

const exportedEntrySchema = z.object({
  id: z.string().min(1),
  type: z.enum(entryTypes),
  /** Path of the draft, and the published path. */
  paths: z.array(z.string()),
  draft: entryDocumentSchema,
  published: entryDocumentSchema.nullable(),
  publishedAt: time.nullable(),
  publishAt: time.nullable(),
  /** Version that the plan publishes; missing in old files, where it is the draft. */
  planned: entryDocumentSchema.nullable().default(null),
  createdAt: time,
  updatedAt: time,
  /** Comments that came with it when it was imported. */
  comments: z.array(keptCommentSchema).optional(),
});
export type ExportedEntry = Shape<typeof exportedEntrySchema>;

const exportedAssetSchema = z.object({
  id: z.string().min(1),
  url: z.string().min(1),
  /** Stands for its bytes. */
  version: z.string(),
  filename: z.string(),
  mediaType: z.string(),
  size: z.number(),
  width: z.number(),
  height: z.number(),
  alt: z.string(),
  tags: z.array(z.string()),
  createdAt: time,
  /** Base64; left out where they were not asked for. */
  data: z.string().optional(),
});
export type ExportedAsset = z.infer<typeof exportedAssetSchema>;

/** In the order of the file. */
export const siteDocumentSchema = z.object({
  format: z.literal(SITE_FORMAT, { error: `must be "${SITE_FORMAT}": another version cannot be read` }),
  exportedAt: time,
  /** Files of before have fewer. */
  settings: siteSettingsSchema.partial(),
  navigation: z.array(navigationItemSchema),
  standingInstructions: standingInstructionsSchema,
  redirects: z.array(z.object({ from: z.string(), target: z.string(), createdAt: time })),
  media: z.array(exportedAssetSchema),
  entries: z.array(exportedEntrySchema),
  /** Entries in the trash, for the reader: an import leaves them out. */
  trashed: z
    .array(z.object({ id: z.string(), type: z.enum(entryTypes), title: z.string(), draft: entryDocumentSchema }))
    .optional(),
});
export type ExportedSite = z.infer<typeof siteDocumentSchema>;

const PAGE_SIZE = 100;

/** Optional parts of an export. */
export interface SiteExportOptions {
  /** The bytes of pictures. */
  readonly media: boolean;
  readonly trashed: boolean;
}

/** Comments that are kept with entries, by their ids. */
type Comments = ReadonlyMap<string, NonNullable<ExportedEntry['comments']>>;

/**
 * A whole site as JSON (`site-document`), a thing a line, read page by page as it is taken: drafts and what is published,
 * media, menu, settings, standing instructions and redirects. Nothing of who changed what, nor earlier versions.
 */
export async function* exportSite(
  content: ContentBackend,
  { media, trashed, comments = new Map() }: SiteExportOptions & { readonly comments?: Comments },
  now: () => number = Date.now,
): AsyncGenerator<string> {
  const { voice, glossary, rules } = await content.standingInstructions();
  const head = {
    format: SITE_FORMAT,
    exportedAt: now(),
    settings: await content.settings(),
    navigation: await content.navigation(),
    standingInstructions: { voice, glossary, rules },
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
    // Deleted since the page was read.
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
    const { data } = await content.assets.read(id, 'full');
    yield { ...asset, data: Buffer.from(data).toString('base64') };
  }
}

async function* trashedEntries(content: ContentBackend): AsyncGenerator {
  const select: readonly (keyof EntryDocument)[] = [...documentFields, 'sections'];
  const all = pages((cursor) => content.query({ state: 'trashed', select, limit: PAGE_SIZE, cursor }));
  for await (const { id, type, title, selected } of all) yield { id, type, title, draft: selected };
}
