import type { Entry, EntryDocument } from '#server/core/site/content';

/** A page that was never published, with these values. */
export function testEntry(
  id: string,
  draft: Partial<EntryDocument> = {},
  values: Omit<Partial<Entry>, 'draft'> = {},
): Entry {
  return {
    id,
    type: 'page',
    revision: 1,
    status: 'draft',
    draft: { title: id, slug: id, sections: [], ...draft },
    published: null,
    publishedAt: null,
    publishAt: null,
    planned: null,
    deletedAt: null,
    createdAt: 1,
    updatedAt: 1,
    ...values,
  };
}
