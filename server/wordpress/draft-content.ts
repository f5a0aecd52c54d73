import { quotedTitle } from '#server/site/change-summary';
import { type AddressBook, readAddressBook } from '#server/wordpress/mirror/address-book';
import { builderAddress } from '#server/wordpress/client/page-builders';
import { filteredMarkup } from '#server/wordpress/blocks/filtered-markup';
import { contentOf } from '#server/wordpress/blocks/read-segments';
import { documentOf, LANGUAGE } from '#server/wordpress/mirror/remote-document';
import { composedContent, isLanguageUsed, surroundingsOfDocument, wantedOf } from '#server/wordpress/mirror/entry-plan';
import { knownEntryOf, type RemoteLink, remoteTypeOf, type SiteAccess } from '#server/wordpress/mirror/mirror';
import type { TouchedEntry, TouchedTarget } from '#server/wordpress/mirror/recorded-write';
import { type Entry, type EntryDocument, sameDocument } from '#server/core/site/content';
import { ForbiddenError, InvalidInputError } from '#server/core/errors';
import { type JsonValue, sameJson, toJson } from '#server/core/json';
import { once } from '#server/core/async';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import { shortTitle } from '#server/core/text/short-text';

/** The site's address book, read once for several drafts, when the first one needs it. */
export function bookOf({ mirror, siteUrl }: SiteAccess): () => Promise<AddressBook> {
  return once(() => readAddressBook(mirror, siteUrl));
}

/** The draft of an entry. */
interface EntryDraft {
  readonly id: string;
  readonly draft: Entry['draft'];
}

/** The draft of an entry as WordPress would store it; null if WordPress has no entry for it. */
export async function draftContent(site: SiteAccess, { id, draft }: EntryDraft, bookOnce: () => Promise<AddressBook>) {
  const link = await site.mirror.link(id);
  const known = knownEntryOf(link);
  if (link === null || known === null) return null;
  const book = await bookOnce();
  const world = await surroundingsOfDocument(site, book, id, { ...known, document: draft }, known);
  const { raw, known: pieces } = composedContent(draft, known.blocks, world);
  return { remoteId: link.remoteId, type: remoteTypeOf(link), known, contentRaw: raw, pieces, cover: world.cover };
}

/** Address that opens an entry in WordPress's editor, or in its page builder. */
export function editAddress(siteUrl: string, link: RemoteLink): string {
  const address = `${siteUrl}/wp-admin/post.php?post=${link.remoteId}&action=edit`;
  const known = knownEntryOf(link);
  const builder = known?.fields?.builder ?? '';
  return known === null || builder === '' ? address : builderAddress(builder, address, known.address);
}

/** Requires that a page builder's part of an entry stays as it is. The entry's other fields are WordPress's own. */
function requireOutsideBuilder({ siteUrl }: SiteAccess, link: RemoteLink, { title, sections }: EntryDocument): void {
  const known = knownEntryOf(link);
  const builder = known?.fields?.builder ?? '';
  if (known === null || builder === '' || sameJson(toJson(documentOf(known).sections), toJson(sections))) return;
  throw new InvalidInputError(
    serverText('wordpress-builder-keeps', { title: quotedTitle(title), builder, address: editAddress(siteUrl, link) }),
  );
}

/**
 * Requires that texts for search engines reach the site's SEO plugin. Kept here only, they would be shown as set while
 * visitors and search engines get those of the plugin. A new entry is created with a note instead: an import must not
 * lose it.
 * @throws InvalidInputError
 */
async function requireSeoPlace(
  { client }: SiteAccess,
  type: string,
  before: EntryDocument,
  { title, seo }: EntryDocument,
): Promise<void> {
  const isSet = (name: 'title' | 'description') => Boolean(seo?.[name]) && seo?.[name] !== before.seo?.[name];
  if (!isSet('title') && !isSet('description')) return;
  const plugin = await client.seoPlugin();
  if (plugin === null || (await client.entries.takesSeo(type))) return;
  throw new InvalidInputError(serverText('wordpress-seo-not-set', { title: quotedTitle(title), plugin, type }));
}

