import { z } from 'zod';
import {
  assetSchema,
  type EntryDocument,
  entryDocumentSchema,
  entrySchema,
  entryStatuses,
  entryTypes,
  issueSchema,
  redirectSchema,
  referenceSchema,
  sitePath,
} from '#server/core/content';
import { changeSchema, fieldChangeSchema, undoOutcomeSchema, versionSchema } from '#server/core/changes';
import { anyTime, count, countedPageOf, listOf, notes, type Shape, time } from '#server/core/shapes';

/** Fields of an entry in every list. */
const entryLine = {
  id: entrySchema.shape.id,
  type: z.enum(entryTypes),
  title: z.string().min(1),
  slug: z.string().min(1),
  /** Address of its draft on the site: `/about/team`. */
  path: sitePath,
  status: z.enum(entryStatuses),
};
const isPlanOlder = z.boolean().describe('The draft was changed since; what was changed is not part of the plan');

/** An entry with its addresses. */
export const placedEntrySchema = z.strictObject({
  ...entrySchema.shape,
  path: sitePath,
  publishedPath: sitePath.nullable(),
  previewUrl: z.string().min(1),
  editUrl: z.string().nullable().describe('Where it is edited in its CMS; null: here alone'),
});
export type PlacedEntry = Shape<typeof placedEntrySchema>;
export const entryAtPathSchema = z.strictObject({ entry: placedEntrySchema.nullable() });

/** An entry in a list, in the state that the query is about. */
const entryItemSchema = z.strictObject({
  ...entryLine,
  excerpt: z.string().optional(),
  kind: z.string().optional().describe('Of a connected site, where it is neither page nor post'),
  sectionCount: count,
  /** Id of the parent page. */
  parent: z.string().optional(),
  publishedAt: anyTime.nullable(),
  publishAt: entrySchema.shape.publishAt,
  isPlanOlder,
  marks: entrySchema.shape.marks,
  /** Of what is published: when visitors last saw a change. */
  updatedAt: anyTime,
  /** The fields that the query selected. */
  selected: (entryDocumentSchema.partial() as z.ZodType<Partial<EntryDocument>>).optional(),
});
export type EntryItem = Shape<typeof entryItemSchema>;
export const entryListSchema = countedPageOf(entryItemSchema);
export type EntryPage = Shape<typeof entryListSchema>;

export const assetListSchema = countedPageOf(assetSchema);

/** An entry that shows a picture. */
const pictureUseSchema = z.strictObject({
  id: entrySchema.shape.id,
  type: z.enum(entryTypes),
  title: z.string(),
  isPublished: z.boolean().describe('Visitors see it there'),
});
export type PictureUse = Shape<typeof pictureUseSchema>;

/** A picture that the site shows: one of the library by its id, any other by its address. */
const usedPictureSchema = z.strictObject({
  assetId: assetSchema.shape.id.nullable(),
  src: z.string().min(1).nullable().describe('Null: it is in the library, whose pictures keep their id'),
  uses: z.array(pictureUseSchema),
});
export type UsedPicture = Shape<typeof usedPictureSchema>;
export const usedPictureListSchema = listOf(usedPictureSchema);

export const trashKinds = ['entries', 'media'] as const;
export type TrashKind = (typeof trashKinds)[number];

export interface TrashQuery {
  readonly kind: TrashKind;
  readonly limit: number;
  /** `nextCursor` of the page before; of the same kind. */
  readonly cursor?: string | undefined;
}

/** `change`: the deletion; null where the journal does not reach back so far. */
const trashed = { id: z.string().min(1), title: z.string(), change: changeSchema.nullable() };
/** Something that was deleted and can be brought back. */
const trashItemSchema = z.discriminatedUnion('type', [
  z.strictObject({ ...trashed, type: z.enum(entryTypes), slug: z.string().min(1) }),
  /** Its title is the filename. */
  z.strictObject({ ...trashed, type: z.literal('asset'), thumbnailUrl: z.string().min(1), alt: z.string() }),
]);
export type TrashItem = Shape<typeof trashItemSchema>;
export const trashPageSchema = countedPageOf(trashItemSchema);
export type TrashPage = Shape<typeof trashPageSchema>;

/** Page of the planned publications to read. */
export interface PlannedQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** A page or post that is published by itself at a time to come. */
const plannedEntrySchema = z.strictObject({
  ...entryLine,
  /** In the past where it is late. */
  publishAt: time,
  isPlanOlder,
  problem: z.string().nullable().describe('Why it could not be published though its time has come'),
});
export type PlannedEntry = Shape<typeof plannedEntrySchema>;
/** The next one first. */
export const plannedPageSchema = countedPageOf(plannedEntrySchema);
export type PlannedPage = Shape<typeof plannedPageSchema>;

