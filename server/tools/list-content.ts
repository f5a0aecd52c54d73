import { z } from 'zod';
import { isoTime } from '#server/tools/publication-time';
import { resolveEntry } from '#server/tools/resolve-entry';
import { entryTypeInput, refInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

/** Lists pages or posts, one compact line each. */
export const listContent = defineTool({
  name: 'list_content',
  description: 'List pages or posts.',
  maxOutputChars: 16_000,
  input: z.object({
    type: entryTypeInput,
    status: z.enum(['draft', 'published', 'changed', 'trashed']).optional(),
    planned: z.boolean().optional(),
    tag: z.string().optional(),
    parent: refInput.optional(),
    sort: z.enum(['updated', 'published', 'title']).optional(),
    limit: z.int().min(1).max(100).optional().describe('default 50'),
    cursor: z.string().optional(),
  }),
  async execute({ parent, status, planned, ...query }, { content }) {
    const above = parent === undefined ? undefined : (await resolveEntry(content, parent)).id;
    const { items, total, nextCursor } = await content.query({
      ...query,
      parent: above,
      ...(status === 'trashed' ? { state: status } : { status }),
      ...(planned === true && { scheduled: true, sort: query.sort ?? 'scheduled' }),
    });
    return {
      ...(planned === true && { now: isoTime(Date.now()) }),
      total,
      items: items.map((item) => ({
        id: item.id,
        title: item.title,
        slug: item.slug,
        ...(item.parent !== undefined && { path: item.path }),
        status: item.status,
        ...(item.publishAt !== null && { publishAt: isoTime(item.publishAt) }),
        sections: item.sectionCount,
      })),
      ...(nextCursor !== null && { cursor: nextCursor }),
    };
  },
});
