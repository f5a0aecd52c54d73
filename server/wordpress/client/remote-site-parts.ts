import { z } from 'zod';
import { textFromHtml, timeFromGmt } from '#server/wordpress/client/remote-entry';
import { decodeEntities } from '#server/markup/html-tree';

/** A menu of a block theme (`wp_navigation`). */
export interface RemoteNavigation {
  readonly remoteId: number;
  readonly title: string;
  readonly status: 'publish' | 'draft';
  /** Markup of `core/navigation-link`, `core/navigation-submenu`, `core/page-list`, ... blocks. */
  readonly contentRaw: string;
  readonly modifiedGmt: number;
}

export interface RemoteNavigationFields {
  readonly title?: string | undefined;
  readonly status?: 'publish' | 'draft' | undefined;
  readonly contentRaw?: string | undefined;
}

export const navigationAnswerSchema = z.object({
  id: z.number().int().positive(),
  status: z.string(),
  title: z.object({ raw: z.string().default('') }).optional(),
  content: z.object({ raw: z.string().default('') }).optional(),
  modified_gmt: z.string().nullish(),
});

export function navigationFromAnswer(answer: z.infer<typeof navigationAnswerSchema>): RemoteNavigation {
  return {
    remoteId: answer.id,
    title: textFromHtml(answer.title?.raw ?? ''),
    status: answer.status === 'publish' ? 'publish' : 'draft',
    contentRaw: answer.content?.raw ?? '',
    modifiedGmt: timeFromGmt(answer.modified_gmt) ?? 0,
  };
}

/** Settings of the site itself. */
export interface RemoteSettings {
  /** Plain text. */
  readonly title: string;
  /** The tagline, plain text. */
  readonly description: string;
  /** `posts`: the newest posts; `page`: the page `pageOnFront`. */
  readonly showOnFront: 'posts' | 'page';
  /** Null: none. */
  readonly pageOnFront: number | null;
  readonly pageForPosts: number | null;
}

/** Answer of /wp/v2/settings. Before WordPress 6.0 there is nothing about the front page. */
export const settingsAnswerSchema = z.object({
  title: z.string().default(''),
  description: z.string().default(''),
  show_on_front: z.string().default('posts'),
  page_on_front: z.number().int().nonnegative().default(0),
  page_for_posts: z.number().int().nonnegative().default(0),
});

export function settingsFromAnswer(answer: z.infer<typeof settingsAnswerSchema>): RemoteSettings {
  return {
    title: decodeEntities(answer.title),
    description: decodeEntities(answer.description),
    showOnFront: answer.show_on_front === 'page' ? 'page' : 'posts',
    pageOnFront: answer.page_on_front || null,
    pageForPosts: answer.page_for_posts || null,
  };
}

export function bodyFromSettings(settings: Partial<RemoteSettings>): Record<string, string | number> {
  const { title, description, showOnFront, pageOnFront, pageForPosts } = settings;
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(showOnFront !== undefined && { show_on_front: showOnFront }),
    ...(pageOnFront !== undefined && { page_on_front: pageOnFront ?? 0 }),
    ...(pageForPosts !== undefined && { page_for_posts: pageForPosts ?? 0 }),
  };
}

/** The user of the connection. */
export interface RemoteUser {
  readonly remoteId: number;
  readonly name: string;
  /** Names of what they may do: `publish_pages`, `manage_options`, ... */
  readonly capabilities: ReadonlySet<string>;
}

/** Answer of /wp/v2/users/me with `context=edit`. */
export const userAnswerSchema = z.object({
  id: z.number().int().positive(),
  name: z.string().default(''),
  username: z.string().default(''),
  capabilities: z.record(z.string(), z.unknown()).or(z.array(z.unknown()).transform(() => ({}))),
});

export function userFromAnswer(answer: z.infer<typeof userAnswerSchema>): RemoteUser {
  const granted = Object.entries(answer.capabilities as Record<string, unknown>).filter(([, has]) => has === true);
  return {
    remoteId: answer.id,
    name: decodeEntities(answer.name || answer.username),
    capabilities: new Set(granted.map(([name]) => name)),
  };
}

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
  /** Addresses of the original and of the sizes that WordPress made of it: content may use any of them. */
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
