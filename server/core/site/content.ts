import { valueRules } from '#server/core/value-rules';
import { z } from 'zod';
import { boundedRecord } from '#server/core/bounded-schema';
import { describedJson, jsonValueSchema, sameJson } from '#server/core/json';
import { MAX_NAVIGATION_ITEMS } from '#server/core/limits';
import { sectionDefinitions } from '#sections/fields';
import { anyTime, components, count, listOf, revision, type Shape, time } from '#server/core/shapes';
import { codedMessageSchema } from '#server/core/coded-message';

/* The content of a site: entries with their sections, menu, settings, pictures, and the operations that change entries. */

/** Kinds of entries. */
export const entryTypes = ['page', 'post'] as const;
export type EntryType = (typeof entryTypes)[number];

/** Type of a section. */
export type SectionType = keyof typeof sectionDefinitions;
/** All types of sections. */
export const sectionTypes = Object.keys(sectionDefinitions) as [SectionType, ...SectionType[]];

/**
 * Maximum number of sections, of tags and of similar items of one document. Pages of a connected site may have far more
 * than pages of the built-in site.
 */
const MAX_PIECES = 10_000;
/** Maximum number of fields of a section or document. */
const MAX_FIELDS = 1_000;

/** A block of a page or post. `fields` depends on the type: see server/site/section-types. */
export const sectionSchema = z
  .object({
    id: z.string().describe('Id of the section (`sec_…`), unique in its entry'),
    type: z.enum(sectionTypes).describe('Kind of the section; `GET /api/content/types/{name}` describes its fields'),
    fields: boundedRecord(z.string(), jsonValueSchema, MAX_FIELDS).describe(
      'Values of the section by field name; which there are depends on `type`',
    ),
  })
  .describe('A block of a page or post')
  .register(components, { id: 'Section' });
export type Section = Shape<typeof sectionSchema>;
/** What a section contains, without its id. */
export interface SectionContent {
  readonly type: Section['type'];
  readonly fields: Section['fields'];
}

/** Texts for search engines and link previews, if they differ from the entry's own title, excerpt and image. */
export const seoSchema = z
  .object({
    title: z.string().optional().describe('Title for search engines and link previews; absent: that of the entry'),
    description: z
      .string()
      .optional()
      .describe('Description for search engines and link previews; absent: the excerpt'),
    image: z.string().optional().describe('URL of the picture for link previews'),
    noIndex: z.boolean().optional().describe('Asks search engines not to index the entry'),
  })
  .describe('Texts for search engines and link previews, where they differ from those of the entry')
  .register(components, { id: 'Seo' });
export type Seo = Shape<typeof seoSchema>;

/** A document without its sections. */
const entryHeadSchema = z.object({
  title: z.string().describe('Title, plain text'),
  slug: z.string().describe('Last part of the address: `team` in `/about/team`'),
  excerpt: z
    .string()
    .optional()
    .describe('One or two plain sentences; the description of a page, the teaser of a post'),
  author: z.string().optional().describe('Name of the author, as visitors see it'),
  tags: z.array(z.string()).max(MAX_PIECES).optional().describe('Tags in order'),
  image: z.string().optional().describe('URL of the cover image'),
  parent: z.string().optional().describe('Id of the parent page; pages only'),
  seo: seoSchema.optional().describe('Texts for search engines and link previews'),
  kind: z
    .string()
    .optional()
    .describe('Name of the content type (`Project`) for an entry of a connected site that is neither page nor post'),
  terms: boundedRecord(z.string(), z.array(z.string()).max(MAX_PIECES), MAX_FIELDS)
    .optional()
    .describe(
      'Taxonomies of a connected site other than tags: names of terms by the key of the taxonomy there, such as `category`',
    ),
  custom: boundedRecord(z.string(), z.union([z.string(), z.number(), z.boolean()]), MAX_FIELDS)
    .optional()
    .describe('Custom fields that a connected site exposes, by their names there'),
});
export type EntryHead = Shape<typeof entryHeadSchema>;

/** The part of an entry that exists twice: as the draft being edited and as published. */
export const entryDocumentSchema = z
  .object({
    ...entryHeadSchema.shape,
    sections: z.array(sectionSchema).max(MAX_PIECES).describe('Sections in order'),
  })
  .describe('The content of an entry, which exists twice: as the draft and as published');
