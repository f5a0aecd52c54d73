import { isDeepStrictEqual } from 'node:util';
import type { CallToolResult } from '@ai-sdk/mcp';
import { type JsonValue, jsonValueSchema } from '#server/core/json';
import { type RichPart, richResult, type RichToolResult } from '#server/core/tool-result';

interface Content {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** What a server answered, in our words. Nothing of it is checked here: every result passes one sanitizer. */
export function toRichResult(result: CallToolResult): RichToolResult {
  const {
    content,
    structuredContent,
    toolResult,
    isError = false,
  } = result as {
    content?: readonly Content[];
    structuredContent?: unknown;
    toolResult?: unknown;
    isError?: boolean;
  };
  const parsed = jsonValueSchema.safeParse(structuredContent ?? toolResult);
  const structured = parsed.success ? parsed.data : undefined;
  const parts = (content ?? []).filter((part) => !says(part, structured)).map(toPart);
  return richResult(parts, { structured, isError });
}

/** Servers send structured data a second time, as a text for clients that do not know it. */
function says(part: Content, structured: JsonValue | undefined): boolean {
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
