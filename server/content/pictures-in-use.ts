import type { ContentBackend, EntryPage } from '#server/content/content-backend';

/** An entry that shows a picture of the media library. */
export interface PictureUse {
  readonly title: string;
  /** Visitors see it there. */
  readonly isPublished: boolean;
}

/** Ids of pictures, wherever a document names them; those that it writes in another way are found one by one. */
const PICTURE = /\/media\/(ast_[a-z0-9]{6})\b/g;

/** Finds out which pictures are in use, and where, by reading each entry once; by the id of the picture. */
export async function picturesInUse(content: ContentBackend): Promise<ReadonlyMap<string, readonly PictureUse[]>> {
  const uses = new Map<string, Map<string, PictureUse>>();
  for (const state of ['published', 'draft'] as const) {
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: EntryPage = await content.query({ state, select: ['sections', 'image', 'seo'], limit: 100, cursor });
      for (const { id, title, selected } of page.items) {
        for (const [, asset = ''] of JSON.stringify(selected ?? {}).matchAll(PICTURE)) {
          const places = uses.get(asset) ?? new Map<string, PictureUse>();
          uses.set(asset, places);
          if (!places.has(id)) places.set(id, { title, isPublished: state === 'published' });
        }
      }
      cursor = page.nextCursor;
    }
  }
  return new Map([...uses].map(([asset, places]) => [asset, [...places.values()]]));
}
