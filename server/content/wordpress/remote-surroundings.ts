import type { AddressBook } from '#server/content/wordpress/address-book';
import type { RemoteEntry } from '#server/content/wordpress/client/remote-entry';
import type { PushSurroundings } from '#server/content/wordpress/entry-plan';
import type { RemoteSurroundings } from '#server/content/wordpress/remote-document';
import { linksOf } from '#server/content/entry-links';
import { linkedAsset } from '#server/content/site-links';
import type { EntryDocument } from '#server/core/content';
import { createShortId } from '#server/core/ids';

/** What makes an entry of WordPress's one of ours. */
export async function surroundingsOfRemote(book: AddressBook, remote: RemoteEntry): Promise<RemoteSurroundings> {
  const { parentRemoteId, featuredMedia, contentRaw } = remote;
  return {
    context: await book.contextFor([], contentRaw),
    parent: parentRemoteId === null ? undefined : book.localIdOf('page', parentRemoteId),
    cover: featuredMedia === null ? undefined : await book.pictureOf(featuredMedia),
    newSectionId: () => createShortId('sec'),
  };
}

/** What makes a document of ours one of WordPress's. */
export async function surroundingsOfDocument(
  book: AddressBook,
  document: EntryDocument,
  now: number,
): Promise<PushSurroundings> {
  const asset = document.image === undefined ? null : linkedAsset(document.image);
  const hrefs = linksOf(document).map(({ href }) => href);
  return {
    context: await book.contextFor(hrefs, ''),
    now,
    parent: document.parent === undefined ? null : (book.remoteIdOf(document.parent) ?? null),
    cover: asset === null ? null : (book.remoteIdOf(asset) ?? null),
  };
}
