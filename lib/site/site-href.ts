/** Where one version of the site lives: the published one, or the drafts. */
export type SiteRoot = '/site' | '/preview';

const FILE = /\.[a-z0-9]+$/i;
const ASSET = /^\/media\/[^/?#]/;

/**
 * A link of the content as an address below `root`: `/pricing` becomes `/site/pricing` or `/preview/pricing`. Files
 * (`/images/a.svg`, `/media/...`), anchors and other sites stay as they are.
 */
export function siteHref(href: string, root: SiteRoot): string {
  if (!href.startsWith('/') || href.startsWith('//')) return href;
  const path = href.replace(/^\/(?:site|preview)(?=[/?#]|$)/, '');
  const [place = ''] = path.split(/[?#]/, 1);
  if (FILE.test(place) || ASSET.test(href)) return href;
  return path === '' || path === '/' ? root : `${root}${path}`;
}

/** A path of the site below `root`, whatever it begins with: a page may be called "Preview". `/` is the root itself. */
export function siteAddress(path: string, root: SiteRoot): string {
  return path === '/' ? root : `${root}${path}`;
}
