import {
  type RemoteEntry,
  type RemoteEntryFields,
  type RemoteStatus,
  timeFromGmt,
} from '#server/wordpress/client/remote-entry';
import type { Menus } from '#server/wordpress/client/menus';
import type { SiteKind } from '#server/wordpress/client/site-kinds';
import { z } from 'zod';
import type { Abilities } from '#server/wordpress/client/abilities';
import type { Shape } from '#server/core/shapes';
import { decodeEntities, textFromHtml } from '#server/markup/html-text';

/* Parts of a site in our terms, each read from a response of the REST API. Plugins omit fields and add others. */

const id = z.number().int().positive();
const pageId = z.number().int().nonnegative().default(0);

/**
 * Settings of the site itself, from /wp/v2/settings. Before WordPress 6.0 they include nothing about the front page.
 */
export const settingsSchema = z
  .object({
    title: z.string().default(''),
    description: z.string().default(''),
    show_on_front: z.string().default('posts'),
    page_on_front: pageId,
    language: z.string().default(''),
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
    /** Locale of WordPress: `de_DE_formal`; empty, if it is not reported or is English of the United States. */
    locale: answer.language,
  }));
export type RemoteSettings = Readonly<z.infer<typeof settingsSchema>>;

/** The request body that sets these settings; omitted settings do not change. */
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

/** PHP writes an empty list instead of an empty object. */
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
    /** Address of the file; for a picture that WordPress has scaled down, of the smaller one. */
    sourceUrl,
    /** Pixels; null: WordPress has not measured it. */
    width: details.width || null,
    height: details.height || null,
    /** Bytes; null: unknown. */
    size: details.filesize || null,
    modifiedGmt: timeFromGmt(answer.modified_gmt) ?? 0,
    /** Epoch milliseconds. */
    dateGmt: timeFromGmt(answer.date_gmt),
  }));
export type RemoteMedia = Readonly<z.infer<typeof mediaSchema>>;

/** A comment and its visibility. */
export const remoteCommentSchema = z.object({
  id: z.number(),
  status: z.enum(['approved', 'hold', 'spam', 'trash']),
});
export type RemoteComment = Shape<typeof remoteCommentSchema>;

/** Which entries are listed. */
export interface RemoteEntryQuery {
  /** Only entries that changed at or after this time (epoch milliseconds, compared in whole seconds). */
  readonly modifiedSince?: number | undefined;
  /** Only these ids. */
  readonly include?: readonly number[] | undefined;
  readonly slug?: string | undefined;
  /** Default: all, including the trash. */
  readonly statuses?: readonly RemoteStatus[] | undefined;
}

/** A part of a list. */
interface RemotePage<T> {
  readonly items: readonly T[];
  /** Number of items in the whole list. */
  readonly total: number;
}

/** The fields that are cheap to request for all entries: enough to find deleted and changed ones. */
export interface RemoteEntryHead {
  readonly remoteId: number;
  readonly status: RemoteStatus;
  readonly modifiedGmt: number;
  /** Address for visitors; if they do not see the entry, one with the id. */
  readonly link: string;
}

/**
 * A WordPress site over its REST interface, as one user. Every response is checked; reads are repeated if the site does
 * not respond, writes never are.
 *
 * All methods throw: SiteUnavailableError (no response, a response that is not from WordPress, the password is not
 * accepted), ForbiddenError (the user lacks the right), NotFoundError, InvalidInputError (WordPress refuses a value).
 */
