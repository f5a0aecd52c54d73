import { z } from 'zod';
import { type JsonValue, jsonValueSchema } from '#server/core/json';
import { sectionFieldSchemas } from '#server/core/section-fields';

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
export type Section = z.infer<typeof sectionSchema>;

/** What search engines and link previews are told, where it differs from the entry's own title, excerpt and image. */
export const seoSchema = z.object({
  title: z.string().optional(),
  description: z.string().optional(),
  /** URL of the picture of link previews. */
  image: z.string().optional(),
  /** Search engines are asked to leave the entry out. */
  noIndex: z.boolean().optional(),
});
export type Seo = z.infer<typeof seoSchema>;

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
  sections: z.array(sectionSchema),
});
export type EntryDocument = z.infer<typeof entryDocumentSchema>;

/** `changed`: published, and the draft differs from what is published. */
export type EntryStatus = 'draft' | 'published' | 'changed';

/** The site kept in our own database. */
export const EMBEDDED_SITE = 'embedded';

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
  /** When `planned` is published by itself; null: nobody has asked for that. */
  readonly publishAt: number | null;
  /** The draft as it was when its publication was planned: later changes are not part of the plan. Null: no plan. */
  readonly planned: EntryDocument | null;
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

/** What of a document, beside its sections, may be left out. */
export const optionalDocumentFields = ['excerpt', 'author', 'tags', 'image', 'parent', 'seo'] as const;
/** What a document consists of beside its sections. */
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
export type PatchOp = z.infer<typeof patchOpSchema>;

/**
 * `import`: an import of files; `schedule`: a publication that somebody set a time for; `external`: whoever works on
 * the site past us, in its own CMS.
 */
export const changeActors = ['assistant', 'user', 'api', 'seed', 'import', 'schedule', 'external'] as const;
export type ChangeActor = (typeof changeActors)[number];

/** Who changed something, and in answer to what. All of it is stored with the change. */
export interface ChangeOrigin {
  readonly actor: ChangeActor;
  /** Who made it, or whose assistant or program did; absent in what is from before there were accounts. */
  readonly userId?: string | undefined;
  /** As they are called now; of a stored change, where there are accounts. Nobody writes it. */
  readonly userName?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly turnId?: string | undefined;
  readonly toolCallId?: string | undefined;
  /** The tool-call part that the user approved, where the call had to ask. */
  readonly approvalId?: string | undefined;
}

/**
 * `delete` puts into the trash, `restore` takes out of it; `discard` makes the draft what is published again; `schedule`
 * sets, or takes away, the time of publication.
 */
export const changeActions = [
  'create',
  'update',
  'publish',
  'unpublish',
  'discard',
  'schedule',
  'delete',
  'restore',
  'undo',
] as const;
export type ChangeAction = (typeof changeActions)[number];

/** Documents of the site that there is one of each. */
export const siteDocumentKeys = ['navigation', 'settings', 'standing-instructions'] as const;
export type SiteDocumentKey = (typeof siteDocumentKeys)[number];

export const changeTargets = [...entryTypes, 'asset', ...siteDocumentKeys] as const;
export type ChangeTarget = (typeof changeTargets)[number];

/**
 * One write, as the journal keeps it (a row of `revisions`). `before` and `after` are the target's full stored
 * state, so that any revision can be shown or restored; `operations` says what was done in between.
 */
