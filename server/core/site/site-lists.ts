import { z } from 'zod';
import { codedMessageSchema, noteFields } from '#server/core/coded-message';
import {
  assetSchema,
  type EntryDocument,
  entryDocumentSchema,
  entrySchema,
  entryTypes,
  issueSchema,
  redirectSchema,
  referenceSchema,
  sitePath,
} from '#server/core/site/content';
import { changeSchema, fieldChangeSchema, undoOutcomeSchema, versionSchema } from '#server/core/site/changes';
import { anyTime, components, count, countedPageOf, listOf, type Shape, time } from '#server/core/shapes';

/* Lists of a site's content: entries, pictures, changes, scheduled publications. */

/** Fields that an entry has in every list. */
const entryLine = {
  id: entrySchema.shape.id,
  type: entrySchema.shape.type,
  title: z.string().min(1).describe('Title in the listed state'),
  slug: z.string().min(1).describe('Slug in the listed state'),
  path: sitePath.describe('Address of its draft on the site: `/about/team`'),
  status: entrySchema.shape.status,
};
const isPlanOlder = z.boolean().describe('The draft was changed since; what was changed is not part of the plan');

/** An entry with its addresses. */
export const placedEntrySchema = z
  .strictObject({
    ...entrySchema.shape,
    path: sitePath.describe('Address of the draft on the site, once it is published: `/about/team`'),
    publishedPath: sitePath.nullable().describe('Address at which visitors see it; null: not published'),
    previewUrl: z
      .string()
      .min(1)
      .describe('Path of the preview of its draft on this server, for people who may see drafts'),
    editUrl: z.string().nullable().describe('Where it is edited in its CMS; null: here alone'),
  })
  .describe('A page or a post with its addresses')
  .register(components, { id: 'PlacedEntry' });
export type PlacedEntry = Shape<typeof placedEntrySchema>;
/** The entry whose draft is at a path; null: there is none. */
export const entryAtPathSchema = z
  .strictObject({
    entry: placedEntrySchema.nullable().describe('The entry whose draft has the path; null: there is none'),
  })
  .register(components, { id: 'EntryAtPath' });

/** An entry in a list, in the state that the query selects (draft or published). */
const entryItemSchema = z
  .strictObject({
    ...entryLine,
    excerpt: z.string().optional().describe('Excerpt in the listed state; absent: none'),
    kind: z.string().optional().describe('Of a connected site, where it is neither page nor post'),
    sectionCount: count.describe('Number of its sections'),
    parent: z.string().optional().describe('Id of the parent page'),
    childCount: count.describe('Number of pages directly below it in the listed state'),
    publishedAt: entrySchema.shape.publishedAt,
    publishAt: entrySchema.shape.publishAt,
    isPlanOlder,
    marks: entrySchema.shape.marks,
    updatedAt: anyTime.describe('For published content: when visitors last saw a change'),

    match: z
      .strictObject({
        sectionId: z.string().optional().describe('Id of the section that contains the text; absent: another field'),
        snippet: z.string().describe('The text around the first word that was found'),
      })
      .optional()
      .describe('Where `search` found it; absent: without a search, or the title contains all of it'),
    selected: (entryDocumentSchema.partial() as z.ZodType<Partial<EntryDocument>>)
      .optional()
      .describe('Fields of the document that `select` asked for; absent: none'),
  })
  .describe('An entry in a list')
  .register(components, { id: 'EntryItem' });
export type EntryItem = Shape<typeof entryItemSchema>;
export const entryListSchema = countedPageOf(entryItemSchema).register(components, { id: 'EntryList' });
export type EntryPage = Shape<typeof entryListSchema>;

export const assetListSchema = countedPageOf(assetSchema).register(components, { id: 'AssetList' });

/** What shows a picture: an entry, or the parts that all pages have. */
const pictureUseSchema = z
  .strictObject({
    id: z.string().min(1).describe('Id of the entry; `design` or `settings` for those'),
    type: z
      .enum([...entryTypes, 'design', 'settings'])
      .describe('`design`: a logo or the icon of the design. `settings`: the icon of the site'),
    title: z.string().describe('Title of the entry; `Design` or `Site settings`'),
    isPublished: z.boolean().describe('Visitors see it there'),
  })
  .describe('An entry that shows a picture, or the design or the settings')
  .register(components, { id: 'PictureUse' });
export type PictureUse = Shape<typeof pictureUseSchema>;

