import { isDeepStrictEqual } from 'node:util';
import { type JsonValue, jsonValueSchema } from '#server/core/json';
import { type RichPart, richResult, type RichToolResult } from '#server/core/conversation/tool-result';
import type { McpResult } from '#server/integrations/mcp-client/connection';

/** A piece of the content of a result, as its server sent it. */
interface Content {
  readonly type: string;
  readonly [field: string]: unknown;
}

/**
 * Converts the result of a tool server to ours. Its texts and pictures are not checked here: every result of a tool passes
 * the same sanitizer later (server/site/media/sanitize-tool-result).
 */
export function toRichResult(result: McpResult): RichToolResult {
  const {
    content,
    structuredContent,
    toolResult,
    isError = false,
  } = result as {
    content?: unknown;
    structuredContent?: unknown;
    toolResult?: unknown;
    isError?: boolean;
  };
  const parsed = jsonValueSchema.safeParse(structuredContent ?? toolResult);
  const structured = parsed.success ? parsed.data : undefined;
  const parts = contentOf(content)
    .filter((part) => !repeats(part, structured))
    .map(toPart);
  return richResult(parts, { structured, isError });
}

/** The parts of a result; some servers send a text, or a single part, instead of a list. */
function contentOf(content: unknown): Content[] {
  const list: readonly unknown[] = Array.isArray(content) ? content : [content ?? []].flat();
  return list.flatMap((part): Content[] => {
    if (typeof part === 'string') return [{ type: 'text', text: part }];
    const isPart = typeof part === 'object' && part !== null && typeof (part as Content).type === 'string';
    return isPart ? [part as Content] : [];
  });
}

/** True for a text that repeats the structured data; servers add it for older clients. */
function repeats(part: Content, structured: JsonValue | undefined): boolean {
  if (structured === undefined || part.type !== 'text') return false;
  try {
    return isDeepStrictEqual(JSON.parse(String(part['text'])), structured);
  } catch {
    return false;
  }
}

function toPart(content: Content): RichPart {
  const { type } = content;
  const { text, data, mimeType, resource } = content;
  if (type === 'text' && typeof text === 'string') return { type: 'text', text };
  if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string') return toImage(data, mimeType);
  if (type === 'resource_link') return toResource(content, linkTitle(content));
  if (type === 'resource' && typeof resource === 'object' && resource !== null) return toEmbedded(resource as Content);
  return { type: 'other', kind: typeof mimeType === 'string' ? `${type} (${mimeType})` : type };
}

function toImage(data: string, mediaType: string): RichPart {
  return { type: 'image', data: Buffer.from(data, 'base64'), mediaType };
}

function toEmbedded(resource: Content): RichPart {
  const { blob, mimeType, uri } = resource;
  if (typeof blob !== 'string') return toResource(resource);
  if (typeof mimeType === 'string' && mimeType.startsWith('image/')) return toImage(blob, mimeType);
  return {
    type: 'other',
    kind: `binary resource ${String(uri)}${typeof mimeType === 'string' ? ` (${mimeType})` : ''}`,
  };
}

function toResource({ uri, mimeType, text }: Content, title?: string): RichPart {
  return {
    type: 'resource',
    uri: String(uri),
    ...(typeof mimeType === 'string' && { mediaType: mimeType }),
    ...(title !== undefined && { title }),
    ...(typeof text === 'string' && { text }),
  };
}

function linkTitle({ title, name, description }: Content): string {
  const called = typeof title === 'string' ? title : String(name);
  return typeof description === 'string' ? `${called}: ${description}` : called;
}
