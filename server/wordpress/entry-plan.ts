import { sameJson } from '#server/core/json';
import { type ComposedContent, composeContent } from '#server/blocks/compose-content';
import { patchedLine } from '#server/blocks/patch-fields';
import type { EntryState } from '#server/content/embedded/entry-state';
import { linkedAsset, linksOf } from '#server/content/entry-links';
import { isSameTime, type RemoteState, type RemoteSurroundings } from '#server/wordpress/remote-document';
import type { AddressBook } from '#server/wordpress/address-book';
import type { RemoteEntry, RemoteEntryFields, RemoteStatus } from '#server/wordpress/client/remote-entry';
import { type EntryPast, readPast, isDated } from '#server/wordpress/entry-past';
import type { KnownEntry, Secrets, SiteAccess } from '#server/wordpress/mirror';
import type { EntryDocument, EntryType } from '#server/core/content';
import type { DocumentField } from '#server/core/document-fields';
import { createShortId } from '#server/core/ids';
import type { BlockContext } from '#server/blocks/block-context';
import { contentOf, type KnownSegment } from '#server/blocks/read-segments';

/** The version that WordPress has to hold: the one that visitors see or will see by a plan, else the draft. */
export function wantedOf(state: EntryState): RemoteState {
  const { draft, published, publishedAt, publishAt, planned, deletedAt, marks } = state;
  // WordPress publishes what it has by itself: what was changed since the plan is kept from it.
  const document = published ?? planned ?? draft;
  if (deletedAt !== null) return { document, status: 'trashed', date: null, marks };
  if (published !== null) return { document, status: 'published', date: publishedAt, marks };
  if (publishAt !== null) return { document, status: 'planned', date: publishAt, marks };
  return { document, status: 'draft', date: null, marks };
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
  /** WordPress's state when the entry was what it is to become. */
  readonly past: EntryPast;
  /** The password of an entry, as it is kept; null: it cannot be read any more. */
  readonly open: Secrets['open'];
}

export type LiveStatus = Exclude<RemoteStatus, 'trash'>;

/** Fields to write; ids of the groups that are named are still to be found. */
export interface PlannedFields extends RemoteEntryFields {
  /** Names by taxonomy. */
  readonly terms?: Readonly<Record<string, readonly string[]>>;
}

/** The calls that make WordPress's entry what it has to be, in this order. */
export interface EntryPlan {
  /** True if it is not there yet. */
  readonly create: boolean;
  /** Into the trash, and nothing else. */
  readonly trash: boolean;
  /** Out of the trash, before anything else. */
  readonly restore: LiveStatus | null;
  /** Null: nothing to write. */
  readonly fields: PlannedFields | null;
  /** The blocks in WordPress after these writes. */
  readonly blocks: readonly KnownSegment[];
}

const STATUS = { draft: 'draft', published: 'publish', planned: 'future' } as const;

/** A line of HTML that says something else now: as it was when it last said so, else in its own tags; null: it has none. */
function lineOf(past: string | undefined, present: string | undefined, words: string): string | null {
  return past ?? (present === undefined || !/[<&]/.test(present) ? null : patchedLine(present, words));
}

/** Changed texts for search engines, where the site takes them. */
function seoFields(known: KnownEntry | null, { seo }: EntryDocument, past: EntryPast): RemoteEntryFields {
  if (known !== null && !known.fields?.seo) return {};
  const isChanged = (name: 'title' | 'description') => (known?.document.seo?.[name] ?? '') !== (seo?.[name] ?? '');
  const changed = (['title', 'description'] as const).filter(isChanged);
  if (changed.length === 0) return {};
  const former = past.fields.seo;
  return { seo: Object.fromEntries(changed.map((name) => [name, former?.[name] ?? seo?.[name] ?? ''])) };
}

/** Groups that are others now: by their ids where they were just these before, else by name. */
function termFields(known: KnownEntry | null, { terms = {} }: EntryDocument, { fields }: EntryPast): PlannedFields {
  const before = known?.document.terms ?? {};
  const changed = [...new Set([...Object.keys(before), ...Object.keys(terms)])].filter(
    (taxonomy) => !sameJson(before[taxonomy] ?? [], terms[taxonomy] ?? []),
  );
  if (changed.length === 0) return {};
  const past = fields.terms;
  if (past === undefined) return { terms: Object.fromEntries(changed.map((name) => [name, terms[name] ?? []])) };
  return { termIds: Object.fromEntries(changed.map((name) => [name, (past[name] ?? []).map(({ id }) => id)])) };
}

