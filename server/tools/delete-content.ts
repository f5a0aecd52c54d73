import { z } from 'zod';
import { assetIdIn, assetResult, assetTrashEffect } from '#server/tools/assets';
import { effect, entryTarget, goneFromSite } from '#server/tools/effects';
import { resolveEntry } from '#server/tools/resolve-entry';
import { entryResult } from '#server/tools/results';
import { refInput } from '#server/tools/schemas';
import { defineTool } from '#server/tools/tool';

/** Deletes an entry, or a picture by its id or address; it can be brought back. */
export const deleteContent = defineTool({
  name: 'delete_content',
  description: 'Move a page, post or picture to the trash; undo brings it back.',
  input: z.object({ ref: refInput }),
  writes: true,
  policy: 'ask',
  async effect({ ref }, { content }) {
    const assetId = assetIdIn(ref);
    if (assetId !== null) return assetTrashEffect(content, assetId);
    const entry = await resolveEntry(content, ref);
    const path = entry.published && (await content.pathOf(entry, 'published'));
    return effect({
      summary: `Moves "${entry.draft.title}" to the trash${path === null ? '' : `: ${path} will not be found any more`}.`,
      targets: [entryTarget(entry)],
      ...(await goneFromSite(content, entry)),
    });
  },
  async execute({ ref }, { content, origin, ifRevision }) {
    const assetId = assetIdIn(ref);
    if (assetId !== null) return assetResult(await content.assets.trash(assetId, origin));
    const entry = await resolveEntry(content, ref);
    return entryResult(await content.trash(entry.id, origin, { ifRevision }));
  },
});
