import { z } from 'zod';
import { jsonValueSchema, sameJson } from '#server/core/json';
import { MAX_NAVIGATION_ITEMS } from '#server/core/limits';
import { sectionFieldSchemas } from '#server/core/section-fields';
import { anyTime, components, count, listOf, revision, type Shape, time } from '#server/core/shapes';

export const entryTypes = ['page', 'post'] as const;
export type EntryType = (typeof entryTypes)[number];

export type SectionType = keyof typeof sectionFieldSchemas;
export const sectionTypes = Object.keys(sectionFieldSchemas) as [SectionType, ...SectionType[]];

/** A block of a page or post. `fields` depends on the type: see server/content/section-types. */
export const sectionSchema = z.object({
  id: z.string(),
  type: z.enum(sectionTypes),
  fields: z.record(z.string(), jsonValueSchema),
});
export type Section = Shape<typeof sectionSchema>;

/** Texts for search engines and link previews, where they differ from the entry's own title, excerpt and image. */
export const seoSchema = z.object({
  title: z.string().optional(),
  description: z.string().optional(),
  /** URL of the picture of link previews. */
  image: z.string().optional(),
  /** Search engines are asked to leave the entry out. */
  noIndex: z.boolean().optional(),
});
export type Seo = Shape<typeof seoSchema>;

/** The part of an entry that exists twice: as the draft being edited and as published. */
export const entryDocumentSchema = z.object({
  title: z.string(),
  slug: z.string(),
  /** One or two plain sentences; the description of a page, the teaser of a post. */
  excerpt: z.string().optional(),
  author: z.string().optional(),
  tags: z.array(z.string()).optional(),
  /** URL of the cover image. */
  image: z.string().optional(),
  /** Id of the page that this page stands below; pages only. */
  parent: z.string().optional(),
  seo: seoSchema.optional(),
  /** The kind's name (`Project`) of an entry of a connected site that is neither page nor post. */
  kind: z.string().optional(),
  /** Groups of a connected site beside tags: names by the group's key there, as in `category: News`. */
  terms: z.record(z.string(), z.array(z.string())).optional(),
  /** Custom fields that a connected site shows, by their names there. */
  custom: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  sections: z.array(sectionSchema),
});
export type EntryDocument = Shape<typeof entryDocumentSchema>;

components.add(entryDocumentSchema, { id: 'EntryDocument' });

/** Canonical documents are equal when their texts are. */
export function sameDocument(a: EntryDocument | null, b: EntryDocument | null): boolean {
  return sameJson(a, b);
}

/** Tells whether a publication is planned that has not all of the draft in it. */
export function hasOlderPlan({ planned, draft }: Pick<Entry, 'planned' | 'draft'>): boolean {
  return planned !== null && !sameDocument(planned, draft);
}

/** `changed`: published, and the draft differs from what is published. */
export const entryStatuses = ['draft', 'published', 'changed'] as const;
export type EntryStatus = (typeof entryStatuses)[number];

/**
 * Marks of an entry of a connected site that stay through all that is done here: not everybody may read it (`private`),
 * visitors need a password (`password`), somebody is to look at it (`pending`), it stays in front of other posts
 * (`sticky`), a page builder has it and it is changed there (`read-only`).
 */
export const entryMarks = ['private', 'password', 'pending', 'sticky', 'read-only'] as const;
export type EntryMark = (typeof entryMarks)[number];
const marks = z.array(z.enum(entryMarks)).optional();

/** The site kept in our own database. */
export const EMBEDDED_SITE = 'embedded';

