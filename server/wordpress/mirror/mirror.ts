import type { Clock } from '#server/core/process';
import { z } from 'zod';
import { codedMessageSchema } from '#server/core/coded-message';
import { uncodedText } from '#server/core/message-data';
import type { ContentLists, ContentTransaction } from '#server/site/embedded/content-store';
import { remoteMenuItemSchema } from '#server/wordpress/client/menus';
import { remoteCommentSchema, type WordPressClient } from '#server/wordpress/client/wordpress-client';
import { entryDocumentSchema, sectionTypes } from '#server/core/site/content';
import { type JsonValue, jsonValueSchema } from '#server/core/json';
import type { RemoteKind } from '#server/core/site/remote-site';
import type { Shape } from '#server/core/shapes';
import { remoteStatuses } from '#server/wordpress/client/remote-entry';
import { remoteSeoSchema } from '#server/wordpress/client/entry-meta';

/** An entry, an asset or a site document of ours. */
interface LocalItem {
  readonly kind: RemoteKind;
  /** Id of the entry or asset, or key of the site document. */
  readonly localId: string;
}

/** Link between a WordPress item and ours, with its state when it was last read from WordPress. */
export interface RemoteLink extends LocalItem {
  readonly remoteId: number;
  readonly known: JsonValue;
  /** Epoch milliseconds. */
  readonly seenAt: number;
}

/** Something in WordPress, with its address. */
export interface RemotePlace {
  readonly remoteId: number;
  /** For a page, the address for visitors; for a picture, that of its file. */
  readonly address: string | null;
}

/** When an item was last seen to change in WordPress. */
export interface RemoteMark {
  readonly localId: string;
  readonly remoteId: number;
  /** Time of the last change that was seen; epoch milliseconds. 0: none yet. */
  readonly modified: number;
  readonly kindSlug: string | null;
}

export interface RemoteAddress extends LocalItem, RemotePlace {
  /** Its WordPress type, if it is neither page nor post. */
  readonly kindSlug?: string | null;
}

export interface AddressReader {
  /** Addresses of all linked items. */
  addresses(): Promise<RemoteAddress[]>;
}

