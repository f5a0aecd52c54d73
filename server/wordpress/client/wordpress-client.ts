import {
  type RemoteEntry,
  type RemoteEntryFields,
  type RemoteStatus,
  timeFromGmt,
} from '#server/wordpress/client/remote-entry';
import type { Menus } from '#server/wordpress/client/menus';
import type { SiteKind } from '#server/wordpress/client/site-kinds';
import { z } from 'zod';
import type { Shape } from '#server/core/shapes';
import { decodeEntities, textFromHtml } from '#server/markup/html-text';

/* Parts of a site in our words, each read from an answer of the REST API. Plugins leave fields out and add others. */

const id = z.number().int().positive();
const pageId = z.number().int().nonnegative().default(0);

/** Settings of the site itself, from /wp/v2/settings. Before WordPress 6.0 there is nothing about the front page. */
export const settingsSchema = z
  .object({
    title: z.string().default(''),
    description: z.string().default(''),
    show_on_front: z.string().default('posts'),
    page_on_front: pageId,
  })
  .transform((answer) => ({
    /** Plain text. */
    title: decodeEntities(answer.title),
    /** The tagline, plain text. */
    description: decodeEntities(answer.description),
    /** `posts`: the newest posts; `page`: the page `pageOnFront`. */
    showOnFront: answer.show_on_front === 'page' ? ('page' as const) : ('posts' as const),
    /** Null: none. */
    pageOnFront: answer.page_on_front || null,
  }));
export type RemoteSettings = Readonly<z.infer<typeof settingsSchema>>;

export function bodyFromSettings(settings: Partial<RemoteSettings>): Record<string, string | number> {
  const { title, description, showOnFront, pageOnFront } = settings;
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(showOnFront !== undefined && { show_on_front: showOnFront }),
    ...(pageOnFront !== undefined && { page_on_front: pageOnFront ?? 0 }),
  };
}

/** The user of the connection, from /wp/v2/users/me with `context=edit`. */
export const userSchema = z
  .object({
    name: z.string().default(''),
    username: z.string().default(''),
    capabilities: z.record(z.string(), z.unknown()).or(z.array(z.unknown()).transform(() => ({}))),
  })
  .transform(({ name, username, capabilities }) => ({
    name: decodeEntities(name || username),
    /** Names of the user's rights: `publish_pages`, `manage_options`, ... */
    capabilities: new Set(
      Object.entries(capabilities as Record<string, unknown>)
        .filter(([, has]) => has === true)
        .map(([capability]) => capability),
    ),
  }));

/** PHP writes an empty list where an object would be empty. */
const emptyListAsObject = (value: unknown) => (Array.isArray(value) ? {} : value);
const count = z.coerce.number().nonnegative().catch(0);

/** A picture of WordPress's media library, from /wp/v2/media with `context=edit`. */
export const mediaSchema = z
  .object({
    id,
    alt_text: z.string().default(''),
    mime_type: z.string().default(''),
    source_url: z.string(),
    date_gmt: z.string().nullish(),
    modified_gmt: z.string().nullish(),
    media_details: z
      .preprocess(emptyListAsObject, z.object({ width: count, height: count, filesize: count }))
      .catch({ width: 0, height: 0, filesize: 0 }),
  })
  .transform(({ source_url: sourceUrl, media_details: details, ...answer }) => ({
    remoteId: answer.id,
    /** Plain text; empty: none. */
    alt: textFromHtml(answer.alt_text),
    /** Last part of its address. */
    filename: sourceUrl.split('/').at(-1) ?? '',
    mediaType: answer.mime_type,
    /** Address of the bytes; of a picture that WordPress made smaller, of the smaller one. */
    sourceUrl,
    /** Pixels; null: WordPress has not measured it. */
    width: details.width || null,
    height: details.height || null,
    /** Bytes; null: WordPress does not say. */
    size: details.filesize || null,
    modifiedGmt: timeFromGmt(answer.modified_gmt) ?? 0,
    /** Epoch milliseconds. */
    dateGmt: timeFromGmt(answer.date_gmt),
  }));
export type RemoteMedia = Readonly<z.infer<typeof mediaSchema>>;

/** A comment, and who sees it. */
export const remoteCommentSchema = z.object({
  id: z.number(),
  status: z.enum(['approved', 'hold', 'spam', 'trash']),
});
export type RemoteComment = Shape<typeof remoteCommentSchema>;

export interface RemoteEntryQuery {
  /** Only what was written at or after this time (epoch milliseconds, whole seconds count). */
  readonly modifiedSince?: number | undefined;
  /** Only these ids. */
  readonly include?: readonly number[] | undefined;
  readonly slug?: string | undefined;
  /** Default: all, the trash included. */
  readonly statuses?: readonly RemoteStatus[] | undefined;
}

/** A part of a list. */
interface RemotePage<T> {
  readonly items: readonly T[];
  /** Number of items in the whole list. */
  readonly total: number;
}

/** The fields that are cheap to request for all entries: enough to find deleted and changed ones. */
interface RemoteEntryHead {
  readonly remoteId: number;
  readonly status: RemoteStatus;
  readonly modifiedGmt: number;
  /** Address for visitors; of what they do not see, one with the id. */
  readonly link: string;
}

/**
 * A WordPress site over its REST interface, as one user. Every answer is checked; reads are tried again where the site
 * does not answer, writes never are.
 *
 * All methods throw: SiteUnavailableError (no answer, an answer that is none of WordPress, the password is not
 * accepted), ForbiddenError (the user may not do it), NotFoundError, InvalidInputError (WordPress refuses a value).
 */
