import { composeContent } from '#server/blocks/compose-content';
import type { EntryState } from '#server/content/embedded/entry-state';
import { linkedAsset, linksOf } from '#server/content/entry-links';
import { isSameTime, type RemoteState } from '#server/wordpress/absorb';
import type { AddressBook } from '#server/wordpress/address-book';
import type { RemoteEntry, RemoteEntryFields } from '#server/wordpress/client/remote-entry';
import type { KnownEntry } from '#server/wordpress/mirror';
import type { RemoteSurroundings } from '#server/wordpress/remote-document';
import type { EntryDocument, EntryType } from '#server/core/content';
import { createShortId } from '#server/core/ids';
import type { BlockContext, KnownSegment } from '#server/blocks/block-context';

/** The version that WordPress has to hold: the one that visitors see or will see by a plan, else the draft. */
export function wantedOf({ draft, published, publishedAt, publishAt, planned, deletedAt }: EntryState): RemoteState {
  // WordPress publishes what it has by itself: what was changed since the plan is kept from it.
  const document = published ?? planned ?? draft;
  if (deletedAt !== null) return { document, status: 'trashed', date: null };
  if (published !== null) return { document, status: 'published', date: publishedAt };
  return publishAt === null
    ? { document, status: 'draft', date: null }
    : { document, status: 'planned', date: publishAt };
}

/** Data of the rest of the site that writing an entry needs. */
export interface PushSurroundings {
  readonly context: BlockContext;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Id there of its parent; null: none. */
  readonly parent: number | null;
  /** Id there of its cover; null: none, or none of the library. */
  readonly cover: number | null;
}

export type LiveStatus = 'draft' | 'publish' | 'future';

/** The calls that make WordPress's entry what it has to be, in this order. */
export interface EntryPlan {
  /** It is not there yet. */
  readonly create: boolean;
  /** Into the trash, and nothing else. */
  readonly trash: boolean;
  /** Out of the trash, before anything else. */
  readonly restore: LiveStatus | null;
  /** Null: nothing to write. */
  readonly fields: RemoteEntryFields | null;
  /** The blocks in WordPress after these writes. */
  readonly blocks: readonly KnownSegment[];
}

const STATUS = { draft: 'draft', published: 'publish', planned: 'future' } as const;

function differs(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) !== JSON.stringify(b);
}

/** Differences of the document's own fields. */
function documentFields(
  type: EntryType,
  former: Omit<EntryDocument, 'sections'> | undefined,
  document: EntryDocument,
  world: PushSurroundings,
): RemoteEntryFields {
  const changed = (field: Exclude<keyof EntryDocument, 'sections'>) => differs(former?.[field], document[field]);
  return {
    ...(changed('title') && { title: document.title }),
    ...(changed('slug') && { slug: document.slug }),
    ...(type === 'post' && changed('excerpt') && { excerpt: document.excerpt ?? '' }),
    ...(type === 'post' && changed('tags') && { tags: document.tags ?? [] }),
    ...(type === 'page' && changed('parent') && { parentRemoteId: world.parent }),
    ...(changed('image') && { featuredMedia: world.cover }),
  };
}

/** The slug as WordPress has it where it is known by another one here: in other letters, or as the second of its name. */
function remoteSlug({ slug }: EntryDocument, known: KnownEntry): string {
  return known.slug !== '' && known.document.slug === slug ? known.slug : slug;
}

/** The status, and the date that goes with it, where they differ. */
function statusFields(wanted: RemoteState, known: KnownEntry | null, now: number): RemoteEntryFields {
  if (wanted.status === 'trashed') return {};
  const status = STATUS[wanted.status];
  const isSame = known?.status === wanted.status;
  if (wanted.status === 'draft') return isSame ? {} : { status };
  if (isSame && isSameTime(wanted.date, known?.date ?? null)) return {};
  // WordPress's own clock says what is now: by ours it could be a time to come, and the entry would only be planned.
  const isNow = wanted.status === 'published' && isSameTime(wanted.date, now);
  return { status, dateGmt: isNow ? null : wanted.date };
}

