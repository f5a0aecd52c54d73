import { z } from 'zod';
import { percentDecoded } from '#server/core/addresses';
import { boundedRecord } from '#server/core/bounded-schema';
import {
  documentFields,
  entryDocumentSchema,
  type EntryType,
  type NavigationItem,
  navigationLink,
  operationFields,
  optionalDocumentFields,
  type PatchOp,
  sectionSchema,
  sectionTypes,
  type SiteSettings,
  siteSettingsSchema,
  SUBITEMS,
} from '#server/core/site/content';
import { NotFoundError } from '#server/core/errors';
import { expectedValueSchema } from '#server/core/site/write-checks/write-conflict';
import { createShortId } from '#server/core/ids';
import { jsonValueSchema } from '#server/core/json';
import { MAX_NAVIGATION_LEVELS } from '#server/core/limits';
import { glossaryTerm, standingInstructionsSchema } from '#server/core/site/standing-instructions';
import { components, idOf } from '#server/core/shapes';
import { DEFAULT_PREVIEW_LINK_DAYS, previewLinkDays } from '#server/core/site/preview/preview-links';

/*
 * Requests for the content of a site: entries (pages, posts), menu, settings, standing instructions. They check shapes
 * only: the CMS adapter checks texts, slugs, links and section fields, for tools and routes alike.
 */

const COLLECTIONS: ReadonlyMap<string, EntryType> = new Map([
  ['pages', 'page'],
  ['posts', 'post'],
]);

/** `pages` or `posts`; any other value is an address that does not exist. */
const collection = z
  .string()
  .meta({ enum: [...COLLECTIONS.keys()] })
  .transform((name) => {
    const type = COLLECTIONS.get(name);
    if (type === undefined) throw new NotFoundError('collection', name.slice(0, 80), 'There are pages and posts.');
    return type;
  });

/** The entry in a path. Decoded here, because Next passes some segments of a path without decoding them. */
const ref = z.string().min(1).max(1_000).transform(percentDecoded).describe('An id, a slug or a title');

export const pathQuery = z.object({
  path: z
    .string()
    .min(1)
    .max(1_000)
    .startsWith('/')
    .transform(percentDecoded)
    .describe('A path of the site: `/about/team`'),
});

export const collectionParams = z.object({ collection });
export const entryParams = z.object({ collection, ref });
/** The address of a preview link. Any text: an unknown one gets the same page as one that has ended. */
export const sharedDraftParams = z.object({ secret: z.string() });
export const sharedFileParams = sharedDraftParams.extend({ file: z.array(z.string().max(200)).max(10) });
export const previewLinkParams = entryParams.extend({ link: idOf('lnk') });
export const commentParams = entryParams.extend({ comment: idOf('cmt') });
export const commentBody = z
  .strictObject({ resolved: z.boolean().describe('True: done. False: open') })
  .register(components, { id: 'CommentBody' });

/** A query parameter with several words, separated by commas. */
const commaSeparated = <Item extends string>(items: readonly [Item, ...Item[]]) =>
  z
    .string()
    .max(200)
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(items)).max(50));

const editTime = z.coerce.number().int().min(0).max(8_640_000_000_000_000).optional();

export const listEntriesQuery = z.object({
  state: z.enum(['draft', 'published', 'trashed']).optional(),
  status: z.enum(['draft', 'published', 'changed']).optional(),
  tag: z.string().min(1).max(40).optional(),
  parent: z
    .string()
    .min(1)
    .max(80)
    .transform((id) => (id === 'none' ? null : id))
    .optional()
    .describe('Id of a page; `none`: below no page, or only below one that is not in the listed state'),
  text: z.string().min(1).max(500).optional().describe('Words in title, slug or excerpt'),
  search: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('Words in the title, slug, excerpt, tags or the texts of sections; items have their `match`'),
  author: z.string().min(1).max(200).optional().describe('The author as entries name them'),
  updatedFrom: editTime.describe('Last edited at this time or later; epoch milliseconds'),
  updatedBefore: editTime.describe('Last edited before this time; epoch milliseconds'),
  scheduled: z
    .enum(['0', '1', 'false', 'true'])
    .transform((text) => text === '1' || text === 'true')
    .optional()
    .describe('Only those that are published by themselves at a time to come'),
  sort: z
    .enum(['relevance', 'updated', 'created', 'published', 'scheduled', 'title'])
    .optional()
    .describe('Absent: `relevance` with `search`, which has matches in the title first'),
  order: z.enum(['asc', 'desc']).optional(),
  select: commaSeparated([...documentFields, 'sections'])
    .optional()
    .describe('Fields of the documents to give along: `tags,seo`'),
  limit: z.coerce.number().int().min(1).max(100).optional(),
  cursor: z.string().min(1).max(1_000).optional(),
});

