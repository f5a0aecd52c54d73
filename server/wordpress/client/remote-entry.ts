import {
  customFromMeta,
  type CustomFields,
  type MetaChanges,
  type RemoteSeo,
  seoFromMeta,
} from '#server/wordpress/client/entry-meta';
import { z } from 'zod';
import { percentDecoded } from '#server/core/addresses';
import type { EntryType } from '#server/core/site/content';
import { htmlFromText, textFromHtml } from '#server/markup/html-text';
import type { SiteKind } from '#server/wordpress/client/site-kinds';
import { builderOf } from '#server/wordpress/client/page-builders';

/** WordPress's statuses of entries that are mirrored. */
export const remoteStatuses = ['draft', 'publish', 'future', 'trash', 'private', 'pending'] as const;
export type RemoteStatus = (typeof remoteStatuses)[number];

/** Names of an entry's groups with their ids, by taxonomy. */
export type RemoteTerms = Readonly<Record<string, readonly { readonly id: number; readonly name: string }[]>>;

/** A page or a post of WordPress, in our terms. Other WordPress types are posts here. */
export interface RemoteEntry {
  readonly remoteId: number;
  readonly type: EntryType;
  /** Null: it is a page or a post. */
  readonly kind: SiteKind | null;
  /** A status added by a plugin counts as `draft`: visitors do not see the entry. */
  readonly status: RemoteStatus;
  /** Visitors need it to read the entry; empty: none. */
  readonly password: string;
  /** Posts only: listed before the others. */
  readonly isSticky: boolean;
  /** Plain text. May be empty. */
  readonly title: string;
  /** HTML. */
  readonly titleRaw: string;
  /** Decoded, without the suffix for trashed entries. Empty: a draft without a slug so far; see `suggestedSlug`. */
  readonly slug: string;
  /** The slug that publishing would generate for an empty one; may be empty too. */
  readonly suggestedSlug: string;
  /** Page builder, or plugin form, with which it was created: such an entry is not changed over REST. Empty: none. */
  readonly builder: string;
  /** Stored block markup. */
  readonly contentRaw: string;
  /** Plain text; empty: none. */
  readonly excerpt: string;
  /** HTML. */
  readonly excerptRaw: string;
  /** Null: no parent. Pages only. */
  readonly parentRemoteId: number | null;
  /** Null: the site does not show the texts for search engines. */
  readonly seo: RemoteSeo | null;
  /** Id of the picture; null: none. */
  readonly featuredMedia: number | null;
  /** Names, plain text, in WordPress's order. Posts only. */
  readonly tags: readonly string[];
  readonly tagIds: readonly number[];
  /** Its groups other than tags; a taxonomy without groups is omitted. */
  readonly terms: RemoteTerms;
  readonly custom: CustomFields;
  readonly authorId: number | null;
  /** Epoch milliseconds, whole seconds: when it was or will be published; for a draft, an estimate. Null: unknown. */
  readonly dateGmt: number | null;
  /** Epoch milliseconds, whole seconds: it cannot distinguish two writes within a second. */
  readonly modifiedGmt: number;
  /** Address for visitors; if they do not see the entry, one with the id. */
  readonly link: string;
  /** Its address with `%postname%` or `%pagename%` in place of the slug; empty: WordPress does not say. */
  readonly addressTemplate: string;
  /** Polylang's code for its language (`de`); null: the site does not show any. */
  readonly language: string | null;
}

/** Writable fields of an entry; an omitted field does not change. */
export interface RemoteEntryFields extends MetaChanges {
  readonly status?: Exclude<RemoteStatus, 'trash'> | undefined;
  readonly password?: string | undefined;
  readonly isSticky?: boolean | undefined;
  /** Plain text. */
  readonly title?: string | undefined;
  /** The title as HTML; then omit `title`. */
  readonly titleRaw?: string | undefined;
  readonly slug?: string | undefined;
  readonly contentRaw?: string | undefined;
  /** Plain text. */
  readonly excerpt?: string | undefined;
  /** The excerpt as HTML; then omit `excerpt`. */
  readonly excerptRaw?: string | undefined;
  readonly parentRemoteId?: number | null | undefined;
  readonly featuredMedia?: number | null | undefined;
  /** Names; missing tags are created. */
  readonly tags?: readonly string[] | undefined;
  /** The tags by their ids; then omit `tags`. */
  readonly tagIds?: readonly number[] | undefined;
  /** Ids by taxonomy; an omitted taxonomy does not change. */
  readonly termIds?: Readonly<Record<string, readonly number[]>> | undefined;
  /** Epoch milliseconds. Null: now, for a draft or for the next publication. */
  readonly dateGmt?: number | null | undefined;
  /** Polylang's code. A new entry without one gets that of its parent, or the site's default. */
  readonly language?: string | undefined;
}

const rawText = z.object({ raw: z.string().default('') });
/** An id, or 0 for none. */
const maybeId = z.number().int().nonnegative().default(0);

