import { isReadableAddress } from '#server/core/addresses';

/**
 * Path below which this server shows one version of a site: `/preview` for drafts, `/site` for published pages, empty
 * on the site's own host. If the server has several sites, the id of the site follows: `/preview/~wps_…`.
 */
export type SiteRoot = `/site${string}` | `/preview${string}` | '';

/** True if the root shows drafts. */
export function isDraftRoot(root: SiteRoot): boolean {
  return root.startsWith('/preview');
}

/** End of a path with a file name extension. */
const FILE = /\.[a-z0-9]+$/i;
const ASSET = /^\/media\/[^/?#]/;

/**
 * A link of the content as an address below `root`: `/pricing` becomes `/site/pricing` or `/preview/pricing`. Files
 * (`/images/a.svg`, `/media/...`), anchors and other sites stay unchanged.
 * @returns undefined for an address that no browser can parse: its element is shown without a link
 */
export function siteHref(href: string, root: SiteRoot): string | undefined {
  if (!isReadableAddress(href)) return undefined;
  if (!href.startsWith('/') || href.startsWith('//')) return href;
  const path = href.replace(/^\/(?:site|preview)(?:\/~[^/?#]*)?(?=[/?#]|$)/, '');
  const [place = ''] = path.split(/[?#]/, 1);
  if (FILE.test(place) || ASSET.test(href)) return href;
  return siteAddress(path === '' ? '/' : path, root);
}

/**
 * Address of a page below `root`; `/` is the root itself. Unlike siteHref, it does not remove `/preview` or `/site` at
 * the beginning of the path, because a page may be called "Preview".
 */
export function siteAddress(path: string, root: SiteRoot): string {
  return path === '/' ? root || '/' : `${root}${path}`;
}
