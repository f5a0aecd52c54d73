import type { EntryType } from '#server/core/site/content';

/** Version of a page in the preview: its draft, or what visitors see. */
export type PreviewMode = 'draft' | 'published';

type Roots = Readonly<Record<PreviewMode, string>>;
const roots: Roots = { draft: '/preview', published: '/site' };

/** Address prefixes of one of several sites. @param isStandard visitors see it below `/site` */
export function rootsOf(siteId: string | null, isStandard: boolean): Roots {
  if (siteId === null) return roots;
  return {
    draft: `${roots.draft}/~${siteId}`,
    published: isStandard ? roots.published : `${roots.published}/~${siteId}`,
  };
}

/** Posts are below this segment of the site, as `POSTS_SEGMENT` in server/core/addresses. */
const POSTS_FOLDER = 'blog';

/**
 * The path of an entry: `/pricing`, `/blog/first-firing`, `/` for the home page. For a page below another page it
 * redirects to the full path.
 */
export function entryPath(entry: { readonly type: EntryType; readonly slug: string }, homeSlug: string): string {
  if (entry.type === 'post') return `/${POSTS_FOLDER}/${encodeURIComponent(entry.slug)}`;
  return entry.slug === homeSlug ? '/' : `/${encodeURIComponent(entry.slug)}`;
}

/**
 * Address of a site path as draft or as published page.
 * @param point id of a change: shows the drafts right after it
 * @param of address prefixes of the site. Default: those of an installation with one site
 */
export function previewHref(path: string, mode: PreviewMode, point: string | null = null, of = roots): string {
  const address = path === '/' ? of[mode] : `${of[mode]}${path}`;
  return point === null ? address : `${address}?at=${encodeURIComponent(point)}`;
}

/** A site path decoded for display; a badly encoded path is returned unchanged. */
export function readablePath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** The site path at a browser address; null for an address outside the site. */
export function sitePathOf(pathname: string): string | null {
  const [, path] = /^\/(?:preview|site|look\/page)(?:\/~[^/]+)?(\/.*)?$/.exec(pathname) ?? [null, null];
  return path === null ? null : (path ?? '/');
}

/** The entry among `entries` that is at a site path. */
export function entryAt<T extends { readonly path: string }>(path: string, entries: readonly T[]): T | undefined {
  return entries.find((entry) => entry.path === path);
}

/** Type and slug of the page at a site path. */
export function entryRefAt(path: string, homeSlug: string): { readonly type: EntryType; readonly slug: string } {
  const [first = '', ...rest] = readablePath(path).split('/').filter(Boolean);
  if (first === POSTS_FOLDER && rest.length > 0) return { type: 'post', slug: rest.at(-1) ?? '' };
  return { type: 'page', slug: rest.at(-1) ?? (first === '' ? homeSlug : first) };
}
