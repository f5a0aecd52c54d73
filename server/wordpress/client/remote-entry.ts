import {
  customFromMeta,
  type CustomFields,
  type MetaChanges,
  type RemoteSeo,
  seoFromMeta,
} from '#server/wordpress/client/entry-meta';
import { z } from 'zod';
import { percentDecoded } from '#server/core/addresses';
import type { EntryType } from '#server/core/content';
import { htmlFromText, textFromHtml } from '#server/markup/html-text';
import type { SiteKind } from '#server/wordpress/client/site-kinds';
import { builderOf } from '#server/wordpress/client/page-builders';

export const remoteStatuses = ['draft', 'publish', 'future', 'trash', 'private', 'pending'] as const;
export type RemoteStatus = (typeof remoteStatuses)[number];

/** Names of an entry's groups with their ids, by taxonomy. */
export type RemoteTerms = Readonly<Record<string, readonly { readonly id: number; readonly name: string }[]>>;

/** A page or a post as WordPress has it, in our words. What is of another kind there is a post here. */
export interface RemoteEntry {
  readonly remoteId: number;
  readonly type: EntryType;
  /** Null: it is a page or a post. */
  readonly kind: SiteKind | null;
  /** A status that a plugin has added counts as `draft`: visitors do not see it. */
  readonly status: RemoteStatus;
  /** Visitors need it to read the entry; empty: none. */
  readonly password: string;
  /** Posts only: it stays in front of the others. */
  readonly isSticky: boolean;
  /** Plain text. May be empty. */
  readonly title: string;
  /** HTML. */
  readonly titleRaw: string;
  /** Decoded, without what the trash adds. Empty: a draft that never was given one; see `suggestedSlug`. */
  readonly slug: string;
  /** The slug that publishing would make of an empty one; may be empty too. */
  readonly suggestedSlug: string;
  /** Page builder, or form of a plugin, that it is made with: it is not changed over REST. Empty: none. */
  readonly builder: string;
  /** Block markup as it is stored. */
  readonly contentRaw: string;
  /** Plain text; empty: none. */
  readonly excerpt: string;
  /** HTML. */
  readonly excerptRaw: string;
  /** Null: below none. Pages only. */
  readonly parentRemoteId: number | null;
  /** Null: the site does not show what search engines are told. */
  readonly seo: RemoteSeo | null;
  /** Id of the picture; null: none. */
  readonly featuredMedia: number | null;
  /** Names, plain text, in WordPress's order. Posts only. */
  readonly tags: readonly string[];
  readonly tagIds: readonly number[];
  /** Its groups beside tags; a taxonomy without one is left out. */
  readonly terms: RemoteTerms;
  readonly custom: CustomFields;
  readonly authorId: number | null;
  /** Epoch milliseconds, whole seconds: when it was or will be published; of a draft, a guess. Null: not known. */
  readonly dateGmt: number | null;
  /** Epoch milliseconds, whole seconds: two writes within a second cannot be told apart by it. */
  readonly modifiedGmt: number;
  /** Address for visitors; of what they do not see, one with the id. */
  readonly link: string;
}

/** Writable fields of an entry; a field that is left out stays as it is. */
export interface RemoteEntryFields extends MetaChanges {
  readonly status?: Exclude<RemoteStatus, 'trash'> | undefined;
  readonly password?: string | undefined;
  readonly isSticky?: boolean | undefined;
  /** Plain text. */
  readonly title?: string | undefined;
  /** The title as HTML; then without `title`. */
  readonly titleRaw?: string | undefined;
  readonly slug?: string | undefined;
  readonly contentRaw?: string | undefined;
  /** Plain text. */
  readonly excerpt?: string | undefined;
  /** The excerpt as HTML; then without `excerpt`. */
  readonly excerptRaw?: string | undefined;
  readonly parentRemoteId?: number | null | undefined;
  readonly featuredMedia?: number | null | undefined;
  /** Names; those that there are not yet are made. */
  readonly tags?: readonly string[] | undefined;
  /** The tags by their ids; then without `tags`. */
  readonly tagIds?: readonly number[] | undefined;
  /** Ids by taxonomy; one that is left out stays as it is. */
  readonly termIds?: Readonly<Record<string, readonly number[]>> | undefined;
  /** Epoch milliseconds. Null: now, for a draft or what is published next. */
  readonly dateGmt?: number | null | undefined;
}

const rawText = z.object({ raw: z.string().default('') });
/** An id where 0 is none. */
const maybeId = z.number().int().nonnegative().default(0);

/** Answer of /wp/v2/pages and /wp/v2/posts with `context=edit`; plugins leave fields out and add others. */
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
  // PHP writes a list where there is none.
  meta: z.record(z.string(), z.unknown()).catch({}),
});
export type EntryAnswer = z.infer<typeof entryAnswerSchema>;

interface AnswerSurroundings extends Partial<Pick<RemoteEntry, 'terms' | 'kind'>> {
  /** Its content as visitors see it, where that tells what it is made with. */
  readonly rendered?: string | undefined;
}

/** In place of a page builder's name, where what an entry says is in fields of its plugin. */
const PLUGIN_FORM = 'a form of its plugin';

/**
 * @param tagNames names of all tags of the answer, by id
 */
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
  };
}

/** A status that a plugin has added shows an entry to nobody that we know of. */
export function statusFromRemote(status: string): RemoteStatus {
  return remoteStatuses.find((known) => known === status) ?? 'draft';
}

/** Body of a write, but for groups and meta: the site is asked for their ids and names. */
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

/** WordPress stores a slug percent-encoded, and adds to it what frees it while the entry is in the trash. */
function slugFromRemote(slug: string): string {
  return percentDecoded(slug).replace(/__trashed(?:-\d+)?$/, '');
}

/** Epoch milliseconds of `2026-11-22T14:39:34`, which WordPress means in UTC. Null: no time, or zeros. */
export function timeFromGmt(gmt: string | null | undefined): number | null {
  if (gmt === null || gmt === undefined || gmt.startsWith('0000')) return null;
  const time = Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(gmt) ? gmt : `${gmt}Z`);
  return Number.isNaN(time) ? null : time;
}

/** `2026-11-22T14:39:34` */
export function gmtFromTime(time: number): string {
  return new Date(time).toISOString().slice(0, 19);
}