export type EntryDocument = Shape<typeof entryDocumentSchema>;

components.add(entryDocumentSchema, { id: 'EntryDocument' });

/** True if two documents are equal. Both must be in canonical form, because their JSON text is compared. */
export function sameDocument(a: EntryDocument | null, b: EntryDocument | null): boolean {
  return sameJson(a, b);
}

/** The draft of an entry, and the content of its scheduled publication. */
export interface PlannedDraft {
  readonly draft: EntryDocument;
  readonly planned: EntryDocument | null;
}

/** True if the draft was changed after its publication was scheduled: the changes will not be published then. */
export function hasOutdatedSchedule({ planned, draft }: PlannedDraft): boolean {
  return planned !== null && !sameDocument(planned, draft);
}

/** `changed`: published, and the draft differs from the published state. */
export const entryStatuses = ['draft', 'published', 'changed'] as const;
export type EntryStatus = (typeof entryStatuses)[number];

/**
 * Marks of an entry of a connected site that no operation here changes: restricted readers (`private`), a password for
 * visitors (`password`), waiting for review (`pending`), kept before other posts (`sticky`), managed by a page builder
 * and editable only there (`read-only`).
 */
export const entryMarks = ['private', 'password', 'pending', 'sticky', 'read-only'] as const;
export type EntryMark = (typeof entryMarks)[number];
const marks = z.array(z.enum(entryMarks)).optional();

/** Id of the built-in site, stored in our own database. */
export const EMBEDDED_SITE = 'embedded';

/** A page or a post. */
export const entrySchema = z
  .strictObject({
    id: z
      .string()
      .regex(/^(pag|pos)_/)
      .describe('Id of a page (`pag_…`) or post (`pos_…`); it stays when the slug changes'),
    type: z.enum(entryTypes).describe('Kind of the entry'),
    revision,
    status: z.enum(entryStatuses).describe('`changed`: published, and the draft differs'),
    draft: entryDocumentSchema,
    published: entryDocumentSchema.nullable().describe('What visitors see; null: it is not published'),
    publishedAt: anyTime.nullable().describe('First publication, epoch milliseconds; null: not published'),
    publishAt: time
      .nullable()
      .describe('When `planned` is published automatically, epoch milliseconds; null: not scheduled'),
    planned: entryDocumentSchema
      .nullable()
      .describe('The draft as it was when its publication was scheduled; null: not scheduled'),
    marks: marks.describe('Of entries of a connected site'),
    deletedAt: time
      .nullable()
      .describe(
        'When it was moved to the trash, epoch milliseconds; null: it was not. A deleted entry is hidden everywhere but can be restored',
      ),
    createdAt: anyTime,
    updatedAt: anyTime,
  })
  .describe('A page or a post')
  .register(components, { id: 'Entry' });
export type Entry = Shape<typeof entrySchema>;

/** An item of the menu. */
export interface NavigationItem {
  readonly label: string;
  /** A path on this site (`/pricing`) or an absolute http(s) URL. */
  readonly href: string;
  readonly children?: readonly NavigationItem[] | undefined;
}
/** Fields of every item of the menu, on all levels. */
export const navigationLink = {
  label: z.string().describe('Text of the link'),
  href: z.string().describe('A path on this site (`/pricing`) or an absolute http(s) URL'),
};
/** Meaning of the items below an item. */
export const SUBITEMS = 'Items of the menu below this one; absent: none';

/** Schema of a stored item. It does not check addresses: older versions accepted some that `checkNavigation` refuses. */
export const navigationItemSchema: z.ZodType<NavigationItem> = z.lazy(() =>
  z.object({
    ...navigationLink,
    children: z.array(navigationItemSchema).max(MAX_NAVIGATION_ITEMS).optional().describe(SUBITEMS),
  }),
);

components.add(navigationItemSchema, { id: 'NavigationItem' });
export const navigationListSchema = listOf(navigationItemSchema).register(components, { id: 'NavigationList' });

const documentRevision = count.describe('Number of writes, for `ifRevision`; 0: none yet');
/** An address of menu items that are not shown, and why. */
const hiddenMenuItemSchema = z
  .strictObject({
    href: z.string().describe('Address of the items'),
    reason: z.enum(['draft', 'trashed']).describe('Its page is a draft, or is no longer shown and may be in the trash'),
  })
  .register(components, { id: 'HiddenMenuItem' });