export const typeParams = z.object({ name: z.string().min(1).max(80) });

export const revisionsQuery = z.object({ limit: z.coerce.number().int().min(1).max(1_000).optional() });

/** Maximum items of a list: higher than every limit of the CMS adapters, which report theirs with better messages. */
const MAX_ITEMS = 500;
/** Maximum number of fields of a section, of `seo`, `terms` or `custom`. */
const MAX_FIELDS = 200;

/** Description of a schema of the core, for the field of a request with the same meaning. */
function meaningOf({ description = '' }: z.ZodType): string {
  return description;
}
const meanings = entryDocumentSchema.shape;

const fields = boundedRecord(z.string(), jsonValueSchema, MAX_FIELDS);
const newSection = z
  .strictObject({
    type: z.enum(sectionTypes).describe(meaningOf(sectionSchema.shape.type)),
    fields: fields.default({}).describe(meaningOf(sectionSchema.shape.fields)),
  })
  .register(components, { id: 'NewSection' });
const sectionId = operationFields.removeSection.sectionId.min(1).max(80);

export const createEntryBody = z
  .strictObject({
    title: z.string().describe(meaningOf(meanings.title)),
    slug: z
      .string()
      .optional()
      .describe(`${meaningOf(meanings.slug)}; absent: made from the title`),
    excerpt: z.string().optional().describe(meaningOf(meanings.excerpt)),
    author: z.string().optional().describe(meaningOf(meanings.author)),
    tags: z.array(z.string()).max(MAX_ITEMS).optional().describe(meaningOf(meanings.tags)),
    image: z.string().optional().describe(meaningOf(meanings.image)),
    parent: z.string().optional().describe(meaningOf(meanings.parent)),
    seo: fields.optional().describe(meaningOf(meanings.seo)),
    terms: boundedRecord(z.string(), z.array(z.string()).max(MAX_ITEMS), MAX_FIELDS)
      .optional()
      .describe(meaningOf(meanings.terms)),
    sections: z.array(newSection).max(MAX_ITEMS).optional().describe('Sections in order; absent: none'),
  })
  .register(components, { id: 'CreateEntryBody' });

/** An operation like core's patchOpSchema, but strict; a new section needs no id, the server assigns it. */
const operation: z.ZodType<PatchOp> = z
  .discriminatedUnion('op', [
    z.strictObject(operationFields.set),
    z.strictObject(operationFields.unset),
    z.strictObject({
      ...operationFields.insertSection,
      section: newSection
        .extend({
          id: sectionId
            .optional()
            .transform((id) => id ?? createShortId('sec'))
            .describe('Id of the new section; absent: the server makes one'),
        })
        .describe('The new section'),
    }),
    z.strictObject({
      ...operationFields.setSection,
      sectionId,
      fields: fields.describe(meaningOf(operationFields.setSection.fields)),
    }),
    z.strictObject({ ...operationFields.moveSection, sectionId }),
    z.strictObject({ ...operationFields.removeSection, sectionId }),
  ])
  .register(components, { id: 'DraftOperation' });

/** An optional field: null removes it. */
function removable<Value extends z.ZodType>(value: Value, stored: z.ZodType) {
  return value
    .nullable()
    .optional()
    .describe(`${meaningOf(stored)}. Null removes it; left out, it stays`);
}

/** Values of fields; null removes an optional field. */
const entryFields = z.strictObject({
  title: z.string().optional().describe(meaningOf(meanings.title)),
  slug: z.string().optional().describe(meaningOf(meanings.slug)),
  excerpt: removable(z.string(), meanings.excerpt),
  author: removable(z.string(), meanings.author),
  tags: removable(z.array(z.string()).max(MAX_ITEMS), meanings.tags),
  image: removable(z.string(), meanings.image),
  parent: removable(z.string(), meanings.parent),
  seo: removable(fields, meanings.seo),
  terms: removable(fields, meanings.terms),
  custom: removable(fields, meanings.custom),
});

function fieldOperations(values: z.infer<typeof entryFields>): PatchOp[] {
  const { title, slug, ...optional } = values;
  const operations: PatchOp[] = [];
  if (title !== undefined) operations.push({ op: 'set', field: 'title', value: title });
  if (slug !== undefined) operations.push({ op: 'set', field: 'slug', value: slug });
  for (const field of optionalDocumentFields) {
    const value = optional[field];
    if (value !== undefined) operations.push(value === null ? { op: 'unset', field } : { op: 'set', field, value });
  }
  return operations;
}

/** The revision that a write is based on. @param min 0 for a document of the site that may not be stored yet */
function revisionFrom(min: 0 | 1) {
  return z.number().int().min(min).optional().describe('Refuse with 409 unless the revision is still this one');
}

