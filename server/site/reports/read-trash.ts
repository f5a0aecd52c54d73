import type { ContentBackend } from '#server/site/content-backend';
import type { TrashPage, TrashQuery } from '#server/core/site/trash';

/**
 * The trash for editors: deleted pages and posts, or pictures, with the change that deleted each. The most recently
 * deleted pages and posts come first, and the newest pictures.
 */
export async function readTrash(content: ContentBackend, { kind, limit, cursor }: TrashQuery): Promise<TrashPage> {
  const page =
    kind === 'media'
      ? await content.assets.list({ state: 'trashed', limit, cursor })
      : await content.query({ state: 'trashed', sort: 'updated', order: 'desc', limit, cursor });
  const items = page.items.map((item) =>
    'thumbnailUrl' in item
      ? { type: 'asset' as const, id: item.id, title: item.filename, thumbnailUrl: item.thumbnailUrl, alt: item.alt }
      : { type: item.type, id: item.id, title: item.title, slug: item.slug },
  );
  const changes = await Promise.all(items.map(({ id }) => content.changes({ targetId: id, limit: 1 })));
  return {
    // A trashed item can only be restored, so its newest change is the one that deleted it.
    items: items.map((item, index) => ({ ...item, change: changes[index]?.[0] ?? null })),
    total: page.total,
    nextCursor: page.nextCursor,
  };
}
