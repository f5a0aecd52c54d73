import { z } from 'zod';
import { definePart } from '#server/core/conversation/part-types/part-definition';

/** A file, such as an image. Its tokens follow the formulas of the providers (server/context/media-tokens). */
export const file = definePart({
  content: z
    .object({
      mediaType: z.string().describe('Media type such as `image/png`'),
      filename: z.string().optional().describe('Name of the file for people; absent: it came without one'),
      url: z
        .string()
        .describe(
          'A `data:` or `https:` URL, or `@blob:<id>`: bytes that are stored once, separately from the messages (core/conversation/part-types/blobs)',
        ),
      size: z.number().int().positive().optional().describe('Size of a blob in bytes'),
      width: z
        .number()
        .int()
        .positive()
        .optional()
        .describe(
          'Width of an image in pixels, read once from its bytes when the part was written; absent: unknown or no image',
        ),
      height: z
        .number()
        .int()
        .positive()
        .optional()
        .describe('Height of an image in pixels; absent: unknown or no image'),
      pages: z.number().int().positive().optional().describe('Number of pages of a PDF, also read once'),
      detail: z
        .string()
        .optional()
        .describe("Detail at which a model receives an image, as named in the client's format: low, high"),
    })
    .describe('A file, such as an image'),
  summaryText: ({ filename, mediaType }) => `[file ${filename ?? 'without a name'}, ${mediaType}]`,
});
