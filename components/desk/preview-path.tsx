import type { EntryType } from '#server/core/content';

export type PreviewMode = 'draft' | 'published';

type Roots = Readonly<Record<PreviewMode, string>>;
const roots: Roots = { draft: '/preview', published: '/site' };

/** Beginnings of the addresses of one site of several. @param isStandard visitors see it below `/site` */
export function rootsOf(siteId: string | null, isStandard: boolean): Roots {
  if (siteId === null) return roots;
  return {
    draft: `${roots.draft}/~${siteId}`,
    published: isStandard ? roots.published : `${roots.published}/~${siteId}`,
  };
}
const POSTS_FOLDER = 'blog';

/**
 * A path that leads to an entry: `/pricing`, `/blog/first-firing`, `/` for the home page. A page below another is led on
 * from there to its own path.
 */
export function entryPath(entry: { readonly type: EntryType; readonly slug: string }, homeSlug: string): string {
  if (entry.type === 'post') return `/${POSTS_FOLDER}/${encodeURIComponent(entry.slug)}`;
  return entry.slug === homeSlug ? '/' : `/${encodeURIComponent(entry.slug)}`;
}

/**
 * Address of a site path in one of its two versions.
 * @param point id of a change: drafts as they were right after it
 * @param of beginnings of the addresses of the site. Default: there is one site
 */
export function previewHref(path: string, mode: PreviewMode, point: string | null = null, of = roots): string {
  const address = path === '/' ? of[mode] : `${of[mode]}${path}`;
  return point === null ? address : `${address}?at=${encodeURIComponent(point)}`;
}

/** A site path as people read it; one that is not encoded well stays as it is. */
export function readablePath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** The site path shown at a browser address, or null for an address outside the site. */
export function sitePathOf(pathname: string): string | null {
  const [, path] = /^\/(?:preview|site|look\/page)(?:\/~[^/]+)?(\/.*)?$/.exec(pathname) ?? [null, null];
  return path === null ? null : (path ?? '/');
}

/** The entry among `entries` that is served at a site path. */
export function entryAt<T extends { readonly path: string }>(path: string, entries: readonly T[]): T | undefined {
  return entries.find((entry) => entry.path === path);
}

/** Type and slug of the page at a site path. */
export function entryRefAt(path: string, homeSlug: string): { readonly type: EntryType; readonly slug: string } {
  const [first = '', ...rest] = readablePath(path).split('/').filter(Boolean);
  if (first === POSTS_FOLDER && rest.length > 0) return { type: 'post', slug: rest.at(-1) ?? '' };
  return { type: 'page', slug: rest.at(-1) ?? (first === '' ? homeSlug : first) };
}
