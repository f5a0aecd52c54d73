import { z } from 'zod';
import { timeFromGmt } from '#server/content/wordpress/client/remote-entry';
import { textFromHtml } from '#server/content/wordpress/client/remote-text';

/** A picture of WordPress's media library. */
export interface RemoteMedia {
  readonly remoteId: number;
  readonly title: string;
  /** Plain text; empty: none. */
  readonly alt: string;
  /** Last part of its address. */
  readonly filename: string;
  readonly mediaType: string;
  /** Address of the bytes; of one that WordPress made smaller, of the smaller one. */
  readonly sourceUrl: string;
  /** Addresses of the sizes that WordPress made of it, and of the original: what may stand in content. */
  readonly urls: readonly string[];
  /** Pixels; null: WordPress has not looked. */
  readonly width: number | null;
  readonly height: number | null;
  /** Bytes; null: WordPress does not tell. */
  readonly size: number | null;
  readonly modifiedGmt: number;
  /** Epoch milliseconds. */
  readonly dateGmt: number | null;
}

export interface RemoteMediaFields {
  readonly alt?: string | undefined;
  readonly title?: string | undefined;
}

/** PHP writes an empty list where an object would be empty. */
const emptyListAsObject = (value: unknown) => (Array.isArray(value) ? {} : value);
const count = z.coerce.number().nonnegative().catch(0);

/** Answer of /wp/v2/media with `context=edit`. */
export const mediaAnswerSchema = z.object({
  id: z.number().int().positive(),
  title: z.object({ raw: z.string().default('') }).optional(),
  alt_text: z.string().default(''),
  mime_type: z.string().default(''),
  source_url: z.string(),
  date_gmt: z.string().nullish(),
  modified_gmt: z.string().nullish(),
  media_details: z
    .preprocess(
      emptyListAsObject,
      z.object({
        width: count,
        height: count,
        filesize: count,
        original_image: z.string().optional(),
        sizes: z
          .preprocess(emptyListAsObject, z.record(z.string(), z.object({ source_url: z.string().optional() })))
          .optional(),
      }),
    )
    .catch({ width: 0, height: 0, filesize: 0 }),
});

export function mediaFromAnswer(answer: z.infer<typeof mediaAnswerSchema>): RemoteMedia {
  const { source_url: sourceUrl, media_details: details } = answer;
  const sizes = Object.values(details.sizes ?? {}).flatMap((size) => size.source_url ?? []);
  const original = details.original_image === undefined ? [] : [new URL(details.original_image, sourceUrl).href];
  return {
    remoteId: answer.id,
    title: textFromHtml(answer.title?.raw ?? ''),
    alt: textFromHtml(answer.alt_text),
    filename: sourceUrl.split('/').at(-1) ?? '',
    mediaType: answer.mime_type,
    sourceUrl,
    urls: [...new Set([sourceUrl, ...original, ...sizes])],
    width: details.width || null,
    height: details.height || null,
    size: details.filesize || null,
    modifiedGmt: timeFromGmt(answer.modified_gmt) ?? 0,
    dateGmt: timeFromGmt(answer.date_gmt),
  };
}
