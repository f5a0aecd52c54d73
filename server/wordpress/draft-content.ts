import { quotedTitle } from '#server/content/change-summary';
import { type AddressBook, readAddressBook } from '#server/wordpress/address-book';
import { builderAddress } from '#server/wordpress/client/page-builders';
import { composedContent, surroundingsOfDocument } from '#server/wordpress/entry-plan';
import { knownEntryOf, type RemoteLink, remoteTypeOf, type SiteAccess } from '#server/wordpress/mirror';
import type { TouchedEntry, TouchedTarget } from '#server/wordpress/recorded-write';
import { type Entry, type EntryDocument, sameDocument } from '#server/core/content';
import { InvalidInputError } from '#server/core/errors';
import { type JsonValue, sameJson } from '#server/core/json';
import { once } from '#server/core/async';

/** The site's address book, read once for several drafts, when the first needs it. */
export function bookOf({ mirror, siteUrl }: SiteAccess): () => Promise<AddressBook> {
  return once(() => readAddressBook(mirror, siteUrl));
}

/** The draft of an entry as WordPress would hold it; null where it has no entry for it. */
export async function draftContent(
  site: SiteAccess,
  { id, draft }: Pick<Entry, 'id' | 'draft'>,
  bookOnce: () => Promise<AddressBook>,
) {
  const link = await site.mirror.link(id);
  const known = knownEntryOf(link);
  if (link === null || known === null) return null;
  const book = await bookOnce();
  const world = await surroundingsOfDocument(site, book, id, { ...known, document: draft }, known);
  const { raw, known: pieces } = composedContent(draft, known.blocks, world);
  return { remoteId: link.remoteId, type: remoteTypeOf(link), known, contentRaw: raw, pieces, cover: world.cover };
}

/** Address that opens an entry in WordPress's editor, or in the page builder that it is made with. */
export function editAddress(siteUrl: string, link: RemoteLink): string {
  const address = `${siteUrl}/wp-admin/post.php?post=${link.remoteId}&action=edit`;
  const known = knownEntryOf(link);
  const builder = known?.fields?.builder ?? '';
  return known === null || builder === '' ? address : builderAddress(builder, address, known.address);
}

/**
 * Checks that a draft can become the content of WordPress's entry without taking anything else away, long before it is
 * published. @throws InvalidInputError with the address of WordPress's editor
 */
export async function requireWritable(
  site: SiteAccess,
  entry: Pick<Entry, 'id' | 'draft'>,
  bookOnce = bookOf(site),
): Promise<void> {
  const link = await site.mirror.link(entry.id);
  const builder = knownEntryOf(link)?.fields?.builder ?? '';
  if (link !== null && builder !== '') {
    throw new InvalidInputError(
      `${quotedTitle(entry.draft.title)} is made with ${builder}, which keeps what visitors see: it can only be changed there. Open it: ${editAddress(site.siteUrl, link)}`,
    );
  }
  if (link !== null) await requireKnownFields(site, link, entry.draft);
  try {
    await draftContent(site, entry, bookOnce);
  } catch (error) {
    if (link !== null && error instanceof InvalidInputError)
      error.message += ` Its editor: ${editAddress(site.siteUrl, link)}`;
    throw error;
  }
}

/** @throws InvalidInputError for a group or custom field that its type does not have, or that cannot be written */
async function requireKnownFields({ client }: SiteAccess, link: RemoteLink, draft: EntryDocument): Promise<void> {
  const { terms: groups = {}, custom: fields = {} } = knownEntryOf(link)?.document ?? {};
  const { terms = {}, custom = {} } = draft;
  const changedIn = (before: object, after: object) =>
    Object.entries({ ...before, ...after }).flatMap(([name]) =>
      sameJson(...([before, after].map((record) => Reflect.get(record, name) ?? null) as [JsonValue, JsonValue]))
        ? []
        : [name],
    );
  const type = remoteTypeOf(link);
  const group = changedIn(groups, terms);
  if (group.length > 0) {
    const known = await client.entries.taxonomiesOf(type);
    const other = group.find((name) => !known.includes(name));
    if (other !== undefined) throw new InvalidInputError(`There is no group "${other}" here. ${namesText(known)}`);
  }
  const field = changedIn(fields, custom);
  if (field.length === 0) return;
  const known = await client.entries.textFieldsOf(type);
  const other = field.find((name) => !known.includes(name) || typeof (custom[name] ?? '') !== 'string');
  if (other !== undefined)
    throw new InvalidInputError(
      `The custom field "${other}" cannot be written from here, only texts that WordPress registers for REST. ${namesText(known)}`,
    );
}

function namesText(names: readonly string[]): string {
  return names.length === 0 ? 'There are none.' : `There are: ${names.join(', ')}.`;
}

/** Requires that all drafts that a write changes may be written; see `requireWritable`. */
export async function requireAllWritable(site: SiteAccess, targets: readonly TouchedTarget[]): Promise<void> {
  const bookOnce = bookOf(site);
  for (const target of targets) {
    if (target.kind !== 'entry' || target.after.deletedAt !== null) continue;
    const { id, before, after } = target;
    if (before !== null && !sameDocument(before.draft, after.draft))
      await requireWritable(site, { id, draft: after.draft }, bookOnce);
  }
}

/** Tells whether a write changed or discarded a draft that only the mirror has, while visitors see an older version. */
function isToOffer({ before, after }: TouchedEntry): boolean {
  if (after.published === null || after.deletedAt !== null) return false;
  const hasDraft = !sameDocument(after.draft, after.published);
  if (hasDraft) return before === null || !sameDocument(before.draft, after.draft);
  // Published: WordPress's own copy is newer than the offer then. Given up: the offer has to go.
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
  const { remoteId, type, contentRaw } = content;
  const excerpt = draft.excerpt ?? '';
  await site.client.entries.autosave(type, remoteId, { title: draft.title, contentRaw, excerpt });
}

/**
 * Offers drafts of what is published to those who work in WordPress, whose editor shows them as autosaves. It drops an
 * offer itself where it is sent what is published. Never rejects: the write that they come from is done.
 */
export async function offerDrafts(site: SiteAccess, entries: readonly TouchedEntry[]): Promise<void> {
  const bookOnce = bookOf(site);
  for (const entry of entries.filter(isToOffer)) await offer(site, entry, bookOnce).catch(() => undefined);
}
