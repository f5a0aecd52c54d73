import { z } from 'zod';
import { resolveEntry } from '#server/tools/resolve-entry';
import { changeResult } from '#server/tools/results';
import { refInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

const SITE_TARGETS = new Set(['navigation', 'settings']);

/** The newest changes, of one entry or of the whole site. */
export const listRevisions = defineTool({
  name: 'list_revisions',
  description: 'Newest changes of the site, or of ref ("navigation" and "settings" too).',
  maxOutputChars: 12_000,
  input: z.object({ ref: refInput.optional(), limit: z.int().min(1).max(50).optional().describe('default 10') }),
  async execute({ ref, limit }, { content }) {
    const targetId = ref === undefined || SITE_TARGETS.has(ref) ? ref : (await resolveEntry(content, ref)).id;
    const changes = await content.revisions({ targetId, limit: limit ?? 10 });
    return {
      changes: changes.map((change) => ({
        ...changeResult(change),
        by: change.origin.actor,
        at: new Date(change.createdAt).toISOString(),
        ...(change.undoneBy === null ? {} : { undone: true }),
      })),
    };
  },
});