/** The newest thing of a session that can be taken back. */
const undoable = z.strictObject({
  /** `change`: of the site, by its change id. The others by their compaction id. */
  kind: z.enum(['change', 'compaction', 'prune']),
  id: z.string().min(1),
  /** A short plain sentence: `Added a faq section to "Pricing"`. */
  summary: z.string().min(1),
  createdAt: time,
});
export type Undoable = Shape<typeof undoable>;
export const undoableSchema = z.discriminatedUnion('kind', [z.strictObject({ kind: z.literal(null) }), undoable]);

export const changeListSchema = listOf(changeSchema);
export const versionListSchema = listOf(versionSchema);
export const referenceListSchema = listOf(referenceSchema);
export const issueListSchema = listOf(issueSchema);
export const redirectListSchema = listOf(redirectSchema);

export const tagListSchema = listOf(z.strictObject({ tag: z.string().min(1), count: z.number().int().min(1) }));

/** A type of entry or section in one line: what it is, and its fields (`?` optional). */
const typeSummarySchema = z.strictObject({ name: z.string().min(1), description: z.string().min(1) });
export type TypeSummary = Shape<typeof typeSummarySchema>;
export const typeListSchema = z.strictObject({
  entries: z.array(typeSummarySchema),
  sections: z.array(typeSummarySchema),
});

/** Everything about one type. */
export const typeDetailSchema = z.strictObject({
  ...typeSummarySchema.shape,
  fields: z.array(
    z.strictObject({
      name: z.string().min(1),
      required: z.boolean(),
      /** `text`, `markdown`, `url`, `list of {question, answer}`, ... */
      kind: z.string().min(1),
      hint: z.string().optional(),
    }),
  ),
});
export type TypeDetail = Shape<typeof typeDetailSchema>;

/** Abilities of the CMS adapter; tools and screens leave out the others. */
export const capabilitiesSchema = z.strictObject({
  /** `embedded`, `wordpress`, ... */
  backend: z.string().min(1),
  /** Keeps a draft beside the published version. */
  drafts: z.boolean(),
  trash: z.boolean(),
  /** Lists earlier states of an entry, and restores them. */
  versions: z.boolean(),
  /** Undoes a single change, even if other parts were changed later. */
  undo: z.boolean(),
  /** Pages can have a parent. */
  hierarchy: z.boolean(),
  tags: z.boolean(),
  seo: z.boolean(),
  /** Redirects a former address to the current one. */
  redirects: z.boolean(),
  navigation: z.boolean(),
  settings: z.boolean(),
  assets: z.boolean(),
  /** Publishing at a later time. */
  scheduling: z.boolean(),
  /** The CMS itself refuses a write when the entry has changed meanwhile (`ifRevision`). */
  preconditions: z.boolean(),
});
export type SiteCapabilities = Shape<typeof capabilitiesSchema>;

export const changePageSchema = z.strictObject({
  items: z.array(changeSchema),
  nextCursor: z.string().nullable().describe('The `cursor` of the next page'),
});

/** A change with the fields that it altered. */
export const changeDetailSchema = z.strictObject({
  change: changeSchema,
  fields: z.array(fieldChangeSchema),
  blockedBy: z.array(changeSchema).nullable().describe('What an undo would lose; null: it can be taken back'),
});
export type ChangeDetail = Shape<typeof changeDetailSchema>;

/** Result of an undo: of one change, or (`all`) of many. */
export const undoneSchema = z.union([
  z.strictObject({
    change: changeSchema,
    together: z.array(changeSchema).optional().describe('The others of the same edit, taken back as well'),
    notes,
  }),
  undoOutcomeSchema.extend({ notes }),
]);

/** Contents of an export of the published site as files, and what keeps it from being one. */
export const staticSiteSchema = z.strictObject({
  /** Origin at which it will be. */
  address: z.string().min(1),
  pages: count,
  problems: z.array(
    z.strictObject({
      page: z.string().min(1).describe('Title and path of the page that has it'),
      message: z.string().min(1).describe('Names the link or the picture'),
    }),
  ),
  notes: z
    .array(z.string().min(1))
    .describe('What becomes of forms, where there are any, and which redirects lead nowhere'),
});
export type StaticSite = Shape<typeof staticSiteSchema>;