export interface ChangeSet {
  readonly id: string;
  readonly targetType: ChangeTarget;
  /** Id of the entry or asset, or the key of the site document. */
  readonly targetId: string;
  readonly slug: string | null;
  readonly title: string;
  /** The target's revision after this change; its base is the one before. */
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

/**
 * What names one thing of a site for good. `createdAt` tells it from a later thing that was given the same id, which
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

/** A state of an entry that can be shown and brought back. */
export interface Version {
  /** Of ours, from 1. Negative: the CMS's own, by its number there. */
  readonly revision: number;
  readonly action: ChangeAction;
  readonly summary: string;
  readonly actor: ChangeActor;
  /** See ChangeOrigin. */
  readonly userName?: string | undefined;
  readonly createdAt: number;
  /** The title it had. */
  readonly title: string;
  /** Visitors saw (or see) this state. */
  readonly isPublished: boolean;
}

/** A picture of the media library. Its bytes are served at `url`; replacing them keeps the id and the address. */
export interface Asset {
  /** `ast_...` */
  readonly id: string;
  /** A path of this site: `/media/<id>/<words>.<ending>`, which stays good when the filename changes. */
  readonly url: string;
  /** A small picture of it; of one in the trash, for the owner alone. */
  readonly thumbnailUrl: string;
  /** Stands for its bytes: other bytes, another version. */
  readonly version: string;
  readonly filename: string;
  /** By content, not by what its sender said. */
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** What it shows, for those who cannot see it; empty: nobody has said so yet. */
  readonly alt: string;
  readonly tags: readonly string[];
  /** Counts its writes, from 1. */
  readonly revision: number;
  readonly deletedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Something that names something else: a link to a page, a picture used in a section, a child of a page. */
export interface Reference {
  readonly kind: 'link' | 'image' | 'child' | 'navigation' | 'home';
  /** What holds it: an entry (with the section, if it is in one), the navigation or the settings. */
  readonly from: {
    readonly type: EntryType | 'navigation' | 'settings';
    readonly id: string;
    readonly title: string;
    readonly sectionId?: string | undefined;
  };
  /** The address or label as it is written there. */
  readonly text: string;
  /** Also in what visitors see, not only in the draft. */
  readonly isPublished: boolean;
  /** In what is published by itself at a time to come. */
  readonly isPlanned?: true | undefined;
}

/** One field that a change altered, as people read it. */
export interface FieldChange {
  /** `title`, `seo.description`, `faq section › items`, `navigation`, ... */
  readonly field: string;
  readonly sectionId?: string | undefined;
  readonly kind: 'added' | 'removed' | 'changed' | 'moved';
  /** Null where there was or is nothing; long texts are whole. */
  readonly before: JsonValue;
  readonly after: JsonValue;
}

/** Why a change cannot be taken back: what came after it would be lost. */
export interface Conflict {
  /** The change that stands in spite of the undo. */
  readonly change: ChangeSet;
  /** Later changes that it would take along; none where the reason is another one. */
  readonly blockedBy: readonly ChangeSet[];
  /** A plain sentence. */
  readonly message: string;
}

/** What an undo did: all or, where that was asked for, what could be. */
export interface UndoOutcome {
  /** The changes that did it, in their order. */
  readonly undone: readonly ChangeSet[];
  readonly conflicts: readonly Conflict[];
}

/** Something that is wrong, or should be looked at, in content that was not written yet. */
export interface ValidationIssue {
  /** `title`, `sections[2].fields.heading`, ... */
  readonly path: string;
  readonly message: string;
  /** `error`: it would be refused. */
  readonly severity: 'error' | 'warning';
}

/** An address that was, and the entry that is now elsewhere. */
export interface Redirect {
  /** A path of the site, as `/old-name`. */
  readonly from: string;
  readonly targetType: EntryType;
  readonly targetId: string;
  /** Where it leads now; null while the target is not published. */
  readonly to: string | null;
  readonly createdAt: number;
}

/** What the assistant keeps to on this site, in every conversation. */
export const standingInstructionsSchema = z.object({
  /** Who is speaking, and how: plain sentences. */
  voice: z.string(),
  /** Words as they are written here. */
  glossary: z.array(z.object({ term: z.string(), meaning: z.string() })),
  /** "Never ...", "Always ...": one sentence each. */
  rules: z.array(z.string()),
});
export type StandingInstructions = z.infer<typeof standingInstructionsSchema>;

/** The standing instructions, and what they cost. */
export interface StandingReport extends StandingInstructions {
  /** How often they were written; 0 where they never were. */
  readonly revision: number;
  /** Of every request. */
  readonly tokens: number;
  readonly maxTokens: number;
}