export interface WordPressClient {
  /** `type` is WordPress's own: `page`, `post` or the slug of a kind. An unknown type is an InvalidInputError. */
  readonly entries: {
    /**
     * Kinds other than pages and posts that this user may edit. @param isFresh sends a request even if they are known
     */
    kinds(isFresh: boolean, signal?: AbortSignal): Promise<readonly SiteKind[]>;
    /** Taxonomies of a type, except tags. */
    taxonomiesOf(type: string): Promise<readonly string[]>;
    /** Names of a type's writable custom fields that contain one text. */
    textFieldsOf(type: string): Promise<readonly string[]>;
    /** True if SEO texts of entries of this type can be written. */
    takesSeo(type: string): Promise<boolean>;
    /** True if the site has Polylang. */
    hasLanguages(): Promise<boolean>;
    /** In the order of their ids, so that entries written during the read are not missed. */
    list(type: string, query?: RemoteEntryQuery, signal?: AbortSignal): AsyncIterable<RemotePage<RemoteEntry>>;
    heads(type: string, signal?: AbortSignal): Promise<RemoteEntryHead[]>;
    get(type: string, id: number, signal?: AbortSignal): Promise<RemoteEntry>;
    /** `draft` unless the fields contain a status. */
    create(type: string, fields: RemoteEntryFields): Promise<RemoteEntry>;
    /** WordPress has no precondition: read and compare before. Omitted fields and the status do not change. */
    update(type: string, id: number, fields: RemoteEntryFields): Promise<RemoteEntry>;
    /** Moves the entry into the trash; an entry that is already in the trash remains there. */
    trash(type: string, id: number): Promise<RemoteEntry>;
    /** Takes the entry out of the trash with this status. It gets its slug back, unless that has been taken since. */
    restore(type: string, id: number, status: Exclude<RemoteStatus, 'trash'>): Promise<RemoteEntry>;
    /** Deletes permanently. It is no error if the entry no longer exists. */
    remove(type: string, id: number): Promise<void>;
    /** Offers a draft in addition to the published version: people see it in WordPress's editor. */
    autosave(type: string, id: number, fields: RemoteDraft): Promise<void>;
    /**
     * True if WordPress filters the whole content of an entry when this user saves it (no right `unfiltered_html`).
     * False if WordPress does not show it.
     */
    isFiltered(type: string, id: number): Promise<boolean>;
    /**
     * Name of the person who has it open in WordPress's editor; null: no person, or the site lacks the companion
     * plugin.
     */
    openBy(id: number): Promise<string | null>;
    /**
     * The page that visitors would get if an entry had this content; the companion plugin renders it. Writes nothing.
     */
    render(id: number, draft: RenderedDraft): Promise<RemotePagePreview>;
    /** The newest revisions, at most a hundred, newest first; empty if none are stored. */
    revisions(type: string, id: number, most?: number): Promise<RemoteRevision[]>;
  };
  readonly media: {
    /** Pictures, in the order of their ids. */
    list(query?: { modifiedSince?: number | undefined }, signal?: AbortSignal): AsyncIterable<RemotePage<RemoteMedia>>;
    ids(signal?: AbortSignal): Promise<number[]>;
    get(id: number, signal?: AbortSignal): Promise<RemoteMedia>;
    /** @param filename with its extension, by which WordPress judges the file; it may be renamed */
    upload(data: Uint8Array, filename: string, mediaType: string, fields: { alt: string }): Promise<RemoteMedia>;
    update(id: number, fields: { alt: string }): Promise<RemoteMedia>;
    /** Deletes permanently: WordPress has no trash for media unless its configuration enables it. */
    remove(id: number): Promise<void>;
    /** The bytes at `sourceUrl`. @throws NotFoundError, TooLargeError */
    download(media: { readonly sourceUrl: string }, maxBytes: number, signal?: AbortSignal): Promise<Uint8Array>;
  };
  readonly comments: {
    /** Comments of an entry with their statuses, at most 300; empty if this user may not see them. */
    of(entryId: number): Promise<RemoteComment[]>;
    /**
     * Restores the statuses of comments that were hidden when their entry was trashed. @returns how many are still
     * hidden
     */
    restore(entryId: number, comments: readonly RemoteComment[]): Promise<number>;
  };
  readonly tags: {
    /**
     * Ids of the terms with these names; missing terms are created.
     * @param taxonomy `post_tag`, `category`
     * @param language Polylang's code of the language that they are in
     */
    idsOf(taxonomy: string, names: readonly string[], language?: string): Promise<TagIds>;
    /** The terms among these that no published entry has; WordPress does not count drafts. */
    unused(taxonomy: string, ids: readonly number[]): Promise<{ id: number; name: string }[]>;
    /** @param taxonomy default: tags */
    list(taxonomy?: string): Promise<{ id: number; name: string }[]>;
  };
  readonly menus: Menus;
  readonly abilities: Abilities;
  /** Reads an address of the site (and of no other) as a visitor. @throws NotFoundError, TooLargeError */
  visit(address: string, maxBytes: number): Promise<Uint8Array>;
  /** Name of the site's SEO plugin; null: none that is known. */
  seoPlugin(): Promise<string | null>;
  /** True if a visitor finds content at an address of the site, or is redirected from it. */
  isThere(address: string): Promise<boolean>;
  readonly settings: {
    get(signal?: AbortSignal): Promise<RemoteSettings>;
    update(fields: Partial<RemoteSettings>): Promise<RemoteSettings>;
  };
}

/** Ids of tags, in the order of their names, and which of them were just created. */
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

/** A draft to render; all texts are HTML. */
interface RenderedDraft {
  readonly titleRaw: string;
  readonly contentRaw: string;
  readonly excerptRaw: string;
  /** Id of its picture; null: none. */
  readonly cover: number | null;
}

/**
 * A page as HTML by any author, which must not be trusted; or why it is missing: no companion plugin, an old one, or
 * visitors see no such page.
 */
export type RemotePagePreview =
  | { readonly html: string }
  | { readonly gap: 'no-companion' | 'old-companion' | 'no-page' };

/** A revision that WordPress stores of an entry. */
export interface RemoteRevision extends RemoteDraft {
  readonly id: number;
  /** True for an autosave, which is offered in addition to the entry and is never its content. */
  readonly isAutosave: boolean;
  readonly modifiedGmt: number;
}
