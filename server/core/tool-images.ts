import { z } from 'zod';
import { blobIdOf, publicFileUrl } from '#server/core/blob-url';
import { type PartContent, type ToolOutput, partContentSchemas } from '#server/core/parts';

/** An image among the pieces of a `content` output: the fields of a file part, with the bytes in a blob. */
export type ToolImage = PartContent<'file'> & { readonly type: 'file' };

const toolImageSchema = partContentSchemas.file.extend({ type: z.literal('file') });

/** The image that a piece of a `content` output is; null for any other piece. */
export function asToolImage(piece: unknown): ToolImage | null {
  const { data } = toolImageSchema.safeParse(piece);
  return data && data.mediaType.startsWith('image/') && blobIdOf(data.url) !== null ? data : null;
}

/** The images of a tool's output, in order. */
export function toolImages(output: ToolOutput): ToolImage[] {
  if (output.type !== 'content') return [];
  return output.value.map(asToolImage).filter((image) => image !== null);
}

/** The output with addresses of its images that clients can use. */
export function withPublicImages(output: ToolOutput): ToolOutput {
  if (output.type !== 'content') return output;
  const value = output.value.map((piece) => {
    const image = asToolImage(piece);
    return image ? { ...image, url: publicFileUrl(image.url) } : piece;
  });
  return { type: 'content', value };
}
