import { z } from 'zod';
import { entryTypeInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

/** Lists pages or posts, one compact line each. */
export const listContent = defineTool({
  name: 'list_content',
  description: 'List pages or posts.',
  maxOutputChars: 16_000,
  input: z.object({
    type: entryTypeInput,
    status: z.enum(['draft', 'published', 'changed']).optional(),
    tag: z.string().optional(),
    limit: z.int().min(1).max(100).optional().describe('default 50'),
    offset: z.int().min(0).optional(),
  }),
  async execute(input, { content }) {
    const { items, total } = await content.list(input);
    return {
      total,
      items: items.map(({ id, title, slug, status, sectionCount }) => ({
        id,
        title,
        slug,
        status,
        sections: sectionCount,
      })),
    };
  },
});