/**
 * Checks, long before publishing, that a draft can become the content of WordPress's entry without losing anything
 * else.
 * @param before the draft until now
 * @throws InvalidInputError with the address of WordPress's editor
 */
export async function requireWritable(
  site: SiteAccess,
  entry: EntryDraft,
  before: EntryDocument,
  bookOnce = bookOf(site),
): Promise<void> {
  const link = await site.mirror.link(entry.id);
  if (link !== null) {
    requireOutsideBuilder(site, link, entry.draft);
    const type = remoteTypeOf(link);
    await requireKnownFields(site, type, link, entry.draft);
    await requireSeoPlace(site, type, before, entry.draft);
  }
  try {
    const content = await draftContent(site, entry, bookOnce);
    if (link !== null && content !== null) await requireUnfiltered(site, link, entry.draft.title, content.contentRaw);
  } catch (error) {
    if (link !== null && error instanceof InvalidInputError)
      error.message += ` Its editor: ${editAddress(site.siteUrl, link)}`;
    throw error;
  }
}

/** The parts of a content that WordPress would remove if its user saved the entry; empty: none. */
export async function filteredParts(site: SiteAccess, link: RemoteLink, contentRaw: string): Promise<string[]> {
  const parts = filteredMarkup(contentRaw);
  if (parts.length === 0) return [];
  const isFiltered = await site.client.entries.isFiltered(remoteTypeOf(link), link.remoteId);
  return isFiltered ? parts : [];
}

/** Largest number of removed parts that are listed. A choice, not measured. */
const MAX_NAMED = 5;

/** Explains in a sentence why an entry cannot be written. */
export function filteredReason(title: string, parts: readonly string[]): ServerText {
  const named = parts.slice(0, MAX_NAMED).join(', ') + (parts.length > MAX_NAMED ? ', …' : '');
  return serverText('wordpress-filters', { title: shortTitle(title), parts: named });
}

/** @throws ForbiddenError if WordPress would remove parts of this content */
async function requireUnfiltered(site: SiteAccess, link: RemoteLink, title: string, contentRaw: string): Promise<void> {
  const parts = await filteredParts(site, link, contentRaw);
  if (parts.length > 0)
    throw new ForbiddenError(
      serverText('wordpress-would-filter', {
        reason: filteredReason(title, parts),
        address: editAddress(site.siteUrl, link),
      }),
      { details: { filtered: parts } },
    );
}

/**
 * Requires that WordPress removes nothing from an entry that a write changes there. It filters the content with every
 * save of an entry, even for another title, other tags, or a move into the trash.
 */
async function requireNothingFiltered(
  site: SiteAccess,
  { id, before, after }: TouchedEntry,
  bookOnce: () => Promise<AddressBook>,
): Promise<void> {
  const link = await site.mirror.link(id);
  const known = knownEntryOf(link);
  if (link === null || known === null) return;
  const [was, wanted] = [before === null ? null : wantedOf(before), wantedOf(after)];
  // A draft of a published entry is only stored here. If the entry itself does not change here, pictures in it do.
  const isKeptHere =
    before !== null && sameJson(toJson(was), toJson(wanted)) && !sameJson(toJson(before), toJson(after));
  if (isKeptHere) return;
  const { title } = wanted.document;
  if (wanted.status === 'trashed') return requireUnfiltered(site, link, title, contentOf(known.blocks));
  const content = await draftContent(site, { id, draft: wanted.document }, bookOnce);
  if (content !== null) await requireUnfiltered(site, link, title, content.contentRaw);
}

/**
 * @param link null: the entry is new
 * @throws InvalidInputError for a group or custom field that its type does not have, or that cannot be written
 */
