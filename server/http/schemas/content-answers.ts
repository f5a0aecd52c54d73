import { z } from 'zod';
import {
  changeActions,
  changeActors,
  entryDocumentSchema,
  entryTypes,
  navigationItemSchema,
  siteSettingsSchema,
  standingInstructionsSchema,
} from '#server/core/content';
import { components } from '#server/http/schemas/components';
import { anyTime, count, listOf, notes, time } from '#server/http/schemas/fields';
import { changeSchema, referenceSchema } from '#server/http/schemas/journal';

components.add(entryDocumentSchema, { id: 'EntryDocument' });
components.add(navigationItemSchema, { id: 'NavigationItem' });
components.add(siteSettingsSchema, { id: 'SiteSettings' });

const sitePath = z.string().regex(/^\/([a-z0-9-]+(\/[a-z0-9-]+)*)?$/);
const status = z.enum(['draft', 'published', 'changed']);
const revision = z.number().int().min(1);

const entryFields = {
  id: z.string().regex(/^(pag|pos)_/),
  type: z.enum(entryTypes),
  revision,
  status: status.describe('`changed`: published, and the draft differs'),
  draft: entryDocumentSchema,
  published: entryDocumentSchema.nullable(),
  publishedAt: anyTime.nullable(),
  publishAt: time.nullable().describe('When `planned` is published by itself'),
  planned: entryDocumentSchema.nullable().describe('The draft as it was when its publication was planned'),
  deletedAt: time.nullable(),
  createdAt: anyTime,
  updatedAt: anyTime,
};
const entrySchema = z.strictObject(entryFields).register(components, { id: 'Entry' });

/** An entry, and where it is. */
export const placedEntrySchema = z.strictObject({
  ...entryFields,
  path: sitePath,
  publishedPath: sitePath.nullable(),
  previewUrl: z.string().min(1),
});

/** What a publication gives back. */
export const publicationSchema = z.strictObject({
  entry: entrySchema,
  change: changeSchema.nullable().describe('Null: visitors saw that already, so nothing was written'),
  notes,
});

/** What every other write to an entry gives back. */
export const entryChangeSchema = z
  .strictObject({ entry: entrySchema, change: changeSchema, notes })
  .register(components, { id: 'EntryChange' });

const isPlanOlder = z.boolean().describe('The draft was changed since; what was changed is not part of the plan');

/** What every list of entries says of each. */
const entryLine = {
  id: entryFields.id,
  type: z.enum(entryTypes),
  title: z.string().min(1),
  slug: z.string().min(1),
  path: sitePath,
  status,
};

export const entryListSchema = z.strictObject({
  items: z.array(
    z.strictObject({
      ...entryLine,
      excerpt: z.string().optional(),
      sectionCount: count,
      parent: z.string().optional(),
      publishedAt: anyTime.nullable(),
      publishAt: entryFields.publishAt,
      isPlanOlder,
      updatedAt: anyTime,
      selected: entryDocumentSchema.partial().optional(),
    }),
  ),
  total: count,
  nextCursor: z.string().min(1).nullable(),
});

export const plannedPageSchema = z.strictObject({
  items: z.array(
    z.strictObject({
      ...entryLine,
      publishAt: time,
      isPlanOlder,
      problem: z.string().nullable().describe('Why it could not be published though its time has come'),
    }),
  ),
  total: count,
  nextCursor: z.string().min(1).nullable(),
});

export const changeListSchema = listOf(changeSchema);

export const versionListSchema = listOf(
  z.strictObject({
    revision: z.number().int().describe('Negative: of the CMS’s own, from before it was connected'),
    action: z.enum(changeActions),
    summary: z.string().min(1),
    actor: z.enum(changeActors),
    userName: z.string().optional().describe('Where there are accounts'),
    createdAt: anyTime,
    title: z.string(),
    isPublished: z.boolean(),
  }),
);

export const referenceListSchema = listOf(referenceSchema);

export const issueListSchema = listOf(
  z.strictObject({ path: z.string().min(1), message: z.string().min(1), severity: z.enum(['error', 'warning']) }),
);

export const redirectListSchema = listOf(
  z.strictObject({
    from: z.string().startsWith('/').describe('Of what was taken over from elsewhere, it is as it was there'),
    targetType: z.enum(entryTypes),
    targetId: entryFields.id,
    to: sitePath.nullable().describe('Null while the target is not published'),
    createdAt: time,
  }),
);

export const tagListSchema = listOf(z.strictObject({ tag: z.string().min(1), count: z.number().int().min(1) }));

const typeSummary = { name: z.string().min(1), description: z.string().min(1) };

export const typeListSchema = z.strictObject({
  entries: z.array(z.strictObject(typeSummary)),
  sections: z.array(z.strictObject(typeSummary)),
});

export const typeDetailSchema = z.strictObject({
  ...typeSummary,
  fields: z.array(
    z.strictObject({
      name: z.string().min(1),
      required: z.boolean(),
      kind: z.string().min(1),
      hint: z.string().optional(),
    }),
  ),
});

/** What the site's backend can do. */
export const capabilitiesSchema = z.strictObject({
  backend: z.string().min(1),
  drafts: z.boolean(),
  trash: z.boolean(),
  versions: z.boolean(),
  undo: z.boolean(),
  hierarchy: z.boolean(),
  tags: z.boolean(),
  seo: z.boolean(),
  redirects: z.boolean(),
  navigation: z.boolean(),
  settings: z.boolean(),
  assets: z.boolean(),
  scheduling: z.boolean(),
  preconditions: z.boolean(),
});

export const navigationSchema = listOf(navigationItemSchema);
export const navigationChangeSchema = navigationSchema.extend({ change: changeSchema, notes });
export const siteSettingsChangeSchema = z.strictObject({ settings: siteSettingsSchema, change: changeSchema, notes });

export const standingReportSchema = z.strictObject({
  ...standingInstructionsSchema.shape,
  revision: count,
  tokens: count,
  maxTokens: count,
});
export const standingChangeSchema = z.strictObject({
  standingInstructions: standingReportSchema,
  change: changeSchema,
});

const trashed = { id: z.string().min(1), title: z.string(), change: changeSchema.nullable() };
export const trashPageSchema = z.strictObject({
  items: z.array(
    z.discriminatedUnion('type', [
      z.strictObject({ ...trashed, type: z.enum(entryTypes), slug: z.string().min(1) }),
      z.strictObject({ ...trashed, type: z.literal('asset'), thumbnailUrl: z.string().min(1), alt: z.string() }),
    ]),
  ),
  total: count,
  nextCursor: z.string().min(1).nullable(),
});