/** Fields and operations of one change. The fields are converted to operations, which come first. */
export const updateEntryBody = entryFields
  .extend({
    operations: z.array(operation).max(200).optional().describe('Applied in order, after the fields; all or none'),
    ifRevision: revisionFrom(1),
    expects: z
      .array(expectedValueSchema)
      .max(400)
      .optional()
      .describe('What is replaced, as it was seen: refuse with 409 where it is otherwise by now'),
    joins: z
      .string()
      .min(1)
      .max(80)
      .optional()
      .describe('One’s own newest change, less than a minute old, that this goes on with: both become one'),
  })
  .transform(({ operations = [], ifRevision, expects, joins, ...values }) => ({
    operations: [...fieldOperations(values), ...operations],
    options: { ifRevision, expects, joins },
  }))
  .register(components, { id: 'UpdateEntryBody' });

/** Epoch milliseconds, or ISO 8601 with a time zone. */
const publicationTime = z
  .union([z.number().int(), z.iso.datetime({ offset: true })])
  .transform((time) => new Date(time).getTime());

/** Schedules the publication of an entry. */
export const scheduleBody = z
  .strictObject({
    publishAt: publicationTime
      .nullable()
      .describe(
        'A time ahead: epoch milliseconds, or ISO 8601 with its zone (`2027-01-05T09:00:00+01:00`). Null: not any more',
      ),
    ifRevision: revisionFrom(1),
  })
  .register(components, { id: 'ScheduleBody' });

/** Creates a preview link of an entry. */
export const newPreviewLinkBody = z
  .strictObject({
    days: z.literal(previewLinkDays).default(DEFAULT_PREVIEW_LINK_DAYS).describe('Days for which the link works'),
  })
  .register(components, { id: 'NewPreviewLinkBody' });

export const scheduledQuery = z.object({
  limit: z.coerce.number().int().min(1).max(100).optional(),
  cursor: z.string().min(1).max(1_000).optional(),
});

/** Number of a version of an entry: ours start at 1; those of the CMS are negative. */
export function versionNumber(number: z.ZodNumber | z.ZodCoercedNumber): z.ZodNumber | z.ZodCoercedNumber {
  return number
    .int()
    .refine((value) => value !== 0, 'must not be 0')
    .describe('A revision, from 1; negative: one of the CMS’s own, from before it was connected');
}

export const restoreBody = z
  .strictObject({ revision: versionNumber(z.number()) })
  .register(components, { id: 'RestoreVersionBody' });

/** Menu items with their children. @param level of these items, from 1 to `MAX_NAVIGATION_LEVELS` */
function itemsOfLevel(level: number): z.ZodType<NavigationItem[]> {
  const link = z.strictObject(navigationLink);
  const isLast = level === MAX_NAVIGATION_LEVELS;
  const item = isLast
    ? link
    : link.extend({
        children: itemsOfLevel(level + 1)
          .optional()
          .describe(SUBITEMS),
      });
  return z.array(item.register(components, { id: `MenuItemOfLevel${level}` })).max(MAX_ITEMS);
}

export const navigationBody = z
  .strictObject({ items: itemsOfLevel(1).describe('The whole menu in order') })
  .register(components, { id: 'NavigationBody' });

const { shape: standing } = standingInstructionsSchema;

/** All standing instructions: the request replaces them. */
export const standingBody = z
  .strictObject({
    voice: z.string().default('').describe(meaningOf(standing.voice)),
    glossary: z.array(z.strictObject(glossaryTerm.shape)).max(1_000).default([]).describe(meaningOf(standing.glossary)),
    rules: z.array(z.string()).max(1_000).default([]).describe(meaningOf(standing.rules)),
    ifRevision: revisionFrom(0),
  })
  .register(components, { id: 'StandingInstructionsBody' });

/** A setting of the site; the CMS adapter checks its value. */
function setting(name: keyof SiteSettings): z.ZodString {
  return z.string().describe(meaningOf(siteSettingsSchema.shape[name]));
}

/** Settings to change; the others stay as they are. */
export const settingsBody = z
  .strictObject({
    siteName: setting('siteName'),
    tagline: setting('tagline'),
    homeSlug: setting('homeSlug'),
    contactEmail: setting('contactEmail'),
    footerText: setting('footerText'),
    accentColor: setting('accentColor'),
    language: setting('language'),
    icon: setting('icon'),
    redirects: setting('redirects'),
  } satisfies Record<keyof SiteSettings, z.ZodString>)
  .partial()
  .transform((settings) => settings as Partial<SiteSettings>)
  .register(components, { id: 'SiteSettingsBody' });