export type HiddenMenuItem = Shape<typeof hiddenMenuItemSchema>;

/** The navigation with its revision. */
export const navigationReportSchema = navigationListSchema
  .extend({
    hidden: z.array(hiddenMenuItemSchema).describe('Items that visitors do not see'),
    revision: documentRevision,
  })
  .register(components, { id: 'NavigationReport' });

/** The settings of a site. */
export const siteSettingsSchema = z
  .object({
    siteName: z.string().min(1).max(120).describe('Name of the site'),
    tagline: z.string().max(300).describe('Short description of the site; empty: none'),
    homeSlug: z.string().min(1).max(120).describe('Slug of the page served at the root of the site'),
    contactEmail: z
      .string()
      .max(200)
      .describe('Address that the site shows to visitors and to which submissions of forms are mailed; empty: none'),
    footerText: z.string().max(500).describe('Text at the end of every page; empty: none'),
    accentColor: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/, valueRules.colour)
      .describe('`#rrggbb`'),
    language: z.string().min(2).max(35).describe('Language tag of the texts of the site (BCP 47): `de`, `pt-BR`'),
    icon: z
      .string()
      .max(2_000)
      .describe('Address of the site icon for tabs and lists; empty: an icon is generated in the accent colour'),
    redirects: z
      .string()
      .max(20_000)
      .describe('Redirects that a person added, one per line: `/summer-sale /offers` (core/site/manual-redirects)'),
  })
  .describe('The settings of a site');
components.add(siteSettingsSchema, { id: 'SiteSettings' });
export type SiteSettings = Shape<typeof siteSettingsSchema>;
/** The settings of the site with their revision. */
export const siteSettingsReportSchema = siteSettingsSchema
  .extend({ revision: documentRevision })
  .register(components, { id: 'SiteSettingsReport' });

/** Optional fields of a document, except its sections. */
export const optionalDocumentFields = [
  'excerpt',
  'author',
  'tags',
  'image',
  'parent',
  'seo',
  'terms',
  'custom',
] as const;
/** All fields of a document except its sections. */
export const documentFields = ['title', 'slug', ...optionalDocumentFields] as const;

const sectionId = z.string().describe('Id of a section of the entry');
const index = z.number().int().min(0);

/** Fields of the operations without new sections. Requests have the same, with narrower bounds. */
export const operationFields = {
  set: {
    op: z.literal('set').describe('Sets a field of the entry'),
    field: z.enum(documentFields).describe('Name of the field'),
    value: describedJson('Value in the form of the field'),
  },
  unset: {
    op: z.literal('unset').describe('Removes an optional field of the entry'),
    field: z.enum(optionalDocumentFields).describe('Name of the field'),
  },
  insertSection: {
    op: z.literal('insert-section').describe('Adds a section'),
    index: index.optional().describe('Position, from 0; beyond the end, or absent: last'),
  },
  setSection: {
    op: z.literal('set-section').describe('Changes fields of a section'),
    sectionId,
    fields: z.record(z.string(), jsonValueSchema).describe('Fields to set, by name; null removes a field, others stay'),
  },
  moveSection: {
    op: z.literal('move-section').describe('Moves a section'),
    sectionId,
    index: index.describe('New position, from 0; beyond the end: last'),
  },
  removeSection: { op: z.literal('remove-section').describe('Removes a section'), sectionId },
};

/** One operation of a change to an entry, addressed by section id; never replaces a whole array. */
export const patchOpSchema = z.discriminatedUnion('op', [
  z.object(operationFields.set),
  z.object(operationFields.unset),
  z.object({ ...operationFields.insertSection, section: sectionSchema }),
  z.object(operationFields.setSection),
  z.object(operationFields.moveSection),
  z.object(operationFields.removeSection),
]);
components.add(patchOpSchema, { id: 'Operation' });
export type PatchOp = Shape<typeof patchOpSchema>;

/** An entry or a picture. */
export interface Target {
  readonly type: EntryType | 'asset';
  readonly id: string;
}

/**
 * Permanent identity of an entry or picture. `createdAt` distinguishes it from a later one with the same id, because some
 * CMSs reuse ids after a deletion.
 */
