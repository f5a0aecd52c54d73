import { z } from 'zod';
import { assetResult, assetTarget, resolveAsset } from '#server/tools/assets';
import { effect } from '#server/tools/effects';
import { defineTool } from '#server/tools/tool';

/** Changes what is said of a picture in the media library: its description, its name, its tags. */
export const updateMedia = defineTool({
  name: 'update_media',
  description: 'Describe, rename or tag a picture of the media library.',
  input: z.object({
    ref: z.string().min(1).max(300).describe('ast_...'),
    alt: z.string().optional(),
    filename: z.string().optional(),
    tags: z.array(z.string()).optional(),
  }),
  writes: true,
  async effect({ ref }, { content }) {
    const asset = await resolveAsset(content, ref);
    return effect({ summary: `Changes what is said of the picture ${asset.filename}.`, targets: [assetTarget(asset)] });
  },
  async execute({ ref, ...details }, { content, origin }) {
    const { id } = await resolveAsset(content, ref);
    return assetResult(await content.assets.update(id, details, origin));
  },
});
