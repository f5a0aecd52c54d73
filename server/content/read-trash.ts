import type { ContentBackend } from '#server/content/content-backend';
import type { TrashPage, TrashQuery } from '#server/core/trash';

/** What of a site was deleted, the last first, with the change that deleted it: pages and posts, or pictures. */
export async function readTrash(
  content: Pick<ContentBackend, 'query' | 'assets' | 'changes'>,
  { kind, limit, cursor }: TrashQuery,
): Promise<TrashPage> {
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
    // Nothing can be done to what is in the trash but to take it out: its newest change put it there.
    items: items.map((item, index) => ({ ...item, change: changes[index]?.[0] ?? null })),
    total: page.total,
    nextCursor: page.nextCursor,
  };
}
