import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { blobIdOf } from '#server/core/blob-url';
import type { JsonValue } from '#server/core/json';
import type { ToolOutput } from '#server/core/parts';
import { asToolImage } from '#server/core/tool-images';
import { prepareImage } from '#server/media/prepare-image';
import type { KeepFile } from '#server/media/sanitize-tool-result';
import { sniffFile } from '#server/media/sniff-file';

/** The images of one result, for as long as it takes to send it. */
export class ResultImages {
  readonly #data = new Map<string, Uint8Array>();

  readonly keep: KeepFile = async (bytes, filename) => {
    const { mediaType } = await sniffFile(bytes, filename);
    const { data, width, height } = await prepareImage(bytes, mediaType);
    const id = `image-${this.#data.size}`;
    this.#data.set(id, data);
    return { id, sessionId: '', mediaType, filename, size: data.length, width, height, createdAt: 0 };
  };

  /** Base64; null where there is no such image. */
  read(url: string): string | null {
    const data = this.#data.get(blobIdOf(url) ?? '');
    return data ? Buffer.from(data).toString('base64') : null;
  }
}

/** What a tool gave back, as the protocol has it: JSON twice, as text for models and as data for programs. */
export function toCallResult(output: ToolOutput, images: ResultImages): CallToolResult {
  switch (output.type) {
    case 'text':
      return { content: [{ type: 'text', text: output.value }] };
    case 'error-text':
      return refused(output.value);
    case 'json':
      return { content: [{ type: 'text', text: JSON.stringify(output.value) }], ...structured(output.value) };
    case 'error-json':
      return refused(JSON.stringify(output.value));
    case 'execution-denied':
      return refused(output.reason ?? 'Denied.');
    case 'content':
      return { content: output.value.map((piece) => contentOf(piece, images)) };
  }
}

/** What a caller reads of a call that was not done, or went wrong. */
export function refused(message: string, data?: JsonValue): CallToolResult {
  return { content: [{ type: 'text', text: message }], isError: true, ...structured(data) };
}

/** What a caller reads of a call that is neither done nor refused: what happens next. */
export function postponed(message: string, data: JsonValue): CallToolResult {
  return { content: [{ type: 'text', text: message }], ...structured(data) };
}

function structured(value: JsonValue | undefined): Pick<CallToolResult, 'structuredContent'> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { structuredContent: value } : {};
}

function contentOf(
  piece: { readonly [field: string]: unknown },
  images: ResultImages,
): CallToolResult['content'][number] {
  const image = asToolImage(piece);
  const data = image && images.read(image.url);
  if (image && data) return { type: 'image', data, mimeType: image.mediaType };
  return { type: 'text', text: typeof piece['text'] === 'string' ? piece['text'] : '' };
}
