import { sameJson } from '#server/core/json';
import { type ComposedContent, composeContent } from '#server/wordpress/blocks/compose-content';
import { patchedLine } from '#server/wordpress/blocks/patch-fields';
import type { EntryState } from '#server/site/embedded/entry-state';
import { linkedAsset, linksOf } from '#server/site/entry-links';
import {
  isSameTime,
  LANGUAGE,
  type RemoteState,
  type RemoteSurroundings,
} from '#server/wordpress/mirror/remote-document';
import type { AddressBook } from '#server/wordpress/mirror/address-book';
import type { RemoteEntry, RemoteEntryFields, RemoteStatus } from '#server/wordpress/client/remote-entry';
import { type EntryPast, readPast, isDated } from '#server/wordpress/mirror/entry-history';
import type { KnownEntry, Secrets, SiteAccess } from '#server/wordpress/mirror/mirror';
import type { EntryDocument, EntryType } from '#server/core/site/content';
import type { DocumentField } from '#server/core/site/document-fields';
import { createShortId } from '#server/core/ids';
import type { BlockContext } from '#server/wordpress/blocks/block-context';
import { contentOf, type KnownSegment } from '#server/wordpress/blocks/read-segments';
import type { ServerText } from '#server/core/coded-message';
import { nameText, serverText } from '#server/core/messages/server-text';

/** The version that WordPress must store: the one that visitors see or will see by a schedule, otherwise the draft. */
export function wantedOf(state: EntryState): RemoteState {
  const { draft, published, publishedAt, publishAt, planned, deletedAt, marks } = state;
  // WordPress publishes its stored version by itself, so changes made after scheduling are not sent to it.
  const document = published ?? planned ?? draft;
  if (deletedAt !== null) return { document, status: 'trashed', date: null, marks };
  if (published !== null) return { document, status: 'published', date: publishedAt, marks };
  if (publishAt !== null) return { document, status: 'planned', date: publishAt, marks };
  return { document, status: 'draft', date: null, marks };
}

/** Data of the rest of the site that is necessary for writing an entry. */
export interface PushSurroundings {
  readonly context: BlockContext;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Id of its parent in WordPress; null: none. */
  readonly parent: number | null;
  /** Id of its cover in WordPress; null: none, or one outside the library. */
  readonly cover: number | null;
  /** WordPress's state from a time when the entry had the wanted state. */
  readonly past: EntryPast;
  /** Opens the stored password of an entry; null: it can no longer be read. */
  readonly open: Secrets['open'];
  /** The write undoes an earlier one: the date returns to its value at that time. Default: false. */
  readonly isUndo?: boolean;
  /** Polylang gives entries languages, and the group `language` is the entry's. Default: no. */
  readonly hasLanguages?: boolean | undefined;
}

export type LiveStatus = Exclude<RemoteStatus, 'trash'>;

/** Fields to write; ids of the named groups are yet to be looked up. */
export interface PlannedFields extends RemoteEntryFields {
  /** Names by taxonomy. */
  readonly terms?: Readonly<Record<string, readonly string[]>>;
}

/** The calls that bring WordPress's entry to the wanted state, in this order. */
export interface EntryPlan {
  /** True if it does not exist yet. */
  readonly create: boolean;
  /** True: the entry is only moved to the trash. */
  readonly trash: boolean;
  /** Status with which the entry is first taken out of the trash; null: it is not in the trash. */
  readonly restore: LiveStatus | null;
  /** Null: no fields to write. */
  readonly fields: PlannedFields | null;
  /** The blocks in WordPress after these writes. */
  readonly blocks: readonly KnownSegment[];
}

const STATUS = { draft: 'draft', published: 'publish', planned: 'future' } as const;

/**
 * A line of HTML for changed text: the markup that it had with that text, otherwise the current tags; null: neither
 * works.
 */
function lineOf(past: string | undefined, present: string | undefined, words: string): string | null {
  return past ?? (present === undefined || !/[<&]/.test(present) ? null : patchedLine(present, words));
}

