/** Where one version of the site lives: the published one, or the drafts. */
export type SiteRoot = '/site' | '/preview';

const FILE = /\.[a-z0-9]+$/i;

/**
 * A link of the content as an address below `root`: `/pricing` becomes `/site/pricing` or `/preview/pricing`. Files
 * (`/images/a.svg`), anchors and other sites stay as they are.
 */
export function siteHref(href: string, root: SiteRoot): string {
  if (!href.startsWith('/') || href.startsWith('//')) return href;
  const path = href.replace(/^\/(?:site|preview)(?=[/?#]|$)/, '');
  const [place = ''] = path.split(/[?#]/, 1);
  if (FILE.test(place)) return href;
  return path === '' || path === '/' ? root : `${root}${path}`;
}
