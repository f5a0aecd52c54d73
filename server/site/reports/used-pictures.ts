import type { ContentBackend } from '#server/site/content-backend';
import type { EntryDocument } from '#server/core/site/content';
import { designPictures } from '#server/core/site/design/design';
import type { EntryPage, PictureUse, UsedPicture } from '#server/core/site/site-lists';
import { linkedAsset, linksOf } from '#server/site/entry-links';
import { createYielder } from '#server/core/async';

/* Finds the pictures that a site shows, and the pages that show them. */

/** Ids of pictures in any place of a document; pictures in other notations are looked up one by one. */
const PICTURE = /\/media\/(ast_[a-z0-9]{6})\b/g;

/** Largest number of pictures outside the library that are listed. */
const MAX_EXTERNAL_PICTURES = 1_000;

/** Finds which pictures are in use, and where, by reading each entry once; keyed by picture id. */
export async function picturesInUse(content: ContentBackend): Promise<ReadonlyMap<string, readonly PictureUse[]>> {
  const uses = new Map<string, Map<string, PictureUse>>();
  for await (const { entry, isPublished } of entriesOf(content)) {
    for (const [, asset = ''] of JSON.stringify(entry.selected ?? {}).matchAll(PICTURE)) {
      addUse(uses, asset, entry, isPublished);
    }
  }
  await addSharedUses(uses, content);
  return new Map([...uses].map(([asset, places]) => [asset, [...places.values()]]));
}

/** Adds the pictures that all pages show: the logos and the icon. */
async function addSharedUses(uses: Map<string, Map<string, PictureUse>>, content: ContentBackend): Promise<void> {
  const { draft, published } = content.capabilities().design ? await content.design() : NO_DESIGN;
  const { icon } = await content.settings();
  const shared = [
    { addresses: [icon], use: { id: 'settings', type: 'settings', title: 'Site settings' }, isPublished: true },
    { addresses: designPictures(published), use: { id: 'design', type: 'design', title: 'Design' }, isPublished: true },
    { addresses: designPictures(draft), use: { id: 'design', type: 'design', title: 'Design' }, isPublished: false },
  ] as const;
  for (const { addresses, use, isPublished } of shared)
    for (const asset of addresses.flatMap((address) => linkedAsset(address) ?? []))
      addUse(uses, asset, use, isPublished);
}
const NO_DESIGN = { draft: null, published: null };

/** Pictures that the site shows, and where: library pictures by id, others by address. */
export async function usedPictures(content: ContentBackend): Promise<UsedPicture[]> {
  const inLibrary = new Map<string, Map<string, PictureUse>>();
  const outside = new Map<string, Map<string, PictureUse>>();
  const yieldIfDue = createYielder();
  for await (const { entry, isPublished } of entriesOf(content)) {
    await yieldIfDue();
    const document: EntryDocument = { title: entry.title, slug: entry.slug, sections: [], ...entry.selected };
    for (const { kind, href } of linksOf(document)) {
      if (kind !== 'image') continue;
      const asset = linkedAsset(href);
      if (asset !== null) addUse(inLibrary, asset, entry, isPublished);
      else if (outside.has(href) || outside.size < MAX_EXTERNAL_PICTURES) addUse(outside, href, entry, isPublished);
    }
  }
  await addSharedUses(inLibrary, content);
  return [
    ...[...inLibrary].map(([assetId, uses]) => ({ assetId, src: null, uses: [...uses.values()] })),
    ...[...outside].map(([src, uses]) => ({ assetId: null, src, uses: [...uses.values()] })),
  ];
}

/** Adds an entry, once, to those that show a picture; published versions take precedence over drafts. */
function addUse(
  uses: Map<string, Map<string, PictureUse>>,
  picture: string,
  { id, type, title }: Omit<PictureUse, 'isPublished'>,
  isPublished: boolean,
): void {
  const places = uses.get(picture) ?? new Map<string, PictureUse>();
  uses.set(picture, places);
  if (!places.has(id)) places.set(id, { id, type, title, isPublished });
}

/** Yields each entry in its published version, then each draft, with all parts that can show a picture. */
async function* entriesOf(content: ContentBackend) {
  for (const state of ['published', 'draft'] as const) {
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: EntryPage = await content.query({ state, select: ['sections', 'image', 'seo'], limit: 100, cursor });
      for (const entry of page.items) yield { entry, isPublished: state === 'published' };
      cursor = page.nextCursor;
    }
  }
}