/** Changed texts for search engines, if the site accepts them. */
function seoFields(known: KnownEntry | null, { seo }: EntryDocument, past: EntryPast): RemoteEntryFields {
  if (known !== null && !known.fields?.seo) return {};
  const isChanged = (name: 'title' | 'description') => (known?.document.seo?.[name] ?? '') !== (seo?.[name] ?? '');
  const changed = (['title', 'description'] as const).filter(isChanged);
  if (changed.length === 0) return {};
  const former = past.fields.seo;
  return { seo: Object.fromEntries(changed.map((name) => [name, former?.[name] ?? seo?.[name] ?? ''])) };
}

/**
 * Changed groups: by their ids if the entry once had exactly these, otherwise by name. Polylang's language is shown as a
 * group, and is written as a field of its own.
 */
function termFields(
  known: KnownEntry | null,
  { terms = {} }: EntryDocument,
  { past: { fields }, hasLanguages = false }: Pick<PushSurroundings, 'past' | 'hasLanguages'>,
): PlannedFields {
  const before = known?.document.terms ?? {};
  const names = [...new Set([...Object.keys(before), ...Object.keys(terms)])];
  const changed = names.filter((taxonomy) => !sameJson(before[taxonomy] ?? [], terms[taxonomy] ?? []));
  const groups = changed.filter((taxonomy) => !hasLanguages || taxonomy !== LANGUAGE);
  const language = groups.length < changed.length ? terms[LANGUAGE]?.[0] : undefined;
  const past = fields.terms;
  const idsOf = (name: string) => (past?.[name] ?? []).map(({ id }) => id);
  const written =
    past === undefined
      ? { terms: valuesOf(groups, (name) => terms[name] ?? []) }
      : { termIds: valuesOf(groups, idsOf) };
  return { ...(language !== undefined && { language }), ...(groups.length > 0 && written) };
}

function valuesOf<T>(names: readonly string[], valueOf: (name: string) => T): Record<string, T> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)]));
}

/** Changed custom fields; only texts are ever written. */
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
  { past, parent, cover, hasLanguages }: PushSurroundings,
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
    ...termFields(known, document, { past, hasLanguages }),
    ...customFields(known, document),
  };
}

/** The slug in WordPress if it differs from ours: in other letters, or with a number because of an equal slug. */
function remoteSlug({ slug }: EntryDocument, known: KnownEntry): string {
  return known.slug !== '' && known.document.slug === slug ? known.slug : slug;
}

/** The status and the fields that belong to it, from when they last had the wanted state; null: they never had. */
function formerStanding(known: KnownEntry | null, { past, open, isUndo }: PushSurroundings): RemoteEntryFields | null {
  const { status, password = '', sticky, dateGmt } = past.fields;
  if (status === undefined || status === 'trash' || (known !== null && known.fields === undefined)) return null;
  const present = known?.fields;
  const words = password === '' ? '' : open(password);
  if (words === null) return null;
  const hasDate = isDated({ status });
  const isOther = status !== present?.status;
  // WordPress keeps the date of an unpublished entry for its next publication.
  const keepsDate = !hasDate && known?.status === 'published' && isUndo !== true;
  const isDateOther = dateGmt !== present?.dateGmt && (hasDate || isOther);
  return {
    ...(isOther && { status }),
    ...(isDateOther && !keepsDate && { dateGmt: dateGmt ?? null }),
    ...(password !== (present?.password ?? '') && { password: words }),
    ...(sticky !== (present?.sticky ?? false) && { isSticky: sticky }),
  };
}

/** The status and its date, if they differ. */
function statusFields(wanted: RemoteState, known: KnownEntry | null, world: PushSurroundings): RemoteEntryFields {
  if (wanted.status === 'trashed') return {};
  const former = formerStanding(known, world);
  if (former !== null) return former;
  const { marks = [] } = wanted;
  // Its password is no longer known, so it must not become readable without one.
  if (known === null && marks.includes('password')) return { status: 'draft' };
  const status = liveStatus(wanted, world);
  const isSame = known?.status === wanted.status;
  if (wanted.status === 'draft') return isSame ? {} : { status };
  if (isSame && isSameTime(wanted.date, known?.date ?? null)) return {};
  // WordPress must use its own clock for the current time: by our clock the time could be in the future, and the entry
  // would only be scheduled.
  const isNow = wanted.status === 'published' && isSameTime(wanted.date, world.now);
  // By default, WordPress keeps the date of an entry that was published before, and dates others with the current time.
  const isPast = known !== null && known.status !== 'planned' && (known.fields?.dateGmt ?? Infinity) <= world.now;
  if (isNow && isPast) return { status };
  return { status, dateGmt: isNow ? null : wanted.date };
}