/** A picture that the site shows: a library picture by id, any other by address. */
const usedPictureSchema = z
  .strictObject({
    assetId: assetSchema.shape.id
      .nullable()
      .describe('Id of the picture in the media library; null: it is not in the library'),
    src: z.string().min(1).nullable().describe('Null: it is in the library, whose pictures keep their id'),
    uses: z.array(pictureUseSchema).describe('What shows it'),
  })
  .describe('A picture that the site shows')
  .register(components, { id: 'UsedPicture' });
export type UsedPicture = Shape<typeof usedPictureSchema>;
export const usedPictureListSchema = listOf(usedPictureSchema).register(components, { id: 'UsedPictureList' });

/** Query for a page of the scheduled publications. */
export interface ScheduledQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** A page or post that is scheduled to be published. */
const scheduledEntrySchema = z
  .strictObject({
    ...entryLine,
    publishAt: time.describe('In the past if the publication is overdue'),
    isPlanOlder,
    problem: z.string().nullable().describe('Why it could not be published though its time has come'),
    problemMessage: codedMessageSchema.nullable().describe('`problem` as data; null: it has none'),
  })
  .describe('A page or post whose publication is scheduled')
  .register(components, { id: 'ScheduledEntry' });
export type ScheduledEntry = Shape<typeof scheduledEntrySchema>;
/** A page of scheduled publications, the earliest first. */
export const scheduledPageSchema = countedPageOf(scheduledEntrySchema).register(components, { id: 'ScheduledPage' });
export type ScheduledPage = Shape<typeof scheduledPageSchema>;

/** The newest change, compaction or prune of a session that can be undone. */
const undoable = z
  .strictObject({
    kind: z
      .enum(['change', 'compaction', 'prune'])
      .describe('`change`: a change of the site, with its change id. The others have their compaction id'),
    id: z.string().min(1).describe('Id of the change, or of the compaction or prune'),
    summary: z.string().min(1).describe('A short plain sentence: `Added a faq section to "Pricing"`'),
    summaryMessage: codedMessageSchema.nullable().describe('`summary` as data; null if it has no code'),
    createdAt: time,
  })
  .describe('The newest change, compaction or prune of a session that can be undone')
  .register(components, { id: 'UndoableChange' });
export type Undoable = Shape<typeof undoable>;
export const undoableSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal(null) }).register(components, { id: 'NothingToUndo' }),
    undoable,
  ])
  .register(components, { id: 'Undoable' });

export const changeListSchema = listOf(changeSchema).register(components, { id: 'ChangeList' });
export const versionListSchema = listOf(versionSchema).register(components, { id: 'VersionList' });
export const referenceListSchema = listOf(referenceSchema).register(components, { id: 'ReferenceList' });
export const issueListSchema = listOf(issueSchema).register(components, { id: 'IssueList' });
export const redirectListSchema = listOf(redirectSchema).register(components, { id: 'RedirectList' });

export const tagListSchema = listOf(
  z.strictObject({
    tag: z.string().min(1).describe('The tag as it is written'),
    count: z.number().int().min(1).describe('Number of entries that have it'),
  }),
).register(components, { id: 'TagList' });

export const authorListSchema = listOf(
  z.strictObject({
    author: z.string().min(1).describe('The author as entries name them'),
    count: z.number().int().min(1).describe('Number of their entries'),
  }),
).register(components, { id: 'AuthorList' });

/** A page of the journal. */
export const changePageSchema = z
  .strictObject({
    items: z.array(changeSchema).describe('Newest first; with `after` oldest first'),
    nextCursor: z.string().nullable().describe('The `cursor` of the next page'),
  })
  .register(components, { id: 'ChangePage' });

/** A change with the fields that it altered. */
export const changeDetailSchema = z
  .strictObject({
    change: changeSchema,
    fields: z.array(fieldChangeSchema).describe('Every field that the change altered, with the value before and after'),
    blockedBy: z.array(changeSchema).nullable().describe('What an undo would lose; null: it can be taken back'),
  })
  .register(components, { id: 'ChangeDetail' });
export type ChangeDetail = Shape<typeof changeDetailSchema>;

/** The differences between two versions of an entry. */
export const entryDifferencesSchema = z
  .strictObject({ fields: z.array(fieldChangeSchema).describe('Every field that differs, with both values') })
  .register(components, { id: 'EntryDifferences' });

/** Result of an undo: of one change, or (`all`) of many. */
export const undoneSchema = z
  .union([
    z
      .strictObject({
        change: changeSchema,
        together: z.array(changeSchema).optional().describe('The others of the same edit, taken back as well'),
        ...noteFields,
      })
      .register(components, { id: 'UndoneChange' }),
    undoOutcomeSchema.extend(noteFields).register(components, { id: 'UndoneChanges' }),
  ])
  .register(components, { id: 'UndoResult' });