export interface Ref extends Target {
  /** `embedded`, `wordpress`, ... */
  readonly backend: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** A picture of the media library. Its bytes are served at `url`; replacing them keeps the id and the address. */
export const assetSchema = z
  .strictObject({
    id: z
      .string()
      .regex(/^ast_[0-9a-z]{6}$/)
      .describe('Id of a picture of the media library, as in `/api/content/media/{id}`'),
    url: z
      .string()
      .regex(/^\/media\/ast_[0-9a-z]{6}\/[a-z0-9-]+\.(png|jpg|webp|gif|avif)$/)
      .describe('A path of this site that stays valid when the filename changes'),
    thumbnailUrl: z
      .string()
      .regex(/^\/(media|api\/content\/media)\/.*\?size=thumb$/)
      .describe('Address of its thumbnail; for a picture in the trash, accessible to the owner only'),
    version: z
      .string()
      .regex(/^[0-9a-f]{16}$/)
      .describe('Identifies the bytes: different bytes have a different version'),
    filename: z.string().min(1).max(100).describe('Name of the file for people; a form of it is part of the address'),
    mediaType: z
      .enum(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif'])
      .describe("Detected from the content, not taken from the sender's claim"),
    size: z.number().int().min(1).describe('Bytes'),
    width: z.number().int().min(1).describe('Pixels'),
    height: z.number().int().min(1).describe('Pixels'),
    alt: z.string().describe('What it shows; empty: nobody has said so yet'),
    tags: z.array(z.string().min(1)).describe('Tags for finding it; visitors do not see them'),
    revision,
    deletedAt: time.nullable().describe('When it was moved to the trash, epoch milliseconds; null: it was not'),
    createdAt: anyTime,
    updatedAt: anyTime,
  })
  .describe('A picture of the media library')
  .register(components, { id: 'Asset' });
export type Asset = Shape<typeof assetSchema>;

/** A reference to an entry or picture: a link to a page, a picture in a section, a child of a page. */
export const referenceSchema = z
  .object({
    kind: z
      .enum(['link', 'image', 'child', 'navigation', 'home', 'block'])
      .describe(
        '`link`: a link in a text. `image`: a picture. `child`: a page below it. `navigation`: an item of the menu. `home`: the home page of the settings. `block`: a block of a connected site',
      ),
    from: z
      .object({
        type: z.enum([...entryTypes, 'navigation', 'settings']).describe('Kind of the thing that has the reference'),
        id: z.string().min(1).describe('Id of the entry, or the name of the document of the site'),
        title: z.string().describe('Its title'),
        sectionId: z.string().optional().describe('Id of the section of the entry; absent: not in a section'),
      })
      .describe('Where the reference is: an entry (with the section, if it is in one), the navigation or the settings'),
    text: z.string().describe('The address or label exactly as written there'),
    isPublished: z.boolean().describe('Also in the published state, not only in the draft'),
    isPlanned: z.literal(true).optional().describe('In what is published by itself at a time to come'),
  })
  .describe('A reference to an entry or picture')
  .register(components, { id: 'Reference' });
export type Reference = Shape<typeof referenceSchema>;

/** A problem or a hint about content that is not written yet. */
export const issueSchema = z
  .strictObject({
    path: z.string().min(1).describe('`title`, `sections[2].fields.heading`, '),
    message: z.string().min(1).describe('What is wrong, as the end of a sentence'),
    reason: codedMessageSchema.optional().describe('`message` as data, where it has a code of its own'),
    severity: z.enum(['error', 'warning']).describe('`error`: the write would be refused'),
  })
  .register(components, { id: 'ContentIssue' });
export type ValidationIssue = Shape<typeof issueSchema>;

/** A path of the site: `/about/team`. */
export const sitePath = z.string().regex(/^\/([a-z0-9-]+(\/[a-z0-9-]+)*)?$/);

/** A redirect: a former path, and the entry that has another path now. */
export const redirectSchema = z
  .strictObject({
    from: z.string().startsWith('/').describe('Of what was taken over from elsewhere, it is as it was there'),
    targetType: z.enum(entryTypes).describe('Kind of the entry to which it leads'),
    targetId: entrySchema.shape.id,
    to: sitePath.nullable().describe('Null while the target is not published'),
    createdAt: time,
  })
  .register(components, { id: 'Redirect' });
export type Redirect = Shape<typeof redirectSchema>;
