import { z } from 'zod';
import type { NewMessage } from '#server/core/conversation/messages';

/** A conversation from another source, converted to our messages. */
export interface ImportedMessages {
  /** In order. Calls without results are stored unchanged; the view repairs them. */
  readonly messages: NewMessage[];
  /** System messages, joined: they become the session's instructions. */
  readonly instructions: string | null;
}

/** Converts messages one by one: each yields our messages or system text. */
export function importEach<T>(
  input: readonly T[],
  read: (message: T) => string | readonly NewMessage[],
): ImportedMessages {
  const all = input.map(read);
  const system = all.filter((each) => typeof each === 'string');
  const messages = all.flatMap((each) => (typeof each === 'string' ? [] : each));
  return { messages, instructions: system.length === 0 ? null : system.join('\n\n') };
}

/** URL of a file: a web address or a `data:` URL. */
export const fileUrlSchema = z.string().refine(isFileUrl, 'must be an http(s) or data: URL');

/** Long URLs are not parsed: their content is checked where it is read. */
function isFileUrl(url: string): boolean {
  return /^data:[^,]{0,200},./i.test(url) || (/^https?:\/\//i.test(url) && URL.canParse(url));
}

/** Keeps a URL unchanged; anything else is base64 and becomes a `data:` URL. */
export function toDataUrl(data: string, mediaType: string): string {
  return /^(data:|https?:\/\/)/.test(data) ? data : `data:${mediaType};base64,${data}`;
}

/** The media type in a `data:` URL, or the fallback. */
export function mediaTypeOf(url: string, fallback: string): string {
  return /^data:([^;,]+)/.exec(url)?.[1] ?? fallback;
}