export interface WordPressClient {
  /** `type` is WordPress's own: `page`, `post` or the slug of a kind. One that it does not have is an InvalidInputError. */
  readonly entries: {
    /** Kinds beside pages and posts that this user may edit. @param isAnew asks, whatever was known */
    kinds(isAnew: boolean, signal?: AbortSignal): Promise<readonly SiteKind[]>;
    /** Taxonomies of a type, but for tags. */
    taxonomiesOf(type: string): Promise<readonly string[]>;
    /** Names of a type's custom fields that hold one text, and can be written. */
    textFieldsOf(type: string): Promise<readonly string[]>;
    /** In the order of their ids: what is written meanwhile is not missed. */
    list(type: string, query?: RemoteEntryQuery, signal?: AbortSignal): AsyncIterable<RemotePage<RemoteEntry>>;
    heads(type: string, signal?: AbortSignal): Promise<RemoteEntryHead[]>;
    get(type: string, id: number, signal?: AbortSignal): Promise<RemoteEntry>;
    /** `draft` unless the fields say otherwise. */
    create(type: string, fields: RemoteEntryFields): Promise<RemoteEntry>;
    /** There is no precondition: read and compare before. What is left out, and the status, stays as it is. */
    update(type: string, id: number, fields: RemoteEntryFields): Promise<RemoteEntry>;
    /** Into the trash; one that is there already stays there. */
    trash(type: string, id: number): Promise<RemoteEntry>;
    /** Out of the trash, with this status. It has its slug again, unless that is taken meanwhile. */
    restore(type: string, id: number, status: Exclude<RemoteStatus, 'trash'>): Promise<RemoteEntry>;
    /** For good. One that is gone already is no error. */
    remove(type: string, id: number): Promise<void>;
    /** Offers a draft beside what is published: people see it in WordPress's editor. */
    autosave(type: string, id: number, fields: RemoteDraft): Promise<void>;
    /** Name of who has it open in WordPress's editor; null: nobody, or the site has no companion plugin that tells. */
    openBy(id: number): Promise<string | null>;
    /** The page that visitors would be sent if an entry were like this; the companion plugin makes it. Writes nothing. */
    render(id: number, draft: RenderedDraft): Promise<RemotePageLook>;
    /** The newest, at most a hundred, newest first; empty where none are kept. */
    revisions(type: string, id: number, most?: number): Promise<RemoteRevision[]>;
  };
  readonly media: {
    /** Pictures, in the order of their ids. */
    list(query?: { modifiedSince?: number | undefined }, signal?: AbortSignal): AsyncIterable<RemotePage<RemoteMedia>>;
    ids(signal?: AbortSignal): Promise<number[]>;
    get(id: number, signal?: AbortSignal): Promise<RemoteMedia>;
    /** @param filename with its ending, which WordPress judges the file by; it may be renamed */
    upload(data: Uint8Array, filename: string, mediaType: string, fields: { alt: string }): Promise<RemoteMedia>;
    update(id: number, fields: { alt: string }): Promise<RemoteMedia>;
    /** For good: WordPress has no trash for media unless its configuration says so. */
    remove(id: number): Promise<void>;
    /** The bytes at `sourceUrl`. @throws NotFoundError, TooLargeError */
    download(media: Pick<RemoteMedia, 'sourceUrl'>, maxBytes: number, signal?: AbortSignal): Promise<Uint8Array>;
  };
  readonly comments: {
    /** Comments of an entry with their statuses, at most 300; none where this user may not see them. */
    of(entryId: number): Promise<RemoteComment[]>;
    /** Gives comments that the trash hides with their entry their statuses back. @returns how many are still hidden */
    restore(entryId: number, comments: readonly RemoteComment[]): Promise<number>;
  };
  readonly tags: {
    /** Ids of the terms of these names; those that there are not yet are made. @param taxonomy `post_tag`, `category` */
    idsOf(taxonomy: string, names: readonly string[]): Promise<TagIds>;
    /** Removes for good those of them that no entry has any more. */
    removeUnused(taxonomy: string, ids: readonly number[]): Promise<void>;
    /** Default: the tags. */
    list(taxonomy?: string): Promise<{ id: number; name: string }[]>;
  };
  readonly menus: Menus;
  /** Reads an address of the site, and of no other, as a visitor. @throws NotFoundError, TooLargeError */
  visit(address: string, maxBytes: number): Promise<Uint8Array>;
  /** Tells whether a visitor finds something at an address of the site, or is led on from there. */
  isThere(address: string): Promise<boolean>;
  readonly settings: {
    get(signal?: AbortSignal): Promise<RemoteSettings>;
    update(fields: Partial<RemoteSettings>): Promise<RemoteSettings>;
  };
}

/** Ids of tags, in the order of their names, and which of them were made just now. */
interface TagIds {
  readonly ids: readonly number[];
  readonly made: readonly number[];
}

/** Content of an autosave. */
interface RemoteDraft {
  readonly title: string;
  readonly contentRaw: string;
  readonly excerpt: string;
}

/** A draft to be shown; all texts are HTML. */
interface RenderedDraft {
  readonly titleRaw: string;
  readonly contentRaw: string;
  readonly excerptRaw: string;
  /** Id of its picture; null: none. */
  readonly cover: number | null;
}

/** A page as HTML that anybody may have written; or why there is none: no companion plugin, an old one, or visitors see no such page. */
export type RemotePageLook = { readonly html: string } | { readonly gap: 'no-companion' | 'old-companion' | 'no-page' };

export interface RemoteRevision extends RemoteDraft {
  readonly id: number;
  /** Offered beside the entry, and never its content. */
  readonly isAutosave: boolean;
  readonly modifiedGmt: number;
}
