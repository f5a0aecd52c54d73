import type { CallToolResult } from '@modelcontextprotocol/server';
import { blobIdOf } from '#server/core/conversation/part-types/blobs';
import { isJsonObject, type JsonObject, type JsonValue } from '#server/core/json';
import { asToolImage, type ToolOutput } from '#server/core/conversation/part-types/tool-output';
import { prepareImage } from '#server/site/media/prepare-picture';
import type { KeepFile } from '#server/site/media/sanitize-tool-result';
import { sniffFile } from '#server/site/media/sniff-file';

/* Results of calls in the format of the Model Context Protocol. */

/** The images of one result, in memory until the result is sent. */
export class ResultImages {
  readonly #data = new Map<string, Uint8Array>();

  /** Prepares and stores an image of the result. */
  readonly keep: KeepFile = async (bytes, filename) => {
    const { mediaType } = await sniffFile(bytes, filename);
    const { data, width, height } = await prepareImage(bytes, mediaType);
    const id = `image-${this.#data.size}`;
    this.#data.set(id, data);
    return { id, sessionId: '', mediaType, filename, size: data.length, width, height, createdAt: 0 };
  };

  /** An image as base64; null if no image has this URL. */
  read(url: string): string | null {
    const data = this.#data.get(blobIdOf(url) ?? '');
    return data ? Buffer.from(data).toString('base64') : null;
  }
}

/** Converts a tool's output. JSON is sent twice: as text for models and as data for programs. */
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

/** The result of a call that was refused or failed. */
export function refused(message: string, data?: JsonObject): CallToolResult {
  return { content: [{ type: 'text', text: message }], isError: true, ...withMessage(message, data) };
}

/** The result of a call that waits for approval. */
export function postponed(message: string, data: JsonObject): CallToolResult {
  return { content: [{ type: 'text', text: message }], ...withMessage(message, data) };
}

/**
 * A result of a tool with an output schema, which must have structured content (MCP 2025-11-25, server/tools, "Output
 * Schema"): a result that was cut, and therefore is only text, holds it as `message`.
 */
export function withStructure(result: CallToolResult): CallToolResult {
  const [first] = result.content;
  if (result.isError === true || result.structuredContent !== undefined || first?.type !== 'text') return result;
  return { ...result, structuredContent: { message: first.text } };
}

type StructuredContent = Pick<CallToolResult, 'structuredContent'>;

/**
 * The sentence and the fields as structured content. Some clients give the model nothing else (Claude Code, Qwen Code,
 * Mastra), although the text of a result is equivalent by the protocol (2025-11-25, server/tools, "Structured Content").
 */
function withMessage(message: string, data: JsonObject | undefined): StructuredContent {
  return data === undefined ? {} : { structuredContent: { message, ...data } };
}

function structured(value: JsonValue): StructuredContent {
  return isJsonObject(value) ? { structuredContent: value } : {};
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