export interface PastReader {
  /** An entry's states before each of our writes to it, the newest first; texts are replaced by their hashes. */
  past(localId: string): Promise<JsonValue[]>;
  /** Texts of these states by their hashes. */
  texts(hashes: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

export interface LinkReader extends AddressReader, PastReader {
  link(localId: string): Promise<RemoteLink | null>;
  linkByRemote(kind: RemoteKind, remoteId: number): Promise<RemoteLink | null>;
  /** The asset whose bytes have this hash. */
  linkByHash(hash: string): Promise<RemoteLink | null>;
  links(kind?: RemoteKind): Promise<RemoteLink[]>;
  /** All items of a kind. */
  marks(kind: RemoteKind): Promise<RemoteMark[]>;
}

/** A transaction of the mirror: links are written together with their items. */
export interface MirrorTransaction extends ContentTransaction, LinkReader {
  /** Inserts the link or replaces what is stored under its local id. */
  saveLink(link: RemoteLink): Promise<void>;
  removeLink(localId: string): Promise<void>;
  /** Adds to the past of an entry. @param texts the texts to which it refers, by their hashes */
  keepPast(localId: string, known: JsonValue, texts: ReadonlyMap<string, string>): Promise<void>;
}

/** Storage of a site's mirror. */
export interface Mirror extends ContentLists, LinkReader {
  /** See ContentStore.write. */
  write<T>(work: (tx: MirrorTransaction) => Promise<T>): Promise<T>;
}

/** A site and its mirror. */
export interface SiteAccess extends Clock {
  readonly mirror: Mirror;
  readonly client: WordPressClient;
  /** Address of the site: `https://example.org`, without a trailing slash. */
  readonly siteUrl: string;
  readonly secrets: Secrets;
}

/** Encrypts passwords of entries in our database. */
export interface Secrets {
  seal(this: void, password: string): string;
  /** Null: it can no longer be read. */
  open(this: void, sealed: string): string | null;
}

const knownSegmentSchema = z.object({
  sectionId: z.string(),
  raw: z.string(),
  type: z.enum(sectionTypes),
  fields: z.record(z.string(), jsonValueSchema),
});

/** Fields of an entry that contain more in WordPress than ours do, or that have other names. */
const remoteFieldsSchema = z.object({
  status: z.enum(remoteStatuses),
  /** Sealed; empty: no password. */
  password: z.string(),
  sticky: z.boolean(),
  /** HTML. */
  title: z.string(),
  /** HTML. */
  excerpt: z.string(),
  /** Epoch milliseconds; for a draft, an estimate. */
  dateGmt: z.number().nullable(),
  tagIds: z.array(z.number()),
  parentRemoteId: z.number().nullable(),
  featuredMedia: z.number().nullable(),
  /** See RemoteEntry. */
  builder: z.string().default(''),
  seo: remoteSeoSchema.nullable().default(null),
  /** Groups with their ids, by taxonomy; absent, like the next field, in records from before these were stored. */
  terms: z.record(z.string(), z.array(z.object({ id: z.number(), name: z.string() }))).optional(),
  custom: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  /** See RemoteEntry; absent in records from before it was stored. */
  language: z.string().nullish(),
});
export type KnownFields = Shape<typeof remoteFieldsSchema>;

const remoteKindSchema = z.object({ slug: z.string(), base: z.string(), name: z.string(), hasEditor: z.boolean() });

/** The state of an entry in WordPress when last seen or written. */
export const knownEntrySchema = z.object({
  /** Epoch milliseconds; 0: it must be read again. */
  modified: z.number(),
  /** Hash of everything that was pulled: an equal hash means no change. Empty: not pulled yet. */
  hash: z.string(),
  status: z.enum(['draft', 'published', 'planned', 'trashed']),
  /** The slug in WordPress; ours may differ. */
  slug: z.string(),
  /** Its address in WordPress. */
  address: z.string(),
  /** See RemoteEntry; absent in records from before it was stored. */
  addressTemplate: z.string().optional(),
  /** Epoch milliseconds, whole seconds, for an entry that is published or scheduled in WordPress. */
  date: z.number().nullable(),
  /** The document in our terms. Its sections are `blocks`. */
  document: entryDocumentSchema.omit({ sections: true }),
  blocks: z.array(knownSegmentSchema),
  /** Absent in records from before these were stored. */
  fields: remoteFieldsSchema.optional(),
  /** Ids of tags that our writes to this entry created. */
  madeTags: z.array(z.number()).optional(),
  /** Ids of terms of other taxonomies that they created. */
  madeTerms: z.record(z.string(), z.array(z.number())).optional(),
  /** Its WordPress kind, if it is neither page nor post. */
  kind: remoteKindSchema.optional(),
  /** Comments that are hidden because the entry is in the trash, in their earlier state. */
  hiddenComments: z.array(remoteCommentSchema).optional(),
});
export type KnownEntry = Shape<typeof knownEntrySchema>;

/** A picture of WordPress's library. */
const knownAssetSchema = z.object({
  modified: z.number(),
  /** Key of its bytes in our storage. */
  hash: z.string(),
  /** Address of its file. */
  address: z.string(),
  alt: z.string(),
});
export type KnownAsset = z.infer<typeof knownAssetSchema>;

/** A sentence of ours with its English text. */
const serverTextSchema = codedMessageSchema.extend({ text: z.string() });
/** Sentence that explains why visitors do not see the menu; null: they see it. */
// Earlier versions stored its English text alone.
const hidden = z
  .union([serverTextSchema, z.string().transform(uncodedText)])
  .nullable()
  .default(null);
/** True if we created it and no other author has changed it: it is removed with its last item. */
const isOurs = z.boolean().default(false);
const knownNavigationSchema = z.union([
  z.object({
    kind: z.literal('classic'),
    items: z.array(remoteMenuItemSchema),
    /** The theme's location for it. */
    location: z.string().nullable(),
    hidden,
    isOurs,
    /**
     * Its states before our writes, the newest first, with our items (JSON) at that time: an undo restores one of them.
     */
    former: z.array(z.object({ items: z.string(), menu: z.array(remoteMenuItemSchema) })),
  }),
  z.object({
    kind: z.literal('blocks').default('blocks'),
    content: z.string(),
    hidden,
    isOurs,
    /** Its contents before our writes, the newest first, with their items (JSON). */
    former: z.array(z.object({ items: z.string(), content: z.string() })).default([]),
  }),
]);
export type KnownNavigation = Shape<typeof knownNavigationSchema>;

const knownSettingsSchema = z.object({
  title: z.string(),
  description: z.string(),
  /** The page at the root; 0: the root shows the newest posts. */
  frontPage: z.number(),
  /** Language tag; absent: not known. */
  language: z.string().optional(),
  /** Our id of the page that was at the root until it was trashed. */
  lostFrontPage: z.string().optional(),
});
export type KnownSettings = z.infer<typeof knownSettingsSchema>;

/** Reads the stored state of a link; null if its format is older, in which case it is read from WordPress again. */
function reader<T>(schema: z.ZodType<T>): (link: { readonly known: JsonValue } | null) => T | null {
  return (link) => (link === null ? null : (schema.safeParse(link.known).data ?? null));
}

export const knownEntryOf = reader(knownEntrySchema);
export const knownAssetOf = reader(knownAssetSchema);
export const knownNavigationOf = reader(knownNavigationSchema);
export const knownSettingsOf = reader(knownSettingsSchema);

const typedSchema = z.object({ kind: z.object({ slug: z.string() }) });

/** WordPress type of a linked entry: `page`, `acme_project`. */
export function remoteTypeOf({ kind, known }: RemoteLink): string {
  return typedSchema.safeParse(known).data?.kind.slug ?? kind;
}