/** Response of /wp/v2/pages and /wp/v2/posts with `context=edit`; plugins omit fields and add others. */
export const entryAnswerSchema = z.looseObject({
  id: z.number().int().positive(),
  type: z.string(),
  status: z.string(),
  password: z.string().default(''),
  sticky: z.boolean().default(false),
  slug: z.string().default(''),
  generated_slug: z.string().default(''),
  title: rawText.optional(),
  content: rawText.optional(),
  excerpt: rawText.optional(),
  parent: maybeId,
  featured_media: maybeId,
  tags: z.array(z.number()).default([]),
  author: maybeId,
  date_gmt: z.string().nullish(),
  modified_gmt: z.string().nullish(),
  link: z.string().default(''),
  permalink_template: z.string().default(''),
  // Field of Polylang Pro, and of our companion plugin where there is only Polylang.
  lang: z.string().nullish().catch(null),
  // PHP writes an empty list if there are no fields.
  meta: z.record(z.string(), z.unknown()).catch({}),
});
export type EntryAnswer = z.infer<typeof entryAnswerSchema>;

interface AnswerSurroundings extends Partial<Pick<RemoteEntry, 'terms' | 'kind'>> {
  /** Its rendered content, if that shows its page builder. */
  readonly rendered?: string | undefined;
}

/** Replaces a page builder's name if the content of an entry is in fields of its plugin. */
const PLUGIN_FORM = 'a form of its plugin';

/** @param tagNames names of all tags in the response, by id */
export function entryFromAnswer(
  answer: EntryAnswer,
  tagNames: ReadonlyMap<number, string>,
  { rendered, terms = {}, kind = null }: AnswerSurroundings = {},
): RemoteEntry {
  const { id, type, status, slug, parent, featured_media: media, author } = answer;
  const modified = timeFromGmt(answer.modified_gmt);
  return {
    remoteId: id,
    type: type === 'page' ? 'page' : 'post',
    kind,
    status: statusFromRemote(status),
    password: answer.password,
    isSticky: answer.sticky,
    title: textFromHtml(answer.title?.raw ?? ''),
    titleRaw: answer.title?.raw ?? '',
    slug: slugFromRemote(slug),
    suggestedSlug: slugFromRemote(answer.generated_slug),
    builder: kind?.hasEditor === false ? PLUGIN_FORM : builderOf(answer.content?.raw ?? '', rendered),
    contentRaw: answer.content?.raw ?? '',
    excerpt: textFromHtml(answer.excerpt?.raw ?? ''),
    excerptRaw: answer.excerpt?.raw ?? '',
    parentRemoteId: parent === 0 ? null : parent,
    featuredMedia: media === 0 ? null : media,
    seo: seoFromMeta(answer.meta),
    tags: answer.tags.flatMap((tag) => tagNames.get(tag) ?? []),
    tagIds: answer.tags,
    terms,
    custom: customFromMeta(answer.meta),
    authorId: author === 0 ? null : author,
    dateGmt: timeFromGmt(answer.date_gmt),
    modifiedGmt: modified ?? 0,
    link: answer.link,
    addressTemplate: answer.permalink_template,
    language: answer.lang || null,
  };
}

/** An entry with a status added by a plugin is, as far as we know, not visible to anyone. */
export function statusFromRemote(status: string): RemoteStatus {
  return remoteStatuses.find((known) => known === status) ?? 'draft';
}

/** Body of a write without groups and meta, for which the site must look up ids and names. */
export function bodyFromFields(
  fields: RemoteEntryFields,
): Record<string, string | number | boolean | null | readonly number[]> {
  const { status, password, isSticky, slug, contentRaw, parentRemoteId, featuredMedia, tagIds, dateGmt } = fields;
  const { titleRaw = fields.title === undefined ? undefined : htmlFromText(fields.title) } = fields;
  const { excerptRaw = fields.excerpt === undefined ? undefined : htmlFromText(fields.excerpt) } = fields;
  return {
    ...(status !== undefined && { status }),
    ...(password !== undefined && { password }),
    ...(isSticky !== undefined && { sticky: isSticky }),
    ...(titleRaw !== undefined && { title: titleRaw }),
    ...(slug !== undefined && { slug }),
    ...(contentRaw !== undefined && { content: contentRaw }),
    ...(excerptRaw !== undefined && { excerpt: excerptRaw }),
    ...(tagIds !== undefined && { tags: tagIds }),
    ...(parentRemoteId !== undefined && { parent: parentRemoteId ?? 0 }),
    ...(featuredMedia !== undefined && { featured_media: featuredMedia ?? 0 }),
    ...(dateGmt !== undefined && { date_gmt: dateGmt === null ? null : gmtFromTime(dateGmt) }),
  };
}

/**
 * WordPress stores a slug percent-encoded, and adds a suffix while the entry is in the trash, so that the slug becomes
 * free.
 */
function slugFromRemote(slug: string): string {
  return percentDecoded(slug).replace(/__trashed(?:-\d+)?$/, '');
}

/** Epoch milliseconds of `2026-11-22T14:39:34`, which WordPress gives in UTC. Null: no time, or zeros. */
export function timeFromGmt(gmt: string | null | undefined): number | null {
  if (gmt === null || gmt === undefined || gmt.startsWith('0000')) return null;
  const time = Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(gmt) ? gmt : `${gmt}Z`);
  return Number.isNaN(time) ? null : time;
}

/** `2026-11-22T14:39:34` */
export function gmtFromTime(time: number): string {
  return new Date(time).toISOString().slice(0, 19);
}
