import { z } from 'zod';
import { jsonValueSchema } from '#server/core/json';

export const entryTypes = ['page', 'post'] as const;
export type EntryType = (typeof entryTypes)[number];

export const sectionTypes = [
  'hero',
  'text',
  'image',
  'gallery',
  'features',
  'quote',
  'faq',
  'call-to-action',
  'form',
  'posts-list',
] as const;
export type SectionType = (typeof sectionTypes)[number];

/** A block of a page or post. `fields` depends on the type: see server/content/section-types. */
export const sectionSchema = z.object({
  id: z.string(),
  type: z.enum(sectionTypes),
  fields: z.record(z.string(), jsonValueSchema),
});
export type Section = z.infer<typeof sectionSchema>;

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
  sections: z.array(sectionSchema),
});
export type EntryDocument = z.infer<typeof entryDocumentSchema>;

/** `changed`: published, and the draft differs from what is published. */
export type EntryStatus = 'draft' | 'published' | 'changed';

/** A page or a post. */
export interface Entry {
  readonly id: string;
  readonly type: EntryType;
  /** Counts every write to this entry, from 1. */
  readonly revision: number;
  readonly status: EntryStatus;
  readonly draft: EntryDocument;
  readonly published: EntryDocument | null;
  readonly publishedAt: number | null;
  /** When it was deleted; a deleted entry is hidden everywhere but can be restored. */
  readonly deletedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

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
    children: z.array(navigationItemSchema).max(20).optional(),
  }),
);

export const siteSettingsSchema = z.object({
  siteName: z.string().min(1).max(120),
  tagline: z.string().max(300),
  /** Slug of the page served at the root of the site. */
  homeSlug: z.string().min(1).max(120),
  contactEmail: z.string().max(200),
  footerText: z.string().max(500),
  /** `#rrggbb`. */
  accentColor: z.string().regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour like #1a2b3c'),
});
export type SiteSettings = z.infer<typeof siteSettingsSchema>;

/** One step of a change to an entry, on keyed sections; never a whole array. */
export const patchOpSchema = z.discriminatedUnion('op', [
  z.object({
    op: z.literal('set'),
    field: z.enum(['title', 'slug', 'excerpt', 'author', 'tags', 'image']),
    value: jsonValueSchema,
  }),
  z.object({ op: z.literal('unset'), field: z.enum(['excerpt', 'author', 'tags', 'image']) }),
  /** `index` counts from 0; beyond the end, or left out, means last. */
  z.object({ op: z.literal('insert-section'), section: sectionSchema, index: z.number().int().min(0).optional() }),
  /** Sets the given fields of a section (null removes one), leaves its others. */
  z.object({ op: z.literal('set-section'), sectionId: z.string(), fields: z.record(z.string(), jsonValueSchema) }),
  z.object({ op: z.literal('move-section'), sectionId: z.string(), index: z.number().int().min(0) }),
  z.object({ op: z.literal('remove-section'), sectionId: z.string() }),
]);
export type PatchOp = z.infer<typeof patchOpSchema>;

/** Who changed something, and in answer to what. All of it is stored with the change. */
export interface ChangeOrigin {
  readonly actor: 'assistant' | 'user' | 'api' | 'seed';
  readonly sessionId?: string | undefined;
  readonly turnId?: string | undefined;
  readonly toolCallId?: string | undefined;
}

export const changeActions = ['create', 'update', 'publish', 'unpublish', 'delete', 'undo'] as const;
export type ChangeAction = (typeof changeActions)[number];

export type ChangeTarget = EntryType | 'navigation' | 'settings';

/**
 * One write, as the journal keeps it (a row of `revisions`). `before` and `after` are the target's full stored
 * state, so that any revision can be shown or restored; `operations` says what was done in between.
 */
export interface ChangeSet {
  readonly id: string;
  readonly targetType: ChangeTarget;
  /** Entry id, or `navigation` / `settings`. */
  readonly targetId: string;
  readonly slug: string | null;
  readonly title: string;
  /** The target's revision after this change. */
  readonly revision: number;
  readonly action: ChangeAction;
  readonly operations: readonly PatchOp[];
  readonly inverse: readonly PatchOp[];
  /** A short plain sentence: `Added a faq section to "Pricing"`. */
  readonly summary: string;
  readonly origin: ChangeOrigin;
  /** The change that undid this one; null while it stands. */
  readonly undoneBy: string | null;
  readonly createdAt: number;
}
