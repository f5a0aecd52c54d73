import type { EntryType } from '#server/core/content';

export type PreviewMode = 'draft' | 'published';

const roots: Record<PreviewMode, string> = { draft: '/preview', published: '/site' };
const POSTS_FOLDER = 'blog';

/** Path of an entry below the site's root: `/pricing`, `/blog/first-firing`, `/` for the home page. */
export function entryPath(entry: { readonly type: EntryType; readonly slug: string }, homeSlug: string): string {
  if (entry.type === 'post') return `/${POSTS_FOLDER}/${encodeURIComponent(entry.slug)}`;
  return entry.slug === homeSlug ? '/' : `/${encodeURIComponent(entry.slug)}`;
}

/** Address of a site path in one of its two versions. */
export function previewHref(path: string, mode: PreviewMode): string {
  return path === '/' ? roots[mode] : `${roots[mode]}${path}`;
}

/** The site path shown at a browser address, or null for an address outside the site. */
export function sitePathOf(pathname: string): string | null {
  for (const root of Object.values(roots)) {
    if (pathname === root || pathname === `${root}/`) return '/';
    if (pathname.startsWith(`${root}/`)) return pathname.slice(root.length);
  }
  return null;
}

/** The entry among `entries` that is served at a site path. */
export function entryAt<T extends { readonly type: EntryType; readonly slug: string }>(
  path: string,
  entries: readonly T[],
  homeSlug: string,
): T | undefined {
  return entries.find((entry) => entryPath(entry, homeSlug) === path);
}
