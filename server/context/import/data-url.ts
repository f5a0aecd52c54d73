import { z } from 'zod';

/** Where a file may be: on the web, or in the address itself. */
export const fileUrlSchema = z.string().regex(/^(https?:\/\/|data:)/i, 'must be an http(s) or data: URL');

/** A URL stays; anything else is base64 and becomes a `data:` URL. */
export function toDataUrl(data: string, mediaType: string): string {
  return /^(data:|https?:\/\/)/.test(data) ? data : `data:${mediaType};base64,${data}`;
}

/** The media type that a `data:` URL names, or a general one. */
export function mediaTypeOf(url: string, fallback: string): string {
  return /^data:([^;,]+)/.exec(url)?.[1] ?? fallback;
}
