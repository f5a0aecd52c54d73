import { z } from 'zod';
import { blobIdOf, publicFileUrl } from '#server/core/files';
import type { JsonValue } from '#server/core/json';
import { type PartContent, partContentSchemas, type ToolOutput } from '#server/core/parts';

/** One piece of a tool's result that is not plain JSON. Nothing of it is trusted: see server/media/sanitize-tool-result. */
export type RichPart =
  | { readonly type: 'text'; readonly text: string }
  /** `mediaType` is what its sender says. */
  | { readonly type: 'image'; readonly data: Uint8Array; readonly mediaType: string; readonly filename?: string }
  /** A resource, whole or only named. */
  | {
      readonly type: 'resource';
      readonly uri: string;
      readonly mediaType?: string;
      readonly title?: string;
      readonly text?: string;
    }
  /** A kind that we do not take (audio, binary resources): it is named. */
  | { readonly type: 'other'; readonly kind: string };

const rich = Symbol('rich tool result');

/** Result of a tool that is more than JSON: texts, pictures, resources, structured data, an error of its own. */
export interface RichToolResult {
  readonly [rich]: true;
  readonly parts: readonly RichPart[];
  readonly structured?: JsonValue | undefined;
  readonly isError: boolean;
}

export type ToolReturn = JsonValue | RichToolResult;

/** The result of a tool that has more to give than JSON. */
export function richResult(
  parts: readonly RichPart[],
  { structured, isError = false }: { structured?: JsonValue | undefined; isError?: boolean } = {},
): RichToolResult {
  return { [rich]: true, parts, structured, isError };
}

export function isRichResult(value: ToolReturn): value is RichToolResult {
  return typeof value === 'object' && value !== null && rich in value;
}

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

/** Between a tool server's name and its tool's in the names that models see; no name of a server holds it. */
export const TOOL_NAME_SEPARATOR = '__';
