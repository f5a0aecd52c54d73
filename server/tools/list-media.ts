import { z } from 'zod';
import { assetLine } from '#server/tools/assets';
import { defineTool } from '#server/tools/tool';

/** Lists pictures of the media library, newest first; those without a description have the alt null. */
export const listMedia = defineTool({
  name: 'list_media',
  description: 'List pictures of the media library; alt null: not described.',
  maxOutputChars: 16_000,
  input: z.object({
    query: z.string().max(300).optional(),
    missingAlt: z.boolean().optional(),
    limit: z.int().min(1).max(100).optional(),
    cursor: z.string().max(500).optional(),
  }),
  async execute({ query: text, ...query }, { content }) {
    const { items, total, nextCursor } = await content.assets.list({ limit: 30, ...query, text });
    return { total, items: items.map(assetLine), ...(nextCursor !== null && { nextCursor }) };
  },
});