async function requireKnownFields(
  { client }: SiteAccess,
  type: string,
  link: RemoteLink | null,
  draft: EntryDocument,
): Promise<void> {
  const entry = knownEntryOf(link);
  const { terms: groups = {}, custom: fields = {} } = entry?.document ?? {};
  const { terms = {}, custom = {} } = draft;
  const changedIn = (before: object, after: object) =>
    Object.entries({ ...before, ...after }).flatMap(([name]) =>
      sameJson(...([before, after].map((record) => Reflect.get(record, name) ?? null) as [JsonValue, JsonValue]))
        ? []
        : [name],
    );
  const group = changedIn(groups, terms);
  if (group.length > 0) {
    const isMultilingual = await isLanguageUsed(client, entry, draft);
    const known = [...(await client.entries.taxonomiesOf(type)), ...(isMultilingual ? [LANGUAGE] : [])];
    if (isMultilingual && group.includes(LANGUAGE) && terms[LANGUAGE]?.length !== 1)
      throw new InvalidInputError(serverText('wordpress-one-language'));
    const other = group.find((name) => !known.includes(name));
    if (other !== undefined)
      throw new InvalidInputError(
        serverText('wordpress-no-group', { name: other, known: known.join(', '), count: known.length }),
      );
  }
  const field = changedIn(fields, custom);
  if (field.length === 0) return;
  const known = await client.entries.textFieldsOf(type);
  const other = field.find((name) => !known.includes(name) || typeof (custom[name] ?? '') !== 'string');
  if (other !== undefined)
    throw new InvalidInputError(
      serverText('wordpress-no-field', { name: other, known: known.join(', '), count: known.length }),
    );
}

/** Requires that everything that a write changes may be written, before any of it is written; see `requireWritable`. */
export async function requireAllWritable(site: SiteAccess, targets: readonly TouchedTarget[]): Promise<void> {
  const bookOnce = bookOf(site);
  for (const target of targets) {
    if (target.kind !== 'entry') continue;
    const { id, type, before, after } = target;
    if (before === null) await requireKnownFields(site, type, null, after.draft);
    else if (after.deletedAt === null && !sameDocument(before.draft, after.draft))
      await requireWritable(site, { id, draft: after.draft }, before.draft, bookOnce);
    await requireNothingFiltered(site, target, bookOnce);
  }
}

/** True if a write changed or discarded a draft that only the mirror has, while visitors see an older version. */
function isToOffer({ before, after }: TouchedEntry): boolean {
  if (after.published === null || after.deletedAt !== null) return false;
  const hasDraft = !sameDocument(after.draft, after.published);
  if (hasDraft) return before === null || !sameDocument(before.draft, after.draft);
  // After publishing, WordPress's own copy is newer than the offer. After discarding the draft, the offer has to be
  // removed.
  const wasPublishedSo =
    before !== null && before.published !== null && sameDocument(before.published, after.published);
  return wasPublishedSo && !sameDocument(before.draft, after.draft);
}

async function offer(
  site: SiteAccess,
  { id, after: { draft } }: TouchedEntry,
  bookOnce: () => Promise<AddressBook>,
): Promise<void> {
  const content = await draftContent(site, { id, draft }, bookOnce);
  if (content === null) return;
  const { remoteId, type, contentRaw, known } = content;
  // A page builder opens the newest autosave, which would lack the builder's own fields.
  if (known.fields?.builder) return;
  const excerpt = draft.excerpt ?? '';
  await site.client.entries.autosave(type, remoteId, { title: draft.title, contentRaw, excerpt });
}

/**
 * Offers drafts of published entries to people who work in WordPress, whose editor shows them as autosaves. WordPress
 * itself drops an offer when it receives the published version. Never rejects, because the write that caused the offer
 * is already done.
 */
export async function offerDrafts(site: SiteAccess, entries: readonly TouchedEntry[]): Promise<void> {
  const bookOnce = bookOf(site);
  for (const entry of entries.filter(isToOffer)) await offer(site, entry, bookOnce).catch(() => undefined);
}
