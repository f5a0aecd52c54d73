import { z } from 'zod';
import type { ContentStore, ContentTransaction } from '#server/content/embedded/content-store';
import { remoteMenuItemSchema } from '#server/wordpress/client/menus';
import { remoteCommentSchema, type WordPressClient } from '#server/wordpress/client/wordpress-client';
import { entryDocumentSchema, sectionTypes } from '#server/core/content';
import { type JsonValue, jsonValueSchema } from '#server/core/json';
import type { RemoteKind } from '#server/core/remote-site';
import type { Shape } from '#server/core/shapes';
import { remoteStatuses } from '#server/wordpress/client/remote-entry';
import { remoteSeoSchema } from '#server/wordpress/client/entry-meta';

/** Link between a thing of WordPress and ours, with its state when it was last read there. */
export interface RemoteLink {
  readonly kind: RemoteKind;
  /** Id of the entry or asset, or key of the site document. */
  readonly localId: string;
  readonly remoteId: number;
  readonly known: JsonValue;
  /** Epoch milliseconds. */
  readonly seenAt: number;
}

export interface RemoteAddress extends Pick<RemoteLink, 'kind' | 'localId' | 'remoteId'> {
  /** For a page, the address for visitors; for a picture, that of its bytes. */
  readonly address: string | null;
  /** Its type there, where it is neither page nor post. */
  readonly kindSlug?: string | null;
}

