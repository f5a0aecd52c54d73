import { z } from 'zod';
import type { Shape } from '#server/core/shapes';
import { decodeEntities, textFromHtml } from '#server/markup/entities';
import { timeFromGmt } from '#server/wordpress/client/remote-entry';

/* Parts of a site in our words, each read from an answer of the REST API. Plugins leave fields out and add others. */

const id = z.number().int().positive();
const pageId = z.number().int().nonnegative().default(0);

/** Settings of the site itself, from /wp/v2/settings. Before WordPress 6.0 there is nothing about the front page. */
export const settingsSchema = z
  .object({
    title: z.string().default(''),
    description: z.string().default(''),
    show_on_front: z.string().default('posts'),
    page_on_front: pageId,
  })
  .transform((answer) => ({
    /** Plain text. */
    title: decodeEntities(answer.title),
    /** The tagline, plain text. */
    description: decodeEntities(answer.description),
    /** `posts`: the newest posts; `page`: the page `pageOnFront`. */
    showOnFront: answer.show_on_front === 'page' ? ('page' as const) : ('posts' as const),
    /** Null: none. */
    pageOnFront: answer.page_on_front || null,
  }));
export type RemoteSettings = Readonly<z.infer<typeof settingsSchema>>;

export function bodyFromSettings(settings: Partial<RemoteSettings>): Record<string, string | number> {
  const { title, description, showOnFront, pageOnFront } = settings;
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(showOnFront !== undefined && { show_on_front: showOnFront }),
    ...(pageOnFront !== undefined && { page_on_front: pageOnFront ?? 0 }),
  };
}

/** The user of the connection, from /wp/v2/users/me with `context=edit`. */
export const userSchema = z
  .object({
    name: z.string().default(''),
    username: z.string().default(''),
    capabilities: z.record(z.string(), z.unknown()).or(z.array(z.unknown()).transform(() => ({}))),
  })
  .transform(({ name, username, capabilities }) => ({
    name: decodeEntities(name || username),
    /** Names of the user's rights: `publish_pages`, `manage_options`, ... */
    capabilities: new Set(
      Object.entries(capabilities as Record<string, unknown>)
        .filter(([, has]) => has === true)
        .map(([capability]) => capability),
    ),
  }));

/** PHP writes an empty list where an object would be empty. */
const emptyListAsObject = (value: unknown) => (Array.isArray(value) ? {} : value);
const count = z.coerce.number().nonnegative().catch(0);

/** A picture of WordPress's media library, from /wp/v2/media with `context=edit`. */
export const mediaSchema = z
  .object({
    id,
    alt_text: z.string().default(''),
    mime_type: z.string().default(''),
    source_url: z.string(),
    date_gmt: z.string().nullish(),
    modified_gmt: z.string().nullish(),
    media_details: z
      .preprocess(emptyListAsObject, z.object({ width: count, height: count, filesize: count }))
      .catch({ width: 0, height: 0, filesize: 0 }),
  })
  .transform(({ source_url: sourceUrl, media_details: details, ...answer }) => ({
    remoteId: answer.id,
    /** Plain text; empty: none. */
    alt: textFromHtml(answer.alt_text),
    /** Last part of its address. */
    filename: sourceUrl.split('/').at(-1) ?? '',
    mediaType: answer.mime_type,
    /** Address of the bytes; of a picture that WordPress made smaller, of the smaller one. */
    sourceUrl,
    /** Pixels; null: WordPress has not measured it. */
    width: details.width || null,
    height: details.height || null,
    /** Bytes; null: WordPress does not say. */
    size: details.filesize || null,
    modifiedGmt: timeFromGmt(answer.modified_gmt) ?? 0,
    /** Epoch milliseconds. */
    dateGmt: timeFromGmt(answer.date_gmt),
  }));
export type RemoteMedia = Readonly<z.infer<typeof mediaSchema>>;

/** A comment, and who sees it. */
export const remoteCommentSchema = z.object({
  id: z.number(),
  status: z.enum(['approved', 'hold', 'spam', 'trash']),
});
export type RemoteComment = Shape<typeof remoteCommentSchema>;
