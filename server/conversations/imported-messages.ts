import { z } from 'zod';
import type { NewMessage } from '#server/core/messages';

/** A conversation from elsewhere, as messages of ours. */
export interface ImportedMessages {
  /** In order. Calls without results stay as they are: the view repairs them, the store keeps what came. */
  readonly messages: NewMessage[];
  /** System messages, joined: they become the session's own instructions. */
  readonly instructions: string | null;
}

/** Reads messages one by one: each is messages of ours, or system text. */
export function importEach<T>(
  input: readonly T[],
  read: (message: T) => string | readonly NewMessage[],
): ImportedMessages {
  const all = input.map(read);
  const system = all.filter((each) => typeof each === 'string');
  const messages = all.flatMap((each) => (typeof each === 'string' ? [] : each));
  return { messages, instructions: system.length === 0 ? null : system.join('\n\n') };
}

/** Address of a file: on the web, or with the data in itself. */
export const fileUrlSchema = z.string().refine(isFileUrl, 'must be an http(s) or data: URL');

/** Long addresses are not parsed: what they hold is looked at where it is read. */
function isFileUrl(url: string): boolean {
  return /^data:[^,]{0,200},./i.test(url) || (/^https?:\/\//i.test(url) && URL.canParse(url));
}

/** A URL stays; anything else is base64 and becomes a `data:` URL. */
export function toDataUrl(data: string, mediaType: string): string {
  return /^(data:|https?:\/\/)/.test(data) ? data : `data:${mediaType};base64,${data}`;
}

/** The media type that a `data:` URL names, or a general one. */
export function mediaTypeOf(url: string, fallback: string): string {
  return /^data:([^;,]+)/.exec(url)?.[1] ?? fallback;
}

/** The bytes that a `data:` URL carries; null for any other address, and for one that is damaged. */
export function bytesOf(url: string): Buffer | null {
  const head = /^data:[^,]{0,200},/i.exec(url)?.[0];
  if (head === undefined) return null;
  const data = url.slice(head.length);
  if (/;base64,$/i.test(head)) return Buffer.from(data, 'base64');
  try {
    return Buffer.from(decodeURIComponent(data));
  } catch {
    return null;
  }
}
