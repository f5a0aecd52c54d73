import { z } from 'zod';
import { defineTool } from '#server/tools/tool';

const USUAL_HITS = 5;

/** Full-text search over everything said and done in this session, also what was compacted or cleared. */
export const searchHistory = defineTool({
  name: 'search_history',
  isForEverybody: true,
  description: 'Search this whole conversation, also what is no longer shown.',
  input: z.object({
    query: z.string().max(500).describe('words'),
    limit: z.int().min(1).max(20).optional().describe(`default ${USUAL_HITS}`),
  }),
  async execute({ query, limit = USUAL_HITS }, { history }) {
    const hits = await history.search(query, limit);
    return {
      hits: hits.map(({ partId, seq, role, kind, toolName, snippet }) => ({
        id: partId,
        message: seq,
        ...(toolName === undefined ? { role } : { [kind]: toolName }),
        text: snippet,
      })),
    };
  },
});