/** Custom fields that say something else now; only texts are ever written. */
function customFields(known: KnownEntry | null, { custom = {} }: EntryDocument): RemoteEntryFields {
  const before = known?.document.custom ?? {};
  const names = [...new Set([...Object.keys(before), ...Object.keys(custom)])];
  const changed = names.filter((name) => before[name] !== custom[name]);
  const valueOf = (name: string) => (custom[name] === undefined ? null : String(custom[name]));
  return changed.length === 0 ? {} : { custom: Object.fromEntries(changed.map((name) => [name, valueOf(name)])) };
}

/** Differences of the document's own fields. */
function documentFields(
  type: EntryType,
  known: KnownEntry | null,
  document: EntryDocument,
  { past, parent, cover }: PushSurroundings,
): PlannedFields {
  const changed = (field: DocumentField) => !sameJson(known?.document[field], document[field]);
  const titleRaw = lineOf(past.fields.title, known?.fields?.title, document.title);
  const excerptRaw = lineOf(past.fields.excerpt, known?.fields?.excerpt, document.excerpt ?? '');
  const { tagIds } = past.fields;
  const tags = tagIds === undefined ? { tags: document.tags ?? [] } : { tagIds };
  const title = titleRaw === null ? { title: document.title } : { titleRaw };
  const excerpt = excerptRaw === null ? { excerpt: document.excerpt ?? '' } : { excerptRaw };
  return {
    ...(changed('title') && title),
    ...(changed('slug') && { slug: past.slug ?? document.slug }),
    ...(type === 'post' && changed('excerpt') && excerpt),
    ...(type === 'post' && changed('tags') && tags),
    ...(type === 'page' && changed('parent') && { parentRemoteId: past.fields.parentRemoteId ?? parent }),
    ...(changed('image') && { featuredMedia: past.fields.featuredMedia ?? cover }),
    ...seoFields(known, document, past),
    ...termFields(known, document, past),
    ...customFields(known, document),
  };
}

/** The slug as WordPress has it where it is known by another one here: in other letters, or as the second of its name. */
function remoteSlug({ slug }: EntryDocument, known: KnownEntry): string {
  return known.slug !== '' && known.document.slug === slug ? known.slug : slug;
}

/** The status, and what goes with it, as they were when this last stood so; null: it never did. */
function formerStanding(known: KnownEntry | null, { past, open }: PushSurroundings): RemoteEntryFields | null {
  const { status, password = '', sticky, dateGmt } = past.fields;
  if (status === undefined || status === 'trash' || (known !== null && known.fields === undefined)) return null;
  const present = known?.fields;
  const words = password === '' ? '' : open(password);
  if (words === null) return null;
  const hasDate = isDated({ status });
  const isOther = status !== present?.status;
  return {
    ...(isOther && { status }),
    ...((isOther || (hasDate && dateGmt !== present.dateGmt)) && { dateGmt: hasDate ? (dateGmt ?? null) : null }),
    ...(password !== (present?.password ?? '') && { password: words }),
    ...(sticky !== (present?.sticky ?? false) && { isSticky: sticky }),
  };
}

/** The status, and the date that goes with it, where they differ. */
function statusFields(wanted: RemoteState, known: KnownEntry | null, world: PushSurroundings): RemoteEntryFields {
  if (wanted.status === 'trashed') return {};
  const former = formerStanding(known, world);
  if (former !== null) return former;
  const { marks = [] } = wanted;
  // Its password is not known any more: nobody is to read it without.
  if (known === null && marks.includes('password')) return { status: 'draft' };
  const status = liveStatus(wanted, world);
  const isSame = known?.status === wanted.status;
  if (wanted.status === 'draft') return isSame ? {} : { status };
  if (isSame && isSameTime(wanted.date, known?.date ?? null)) return {};
  // WordPress's own clock says what is now: by ours it could be a time to come, and the entry would only be planned.
  const isNow = wanted.status === 'published' && isSameTime(wanted.date, world.now);
  return { status, dateGmt: isNow ? null : wanted.date };
}