/** The status in WordPress of a live entry. */
function liveStatus({ status, marks = [] }: RemoteState, { past }: PushSurroundings): LiveStatus {
  const former = past.fields.status;
  if (former !== undefined && former !== 'trash') return former;
  if (status === 'draft') return marks.find((mark) => mark === 'private' || mark === 'pending') ?? 'draft';
  return status === 'trashed' ? 'draft' : STATUS[status];
}

/** The content of a document: from when it last was the same, otherwise with its sections as they last were. */
export function composedContent(
  { sections }: EntryDocument,
  blocks: readonly KnownSegment[],
  { past, context }: Pick<PushSurroundings, 'past' | 'context'>,
): ComposedContent {
  if (past.blocks === null) return composeContent(sections, blocks, context, past.markup);
  return { raw: contentOf(past.blocks), known: [...past.blocks] };
}

/**
 * Writes that change an entry of WordPress from `known` (null: it does not exist) to `state`.
 * @param blocks blocks of the unchanged sections, if they differ from those in WordPress
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
  // A WordPress draft may have no slug; an entry from the trash may have lost it.
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
 * Values that WordPress cannot store, as the end of a sentence; empty without such values.
 * @param takesSeo a plugin of the site stores the texts for search engines
 */
export function keptHere(
  type: EntryType,
  before: EntryDocument | null,
  after: EntryDocument,
  cover: number | null,
  takesSeo = false,
): ServerText[] {
  const isSet = (field: DocumentField) => after[field] !== undefined && !sameJson(before?.[field], after[field]);
  const isSeoSet = (name: 'image' | 'noIndex') =>
    after.seo?.[name] !== undefined && !sameJson(before?.seo?.[name], after.seo[name]);
  return [
    ...(isSet('author') ? [nameText('kept', 'author')] : []),
    ...(isSet('seo') && !takesSeo ? [nameText('kept', 'seo')] : []),
    ...(takesSeo && isSeoSet('image') ? [nameText('kept', 'linkPicture')] : []),
    ...(takesSeo && isSeoSet('noIndex') ? [nameText('kept', 'noIndex')] : []),
    ...(type === 'page' && isSet('excerpt') ? [nameText('kept', 'pageExcerpt')] : []),
    ...(type === 'page' && isSet('tags') ? [nameText('kept', 'pageTags')] : []),
    ...(isSet('image') && cover === null ? [nameText('kept', 'cover')] : []),
  ];
}

/** A note about these values; empty if the list is empty. */
export function keptNote(kept: readonly ServerText[]): ServerText[] {
  return kept.length === 0 ? [] : [serverText('wordpress-not-kept', { fields: kept })];
}

/** Data that is necessary for reading an entry of WordPress. */
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

/** Id in WordPress of a document's cover; null: it has none, or one outside the library. */
export function remoteCover(book: AddressBook, { image }: EntryDocument): number | null {
  const asset = image === undefined ? null : linkedAsset(image);
  return asset === null ? null : (book.remoteIdOf(asset) ?? null);
}

/** Tells whether the group `language` of a document is Polylang's. */
export async function isLanguageUsed(
  { entries }: SiteAccess['client'],
  known: Pick<KnownEntry, 'fields'> | null,
  { terms = {} }: Pick<EntryDocument, 'terms'>,
): Promise<boolean> {
  if (known?.fields?.language) return true;
  return terms[LANGUAGE] !== undefined && (await entries.hasLanguages());
}

/** Data that is necessary for writing an entry to WordPress. @param known its state there; null: it does not exist */
export async function surroundingsOfDocument(
  { mirror, client, now, secrets }: SiteAccess,
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
    hasLanguages: await isLanguageUsed(client, known, document),
    open: secrets.open,
    parent: document.parent === undefined ? null : (book.remoteIdOf(document.parent) ?? null),
    cover: remoteCover(book, document),
  };
}
