import { lookRoots } from '#server/core/cms-look';
import type { EntryType } from '#server/core/content';

export type PreviewMode = 'draft' | 'published';

const roots: Record<PreviewMode, string> = { draft: '/preview', published: '/site' };
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
 */
export function previewHref(path: string, mode: PreviewMode, point: string | null = null): string {
  const address = path === '/' ? roots[mode] : `${roots[mode]}${path}`;
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
  for (const root of [...Object.values(roots), lookRoots.pages]) {
    if (pathname === root || pathname === `${root}/`) return '/';
    if (pathname.startsWith(`${root}/`)) return pathname.slice(root.length);
  }
  return null;
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