/** The status in WordPress of what is live. */
function liveStatus({ status, marks = [] }: RemoteState, { past }: PushSurroundings): LiveStatus {
  const former = past.fields.status;
  if (former !== undefined && former !== 'trash') return former;
  if (status === 'draft') return marks.find((mark) => mark === 'private' || mark === 'pending') ?? 'draft';
  return status === 'trashed' ? 'draft' : STATUS[status];
}

/** The content of a document: as it was when it last was so, else with its sections as they were. */
export function composedContent(
  { sections }: EntryDocument,
  blocks: readonly KnownSegment[],
  { past, context }: Pick<PushSurroundings, 'past' | 'context'>,
): ComposedContent {
  if (past.blocks === null) return composeContent(sections, blocks, context, past.markup);
  return { raw: contentOf(past.blocks), known: [...past.blocks] };
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
  const composed = composedContent(wanted.document, blocks, world);
  const isContentNew = composed.raw !== contentOf(known?.blocks ?? []);
  // A draft of WordPress's may have none; one from the trash may have lost it.
  const isRestored = known?.status === 'trashed';
  const needsSlug = known !== null && (known.slug === '' || isRestored) && wanted.status !== 'draft';
  const fields: PlannedFields = {
    ...documentFields(type, known, wanted.document, world),
    ...(needsSlug && { slug: remoteSlug(wanted.document, known) }),
    ...(isContentNew && { contentRaw: composed.raw }),
    ...statusFields(wanted, known, world),
  };
  return {
    ...none,
    create: known === null,
    restore: isRestored ? liveStatus(wanted, world) : null,
    fields: known === null || Object.keys(fields).length > 0 ? fields : null,
    blocks: composed.known,
  };
}

/**
 * Values that WordPress has no place for, as the end of a sentence; empty where there are none.
 * @param takesSeo a plugin of the site keeps what search engines are told
 */
export function keptHere(
  type: EntryType,
  before: EntryDocument | null,
  after: EntryDocument,
  cover: number | null,
  takesSeo = false,
): string[] {
  const isSet = (field: DocumentField) => after[field] !== undefined && !sameJson(before?.[field], after[field]);
  const isSeoSet = (name: 'image' | 'noIndex') =>
    after.seo?.[name] !== undefined && !sameJson(before?.seo?.[name], after.seo[name]);
  return [
    ...(isSet('author') ? ['the author'] : []),
    ...(isSet('seo') && !takesSeo ? ['the SEO details'] : []),
    ...(takesSeo && isSeoSet('image') ? ['the picture of link previews'] : []),
    ...(takesSeo && isSeoSet('noIndex') ? ['the mark that search engines leave it out'] : []),
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
export async function surroundingsOfRemote(
  book: AddressBook,
  remote: RemoteEntry,
  secrets: Secrets,
): Promise<RemoteSurroundings> {
  const { parentRemoteId, featuredMedia, contentRaw } = remote;
  return {
    context: await book.contextFor([], contentRaw),
    parent: parentRemoteId === null ? undefined : book.localIdOf('page', parentRemoteId),
    cover: featuredMedia === null ? undefined : await book.pictureOf(featuredMedia),
    newSectionId: () => createShortId('sec'),
    secrets,
  };
}

/** Id in WordPress of a document's cover; null: it has none, or none of the library. */
export function remoteCover(book: AddressBook, { image }: EntryDocument): number | null {
  const asset = image === undefined ? null : linkedAsset(image);
  return asset === null ? null : (book.remoteIdOf(asset) ?? null);
}

/** Data for writing an entry to WordPress. @param known how it is there; null: not at all */
export async function surroundingsOfDocument(
  { mirror, now, secrets }: SiteAccess,
  book: AddressBook,
  localId: string,
  wanted: RemoteState,
  known: KnownEntry | null,
): Promise<PushSurroundings> {
  const { document } = wanted;
  const hrefs = linksOf(document).map(({ href }) => href);
  return {
    context: await book.contextFor(hrefs, contentOf(known?.blocks ?? [])),
    now: now(),
    past: await readPast(mirror, localId, known, wanted),
    open: secrets.open,
    parent: document.parent === undefined ? null : (book.remoteIdOf(document.parent) ?? null),
    cover: remoteCover(book, document),
  };
}
