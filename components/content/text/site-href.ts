import type { CSSProperties } from 'react';
import type { EntryDocument } from '#server/core/content';
import type { FormState } from '#server/core/site-forms';
import type { PictureFacts } from '#server/core/pictures';

/**
 * Root of one version of a site: drafts, or published pages, which are at the root of a host of their own, too. Behind it,
 * where there are several, the name of the site: `/preview/~wps_…`.
 */
export type SiteRoot = `/site${string}` | `/preview${string}` | '';

/** Tells whether drafts are shown. */
export function isDraftRoot(root: SiteRoot): boolean {
  return root.startsWith('/preview');
}

const FILE = /\.[a-z0-9]+$/i;
const ASSET = /^\/media\/[^/?#]/;

/**
 * A link of the content as an address below `root`: `/pricing` becomes `/site/pricing` or `/preview/pricing`. Files
 * (`/images/a.svg`, `/media/...`), anchors and other sites stay as they are.
 */
export function siteHref(href: string, root: SiteRoot): string {
  if (!href.startsWith('/') || href.startsWith('//')) return href;
  const path = href.replace(/^\/(?:site|preview)(?:\/~[^/?#]*)?(?=[/?#]|$)/, '');
  const [place = ''] = path.split(/[?#]/, 1);
  if (FILE.test(place) || ASSET.test(href)) return href;
  return siteAddress(path === '' ? '/' : path, root);
}

/** A path of the site below `root`, whatever it begins with: a page may be called "Preview". `/` is the root itself. */
export function siteAddress(path: string, root: SiteRoot): string {
  return path === '/' ? root || '/' : `${root}${path}`;
}

/** A post as lists show it. */
export interface SitePost {
  readonly id: string;
  readonly document: Omit<EntryDocument, 'sections'>;
  /** Epoch milliseconds; null while it was never published. */
  readonly publishedAt: number | null;
}

/** Facts about the site that sections need. */
export interface SiteContext {
  readonly root: SiteRoot;
  /** All posts, newest first. */
  readonly posts: readonly SitePost[];
  /** Pictures of the library that the page shows, by their ids. */
  readonly pictures: Readonly<Record<string, PictureFacts>>;
  /** Data for sending forms; null: visitors' own mail programs send them to `contactEmail`. */
  readonly forms: SiteForms | null;
  /** Id of the page shown. */
  readonly entryId: string;
  /** Address that people may write to; empty: there is none. */
  readonly contactEmail: string;
}

/** Data for sending a page's forms. */
export interface SiteForms {
  /** Origin of the server that takes them; empty: the one that the page is from. */
  readonly origin: string;
  /** Time the page was made, epoch milliseconds, or its placeholder until it is sent. */
  readonly opened: string;
  /** Outcome of a form that was sent. */
  readonly state?: FormState | undefined;
}

/** Relative luminance of `#rrggbb` (WCAG 2), 0 to 1. */
function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Luminance at which white and near-black text have the same contrast to a background. */
const EVEN_LUMINANCE = 0.183;

/** The accent colour and a text colour that can be read on it, as CSS variables. */
export function accentStyle(accentColor: string): CSSProperties {
  const ink = luminance(accentColor) > EVEN_LUMINANCE ? '#161310' : '#ffffff';
  return { '--site-accent': accentColor, '--site-accent-ink': ink } as CSSProperties;
}
