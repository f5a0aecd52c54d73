import type { RichPart } from '#server/core/conversation/tool-result';
import { asToolImage } from '#server/core/conversation/part-types/tool-output';

/** Reads a piece of a tool output that was recorded elsewhere, in the formats of the AI SDK and of MCP. */
export function recordedOutputPart(piece: { readonly type: string; readonly [field: string]: unknown }): RichPart {
  const { type } = piece;
  if (type === 'text' && typeof piece['text'] === 'string') return { type: 'text', text: piece['text'] };
  const own = asToolImage(piece);
  const mediaType = firstText(piece['mediaType'], piece['mimeType'], own?.mediaType) ?? 'application/octet-stream';
  const filename = firstText(piece['filename']);
  const data = encodedData(piece['data']) ?? encodedUrl(piece['url']);
  if (data !== null) return { type: 'image', data, mediaType, ...(filename !== undefined && { filename }) };
  const uri = firstText(piece['url'], fieldOf(piece['data'], 'url'), piece['uri']);
  if (uri !== undefined && !uri.startsWith('data:')) return { type: 'resource', uri, mediaType };
  return { type: 'text', text: JSON.stringify(piece) };
}

function encodedUrl(url: unknown): Buffer | null {
  return typeof url === 'string' && url.startsWith('data:') ? encodedData(url) : null;
}

function encodedData(data: unknown): Buffer | null {
  const encoded = typeof data === 'string' ? data : fieldOf(data, 'data');
  if (typeof encoded !== 'string') return null;
  const head = /^data:[^,]{0,200};base64,/.exec(encoded)?.[0] ?? '';
  return /^(https?:|@)/.test(encoded) ? null : Buffer.from(encoded.slice(head.length), 'base64');
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}
