import { z } from 'zod';
import { blobIdOf, publicFileUrl } from '#server/core/conversation/part-types/blobs';
import { toolImageText } from '#server/core/conversation/part-types/image-text';
import { file } from '#server/core/conversation/part-types/file';
import { describedJson } from '#server/core/json';
import { components } from '#server/core/shapes';

/** Maximum items of a tool's output. Far above real values. */
const MAX_ITEMS = 100_000;

/** Output of a tool, in the provider-independent shape that models accept. */
export const toolOutputSchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('text').describe('The output is a text'), value: z.string().describe('The text') }),
    z.object({ type: z.literal('json').describe('The output is JSON'), value: describedJson('The output') }),
    z.object({
      type: z.literal('error-text').describe('The call failed; the reason is a text'),
      value: z.string().describe('The reason'),
    }),
    z.object({
      type: z.literal('error-json').describe('The call failed; the reason is JSON'),
      value: describedJson('The reason'),
    }),
    z.object({
      type: z.literal('execution-denied').describe('The call was denied and did not run'),
      reason: z.string().optional().describe('Why it was denied, for the model; absent: no reason was given'),
    }),
    z.object({
      type: z.literal('content').describe('The output has several items, such as texts and images'),
      value: z
        .array(
          z.looseObject({
            type: z
              .string()
              .describe(
                "Kind of the item in the AI SDK's tool output: `text`, `file` or another; its other fields depend on it",
              ),
          }),
        )
        .max(MAX_ITEMS)
        .describe('The items in order'),
    }),
  ])
  .describe('What a tool returned, in the form of the AI SDK')
  .register(components, { id: 'ToolOutput' });
export type ToolOutput = z.infer<typeof toolOutputSchema>;

/** The text of a tool output as a model reads it; images are replaced by their names. */
export function toolOutputText(output: ToolOutput): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value;
    case 'execution-denied':
      return output.reason ?? 'The user denied this tool call.';
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value);
    case 'content':
      return output.value.map(pieceText).join('\n\n');
  }
}

type OutputPiece = Extract<ToolOutput, { type: 'content' }>['value'][number];

/** A piece of a tool output as text: an image by its name, unknown pieces as JSON. */
function pieceText(piece: OutputPiece): string {
  if (piece.type === 'text' && typeof piece['text'] === 'string') return piece['text'];
  const image = asToolImage(piece);
  return image ? toolImageText(image) : JSON.stringify(piece, withoutBytes);
}

/** Maximum characters of a field of an unknown piece: longer ones are binary data in base64. */
const MAX_FIELD_CHARS = 1_000;

function withoutBytes(_: string, field: unknown): unknown {
  return typeof field === 'string' && field.length > MAX_FIELD_CHARS ? `[${field.length} characters]` : field;
}

/** An image among the pieces of a `content` output: the fields of a file part, with the bytes in a blob. */
export type ToolImage = z.infer<typeof file.content> & { readonly type: 'file' };

const toolImageSchema = file.content.extend({ type: z.literal('file') });

/** A piece of a `content` output as an image; null for any other piece. */
export function asToolImage(piece: unknown): ToolImage | null {
  const { data } = toolImageSchema.safeParse(piece);
  return data && data.mediaType.startsWith('image/') && blobIdOf(data.url) !== null ? data : null;
}

/** The images of a tool's output, in order. */
export function toolImages(output: ToolOutput): ToolImage[] {
  if (output.type !== 'content') return [];
  return output.value.map(asToolImage).filter((image) => image !== null);
}

/** A tool output, with the internal addresses of its images replaced by those of the REST API. */
export function withPublicImages(output: ToolOutput): ToolOutput {
  if (output.type !== 'content') return output;
  const value = output.value.map((piece) => {
    const image = asToolImage(piece);
    return image ? { ...image, url: publicFileUrl(image.url) } : piece;
  });
  return { type: 'content', value };
}
