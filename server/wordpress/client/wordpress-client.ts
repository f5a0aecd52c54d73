import type { RemoteEntry, RemoteEntryFields, RemoteStatus } from '#server/wordpress/client/remote-entry';
import type { Menus } from '#server/wordpress/client/menus';
import type { RemoteComment, RemoteMedia, RemoteSettings } from '#server/wordpress/client/remote-site-parts';
import type { RemoteKind } from '#server/wordpress/client/site-kinds';

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
export interface RemotePage<T> {
  readonly items: readonly T[];
  /** Number of items in the whole list. */
  readonly total: number;
}

/** The fields that are cheap to request for all entries: enough to find deleted and changed ones. */
export interface RemoteEntryHead {
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
    kinds(isAnew: boolean, signal?: AbortSignal): Promise<readonly RemoteKind[]>;
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
    /** The bytes at `sourceUrl`. @throws TooLargeError */
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
  /** What a visitor is sent at an address of the site, and of no other. @throws TooLargeError */
  visit(address: string, maxBytes: number): Promise<Uint8Array>;
  /** Tells whether a visitor finds something at an address of the site, or is led on from there. */
  isThere(address: string): Promise<boolean>;
  readonly settings: {
    get(signal?: AbortSignal): Promise<RemoteSettings>;
    update(fields: Partial<RemoteSettings>): Promise<RemoteSettings>;
  };
}

/** Ids of tags, in the order of their names, and which of them were made just now. */
export interface TagIds {
  readonly ids: readonly number[];
  readonly made: readonly number[];
}

/** Content of an autosave. */
export interface RemoteDraft {
  readonly title: string;
  readonly contentRaw: string;
  readonly excerpt: string;
}

/** A draft to be shown; all texts are HTML. */
export interface RenderedDraft {
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
