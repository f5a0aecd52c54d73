const FILE = /\.[a-z0-9]+$/i;
const ASSET = /^\/media\/([^/?#]+)(?:[/?#]|$)/;

/**
 * The path of the site that a link of the content leads to (`/pricing/#plans` gives `/pricing`). Null for files,
 * anchors and other sites.
 */
export function linkedPath(href: string): string | null {
  if (!href.startsWith('/') || /^\/[/\\]/.test(href)) return null;
  const [place = ''] = href.replace(/^\/(?:site|preview)(?=[/?#]|$)/, '').split(/[?#]/, 1);
  if (FILE.test(place) || ASSET.test(href)) return null;
  return place === '' ? '/' : place;
}

/** The id of the asset that an address shows; null for all else. */
export function linkedAsset(href: string): string | null {
  return ASSET.exec(href)?.[1] ?? null;
}