export interface LinkReader {
  link(localId: string): Promise<RemoteLink | null>;
  linkByRemote(kind: RemoteKind, remoteId: number): Promise<RemoteLink | null>;
  /** The asset whose bytes go by this name. */
  linkByHash(hash: string): Promise<RemoteLink | null>;
  links(kind?: RemoteKind): Promise<RemoteLink[]>;
  /** Addresses of everything that is linked. */
  addresses(): Promise<RemoteAddress[]>;
  /** An entry's states before each of our writes to it, the newest first; texts are named by their hashes. */
  past(localId: string): Promise<JsonValue[]>;
  /** Texts of the past by their hashes. */
  texts(hashes: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Everything of a kind, with the time (epoch milliseconds) of the change that was seen last; 0: none yet. */
  marks(kind: RemoteKind): Promise<{ localId: string; remoteId: number; modified: number; kindSlug: string | null }[]>;
}

/** A transaction of the mirror: links are written together with what they link. */
export interface MirrorTransaction extends ContentTransaction, LinkReader {
  /** Inserts the link or replaces what is stored under its local id. */
  saveLink(link: RemoteLink): Promise<void>;
  removeLink(localId: string): Promise<void>;
  /** Adds to the past of an entry. @param texts those that it names, by their hashes */
  keepPast(localId: string, known: JsonValue, texts: ReadonlyMap<string, string>): Promise<void>;
}

/** Storage of a site's mirror. */
export interface Mirror extends Omit<ContentStore, 'write'>, LinkReader {
  /** See ContentStore.write. */
  write<T>(work: (tx: MirrorTransaction) => Promise<T>): Promise<T>;
}

/** A site and its mirror. */
export interface SiteAccess {
  readonly mirror: Mirror;
  readonly client: WordPressClient;
  /** Address of the site: `https://example.org`, without a slash at the end. */
  readonly siteUrl: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly secrets: Secrets;
}

/** Keeps passwords of entries unreadable in our database. */
export interface Secrets {
  seal(this: void, password: string): string;
  /** Null: it cannot be read any more. */
  open(this: void, sealed: string): string | null;
}

const knownSegmentSchema = z.object({
  sectionId: z.string(),
  raw: z.string(),
  type: z.enum(sectionTypes),
  fields: z.record(z.string(), jsonValueSchema),
});

/** Fields of an entry that say more in WordPress than ours do, or are called otherwise. */
const remoteFieldsSchema = z.object({
  status: z.enum(remoteStatuses),
  /** Sealed; empty: there is none. */
  password: z.string(),
  sticky: z.boolean(),
  /** HTML. */
  title: z.string(),
  /** HTML. */
  excerpt: z.string(),
  /** Epoch milliseconds; of a draft, a guess. */
  dateGmt: z.number().nullable(),
  tagIds: z.array(z.number()),
  parentRemoteId: z.number().nullable(),
  featuredMedia: z.number().nullable(),
  /** See RemoteEntry. */
  builder: z.string().default(''),
  seo: remoteSeoSchema.nullable().default(null),
  /** Groups with their ids, by taxonomy; absent in what was seen before they were kept, as the next. */
  terms: z.record(z.string(), z.array(z.object({ id: z.number(), name: z.string() }))).optional(),
  custom: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});
export type KnownFields = Shape<typeof remoteFieldsSchema>;

const remoteKindSchema = z.object({ slug: z.string(), base: z.string(), name: z.string(), hasEditor: z.boolean() });

/** Entry as it was in WordPress when last seen or written. */
export const knownEntrySchema = z.object({
  /** Epoch milliseconds; 0: it must be looked at again. */
  modified: z.number(),
  /** Hash of everything that was pulled: an equal one means no change. Empty: not pulled yet. */
  hash: z.string(),
  status: z.enum(['draft', 'published', 'planned', 'trashed']),
  /** The slug in WordPress; ours can be another one. */
  slug: z.string(),
  /** Its address there. */
  address: z.string(),
  /** Epoch milliseconds, whole seconds, of what is published or planned there. */
  date: z.number().nullable(),
  /** The document in our terms. Its sections are `blocks`. */
  document: entryDocumentSchema.omit({ sections: true }),
  blocks: z.array(knownSegmentSchema),
  /** Absent in what was seen before they were kept. */
  fields: remoteFieldsSchema.optional(),
  /** Ids of tags that our writes to this entry made. */
  madeTags: z.array(z.number()).optional(),
  /** Ids of terms of other taxonomies that they made. */
  madeTerms: z.record(z.string(), z.array(z.number())).optional(),
  /** Its kind there, where it is neither page nor post. */
  kind: remoteKindSchema.optional(),
  /** Comments that the trash hides, as they were before. */
  hiddenComments: z.array(remoteCommentSchema).optional(),
});
export type KnownEntry = Shape<typeof knownEntrySchema>;

/** A picture of WordPress's library. */
const knownAssetSchema = z.object({
  modified: z.number(),
  /** Key of its bytes in our storage. */
  hash: z.string(),
  /** Address of its bytes. */
  address: z.string(),
  alt: z.string(),
});
export type KnownAsset = z.infer<typeof knownAssetSchema>;

/** Sentence that says why visitors do not see the menu; null: they do. */
const hidden = z.string().nullable().default(null);
/** We made it, and nobody else has changed it: it goes with its last item. */
const isOurs = z.boolean().default(false);
const knownNavigationSchema = z.union([
  z.object({
    kind: z.literal('classic'),
    items: z.array(remoteMenuItemSchema),
    /** The theme's place for it. */
    location: z.string().nullable(),
    hidden,
    isOurs,
    /** Its states before our writes, the newest first, with the items (JSON) that we had: an undo brings one back. */
    former: z.array(z.object({ items: z.string(), menu: z.array(remoteMenuItemSchema) })),
  }),
  z.object({
    kind: z.literal('blocks').default('blocks'),
    content: z.string(),
    hidden,
    isOurs,
    /** Contents that it had before our writes, the newest first, with the items (JSON) that they were. */
    former: z.array(z.object({ items: z.string(), content: z.string() })).default([]),
  }),
]);
export type KnownNavigation = Shape<typeof knownNavigationSchema>;

const knownSettingsSchema = z.object({
  title: z.string(),
  description: z.string(),
  /** The page at the root; 0: the newest posts are there. */
  frontPage: z.number(),
  /** Id here of the page that was at the root until it went into the trash. */
  lostFrontPage: z.string().optional(),
});
export type KnownSettings = z.infer<typeof knownSettingsSchema>;

/** Reads what a link knows; null where it is of an older shape: it is looked at again then. */
function reader<T>(schema: z.ZodType<T>): (link: { readonly known: JsonValue } | null) => T | null {
  return (link) => (link === null ? null : (schema.safeParse(link.known).data ?? null));
}

export const knownEntryOf = reader(knownEntrySchema);
export const knownAssetOf = reader(knownAssetSchema);
export const knownNavigationOf = reader(knownNavigationSchema);
export const knownSettingsOf = reader(knownSettingsSchema);

const typedSchema = z.object({ kind: z.object({ slug: z.string() }) });

/** Type of a linked entry as WordPress calls it: `page`, `acme_project`. */
export function remoteTypeOf({ kind, known }: Pick<RemoteLink, 'kind' | 'known'>): string {
  return typedSchema.safeParse(known).data?.kind.slug ?? kind;
}