/** A page or a post. */
export const entrySchema = z
  .strictObject({
    id: z.string().regex(/^(pag|pos)_/),
    type: z.enum(entryTypes),
    revision,
    status: z.enum(entryStatuses).describe('`changed`: published, and the draft differs'),
    draft: entryDocumentSchema,
    published: entryDocumentSchema.nullable(),
    publishedAt: anyTime.nullable(),
    publishAt: time.nullable().describe('When `planned` is published by itself'),
    planned: entryDocumentSchema.nullable().describe('The draft as it was when its publication was planned'),
    marks: marks.describe('Of entries of a connected site'),
    /** A deleted entry is hidden everywhere but can be restored. */
    deletedAt: time.nullable(),
    createdAt: anyTime,
    updatedAt: anyTime,
  })
  .register(components, { id: 'Entry' });
export type Entry = Shape<typeof entrySchema>;

export interface NavigationItem {
  readonly label: string;
  /** A path on this site (`/pricing`) or an absolute http(s) URL. */
  readonly href: string;
  readonly children?: readonly NavigationItem[] | undefined;
}
export const navigationItemSchema: z.ZodType<NavigationItem> = z.lazy(() =>
  z.object({
    label: z.string().min(1).max(80),
    href: z
      .string()
      .min(1)
      .max(500)
      .regex(/^(\/|https?:\/\/|#|mailto:)/, 'must start with /, #, mailto: or http(s)://'),
    children: z.array(navigationItemSchema).max(MAX_NAVIGATION_ITEMS).optional(),
  }),
);

components.add(navigationItemSchema, { id: 'NavigationItem' });
export const navigationListSchema = listOf(navigationItemSchema);

const documentRevision = count.describe('Number of writes, for `ifRevision`; 0: none yet');
export const navigationReportSchema = navigationListSchema.extend({ revision: documentRevision });

export const siteSettingsSchema = z.object({
  siteName: z.string().min(1).max(120),
  tagline: z.string().max(300),
  /** Slug of the page served at the root of the site. */
  homeSlug: z.string().min(1).max(120),
  contactEmail: z.string().max(200),
  footerText: z.string().max(500),
  /** `#rrggbb`. */
  accentColor: z.string().regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour like #1a2b3c'),
  /** Address of the picture that stands for the site in tabs and lists; empty: one in its colour is made. */
  icon: z.string().max(2_000),
  /** Addresses that lead on because somebody chose so, a line each: `/summer-sale /offers` (core/addresses). */
  redirects: z.string().max(20_000),
});
components.add(siteSettingsSchema, { id: 'SiteSettings' });
export type SiteSettings = Shape<typeof siteSettingsSchema>;
export const siteSettingsReportSchema = siteSettingsSchema.extend({ revision: documentRevision });

/** Optional fields of a document, beside its sections. */
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
/** Fields of a document beside its sections. */
export const documentFields = ['title', 'slug', ...optionalDocumentFields] as const;

/** One step of a change to an entry, on keyed sections; never a whole array. */
export const patchOpSchema = z.discriminatedUnion('op', [
  z.object({
    op: z.literal('set'),
    field: z.enum(documentFields),
    value: jsonValueSchema,
  }),
  z.object({ op: z.literal('unset'), field: z.enum(optionalDocumentFields) }),
  /** `index` counts from 0; beyond the end, or left out, means last. */
  z.object({ op: z.literal('insert-section'), section: sectionSchema, index: z.number().int().min(0).optional() }),
  /** Sets the given fields of a section (null removes one), leaves its others. */
  z.object({ op: z.literal('set-section'), sectionId: z.string(), fields: z.record(z.string(), jsonValueSchema) }),
  z.object({ op: z.literal('move-section'), sectionId: z.string(), index: z.number().int().min(0) }),
  z.object({ op: z.literal('remove-section'), sectionId: z.string() }),
]);
components.add(patchOpSchema, { id: 'Operation' });
export type PatchOp = Shape<typeof patchOpSchema>;

/**
 * Permanent name of one thing of a site. `createdAt` tells it from a later thing that was given the same id, which
 * some backends do after a deletion.
 */
export interface Ref {
  /** `embedded`, `wordpress`, ... */
  readonly backend: string;
  readonly type: EntryType | 'asset';
  readonly id: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** A picture of the media library. Its bytes are served at `url`; replacing them keeps the id and the address. */
export const assetSchema = z
  .strictObject({
    id: z.string().regex(/^ast_[0-9a-z]{6}$/),
    /** A path of this site that stays good when the filename changes. */
    url: z.string().regex(/^\/media\/ast_[0-9a-z]{6}\/[a-z0-9-]+\.(png|jpg|webp|gif|avif)$/),
    /** A small picture of it; of one in the trash, for the owner alone. */
    thumbnailUrl: z.string().regex(/^\/(media|api\/content\/media)\/.*\?size=thumb$/),
    /** Stands for its bytes: other bytes, another version. */
    version: z.string().regex(/^[0-9a-f]{16}$/),
    filename: z.string().min(1).max(100),
    /** By content, not by what its sender said. */
    mediaType: z.enum(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif']),
    size: z.number().int().min(1).describe('Bytes'),
    width: z.number().int().min(1).describe('Pixels'),
    height: z.number().int().min(1).describe('Pixels'),
    alt: z.string().describe('What it shows; empty: nobody has said so yet'),
    tags: z.array(z.string().min(1)),
    revision,
    deletedAt: time.nullable(),
    createdAt: anyTime,
    updatedAt: anyTime,
  })
  .register(components, { id: 'Asset' });
export type Asset = Shape<typeof assetSchema>;

/** A reference to something: a link to a page, a picture used in a section, a child of a page. */
export const referenceSchema = z
  .object({
    kind: z.enum(['link', 'image', 'child', 'navigation', 'home', 'block']),
    /** Holder of the reference: an entry (with the section, if it is in one), the navigation or the settings. */
    from: z.object({
      type: z.enum([...entryTypes, 'navigation', 'settings']),
      id: z.string().min(1),
      title: z.string(),
      sectionId: z.string().optional(),
    }),
    /** The address or label as it is written there. */
    text: z.string(),
    /** Also in what visitors see, not only in the draft. */
    isPublished: z.boolean(),
    isPlanned: z.literal(true).optional().describe('In what is published by itself at a time to come'),
  })
  .register(components, { id: 'Reference' });
export type Reference = Shape<typeof referenceSchema>;

/** A problem, or something to look at, in content that was not written yet. */
export const issueSchema = z.strictObject({
  /** `title`, `sections[2].fields.heading`, ... */
  path: z.string().min(1),
  message: z.string().min(1),
  /** `error`: it would be refused. */
  severity: z.enum(['error', 'warning']),
});
export type ValidationIssue = Shape<typeof issueSchema>;

export const sitePath = z.string().regex(/^\/([a-z0-9-]+(\/[a-z0-9-]+)*)?$/);

/** A former address, and the entry that is now elsewhere. */
export const redirectSchema = z.strictObject({
  from: z.string().startsWith('/').describe('Of what was taken over from elsewhere, it is as it was there'),
  targetType: z.enum(entryTypes),
  targetId: entrySchema.shape.id,
  to: sitePath.nullable().describe('Null while the target is not published'),
  createdAt: time,
});
export type Redirect = Shape<typeof redirectSchema>;

/** Instructions that the assistant follows on this site in every conversation. */
export const standingInstructionsSchema = z.object({
  /** Tone and speaker: plain sentences. */
  voice: z.string(),
  /** Words as they are written here. */
  glossary: z.array(z.object({ term: z.string(), meaning: z.string() })),
  /** "Never ...", "Always ...": one sentence each. */
  rules: z.array(z.string()),
});
export type StandingInstructions = Shape<typeof standingInstructionsSchema>;

/** The standing instructions, and what they cost. */
export const standingReportSchema = z.strictObject({
  ...standingInstructionsSchema.shape,
  /** Number of writes; 0 where there were none. */
  revision: count,
  /** Token cost of every request. */
  tokens: count,
  maxTokens: count,
});
export type StandingReport = Shape<typeof standingReportSchema>;
