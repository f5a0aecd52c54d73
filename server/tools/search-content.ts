import { z } from 'zod';
import { entryTypeInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

/** Full-text search over drafts. */
export const searchContent = defineTool({
  name: 'search_content',
  description: 'Search titles and texts of drafts.',
  maxOutputChars: 12_000,
  input: z.object({ query: z.string().min(1).max(500).describe('words'), type: entryTypeInput.optional() }),
  async execute({ query, type }, { content }) {
    const hits = await content.search({ text: query, type, limit: 10 });
    return {
      hits: hits.map(({ sectionId, ...hit }) => ({ ...hit, ...(sectionId === undefined ? {} : { sectionId }) })),
    };
  },
});
