import { z } from 'zod';
import type { ChangeSet } from '#server/core/content';
import { siteDocumentKeys } from '#server/core/content';
import type { JsonValue } from '#server/core/json';
import { assetIdIn } from '#server/tools/assets';
import { resolveEntry } from '#server/tools/resolve-entry';
import { changeResult } from '#server/tools/results';
import { refInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

function listed(change: ChangeSet): Record<string, JsonValue> {
  return {
    ...changeResult(change),
    revision: change.revision,
    by: change.origin.actor,
    at: new Date(change.createdAt).toISOString(),
    ...(change.undoneBy === null ? {} : { undone: true }),
  };
}

/** The newest changes, of one thing or of the whole site; or what one change altered. */
export const listRevisions = defineTool({
  name: 'list_revisions',
  description:
    'Newest changes of the site, or of ref ("navigation", "settings", "standing-instructions" too); with changeId what it altered.',
  maxOutputChars: 12_000,
  input: z.object({
    ref: refInput.optional(),
    changeId: z.string().min(1).optional(),
    limit: z.int().min(1).max(50).optional().describe('default 10'),
  }),
  async execute({ ref, changeId, limit }, { content }) {
    if (changeId !== undefined) {
      const { change, fields } = await content.change(changeId);
      return { ...listed(change), fields: fields as unknown as JsonValue };
    }
    const isSiteDocument = siteDocumentKeys.some((key) => key === ref);
    const targetId =
      ref === undefined || isSiteDocument ? ref : (assetIdIn(ref) ?? (await resolveEntry(content, ref)).id);
    const changes = await content.changes({ targetId, limit: limit ?? 10 });
    return { changes: changes.map(listed) };
  },
});