/**
 * Writes that bring an entry of WordPress from `known` (null: it does not exist) to `state`.
 * @param blocks blocks of the unchanged sections, where they differ from those in WordPress
 */
export function planEntry(
  type: EntryType,
  state: EntryState,
  known: KnownEntry | null,
  world: PushSurroundings,
  blocks: readonly KnownSegment[] = known?.blocks ?? [],
): EntryPlan {
  const wanted = wantedOf(state);
  const none = { create: false, trash: false, restore: null, fields: null, blocks };
  if (wanted.status === 'trashed') return { ...none, trash: known !== null && known.status !== 'trashed' };
  const composed = composeContent(wanted.document.sections, blocks, world.context);
  const isContentNew = composed.raw !== (known?.blocks ?? []).map(({ raw }) => raw).join('');
  // A draft of WordPress's may have none; one from the trash may have lost it.
  const isRestored = known?.status === 'trashed';
  const needsSlug = known !== null && (known.slug === '' || isRestored) && wanted.status !== 'draft';
  const fields: RemoteEntryFields = {
    ...documentFields(type, known?.document, wanted.document, world),
    ...(needsSlug && { slug: remoteSlug(wanted.document, known) }),
    ...(isContentNew && { contentRaw: composed.raw }),
    ...statusFields(wanted, known, world.now),
  };
  return {
    ...none,
    create: known === null,
    restore: isRestored ? STATUS[wanted.status] : null,
    fields: known === null || Object.keys(fields).length > 0 ? fields : null,
    blocks: composed.known,
  };
}

/** Values that WordPress has no place for, as the end of a sentence; empty where there are none. */
export function keptHere(
  type: EntryType,
  before: EntryDocument | null,
  after: EntryDocument,
  cover: number | null,
): string[] {
  const isSet = (field: Exclude<keyof EntryDocument, 'sections'>) =>
    after[field] !== undefined && differs(before?.[field], after[field]);
  return [
    ...(isSet('author') ? ['the author'] : []),
    ...(isSet('seo') ? ['the SEO details'] : []),
    ...(type === 'page' && isSet('excerpt') ? ['the short description of a page'] : []),
    ...(type === 'page' && isSet('tags') ? ['the tags of a page'] : []),
    ...(isSet('image') && cover === null ? ['a cover picture that is not of the media library'] : []),
  ];
}

/** A sentence about it; none where there is nothing. */
export function keptNote(kept: readonly string[]): string[] {
  if (kept.length === 0) return [];
  const named = kept.length === 1 ? kept.join('') : `${kept.slice(0, -1).join(', ')} and ${kept.at(-1)}`;
  return [`WordPress has no place for ${named}: only kept here.`];
}

/** Data for reading an entry of WordPress. */
export async function surroundingsOfRemote(book: AddressBook, remote: RemoteEntry): Promise<RemoteSurroundings> {
  const { parentRemoteId, featuredMedia, contentRaw } = remote;
  return {
    context: await book.contextFor([], contentRaw),
    parent: parentRemoteId === null ? undefined : book.localIdOf('page', parentRemoteId),
    cover: featuredMedia === null ? undefined : await book.pictureOf(featuredMedia),
    newSectionId: () => createShortId('sec'),
  };
}

/** Data for writing a document to WordPress. @param blocks what it is written over */
export async function surroundingsOfDocument(
  book: AddressBook,
  document: EntryDocument,
  blocks: readonly KnownSegment[],
  now: number,
): Promise<PushSurroundings> {
  const asset = document.image === undefined ? null : linkedAsset(document.image);
  const hrefs = linksOf(document).map(({ href }) => href);
  return {
    context: await book.contextFor(hrefs, blocks.map(({ raw }) => raw).join('')),
    now,
    parent: document.parent === undefined ? null : (book.remoteIdOf(document.parent) ?? null),
    cover: asset === null ? null : (book.remoteIdOf(asset) ?? null),
  };
}
