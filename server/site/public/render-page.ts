import { OPENED_PLACEHOLDER } from '#server/core/site/site-forms';
import type { ContentBackend } from '#server/site/content-backend';
import type { Forms, PageForms } from '#server/site/forms/forms';
import { findSitePage, type SitePage, statusOfPage } from '#server/site/public/find-page';
import { readSite } from '#server/site/public/read-site';
import { type ShownPage, type SiteTheme, themeFiles } from '#server/site/public/site-theme';

/** The site whose pages are rendered. */
export interface RenderedSite {
  readonly content: ContentBackend;
  /** Address of the site without a trailing slash: `https://example.org`. */
  readonly address: string;
  readonly theme: SiteTheme;
  /** Receives the forms of the site, or names the server that does; null: forms are not accepted. */
  readonly forms: Forms | { readonly origin: string } | null;
}

/**
 * Renders the published content of a path, or the page for an address without content. Such a page gets an empty path
 * and no parent pages, because it is the same for all addresses and is cached once.
 * @param outcome outcome of a form that the visitor sent; default: none was sent
 */
export async function renderPage(
  { content, address, theme, forms: receiver }: RenderedSite,
  path: string,
  outcome?: PageForms,
): Promise<string> {
  const forms =
    outcome ?? (receiver && { origin: 'origin' in receiver ? receiver.origin : '', opened: OPENED_PLACEHOLDER });
  const { instead, page, ...site } = await readSite(content, path.split('/').filter(Boolean), 'published');
  const common = { ...site, address, ...themeFiles(theme, site.design), forms, isGone: page?.kind === 'gone' };
  if (statusOfPage(page) !== 200 || !isShown(page)) {
    return theme.render({ ...common, page: isShown(page) ? page : instead, path: '', above: [] });
  }
  return theme.render({ ...common, page, path, above: await pagesAbove(content, path) });
}

/** True for content that the theme renders; false for redirects, removed content and addresses without content. */
function isShown(page: SitePage | null): page is ShownPage {
  return page?.kind === 'entry' || page?.kind === 'post-index';
}

/** The parent pages of a path, the start page first. */
async function pagesAbove(content: ContentBackend, path: string): Promise<{ path: string; title: string | null }[]> {
  const segments = path.split('/').filter(Boolean);
  const found: { path: string; title: string | null }[] = [];
  for (let count = 0; count < segments.length; count += 1) {
    const page = await findSitePage(content, segments.slice(0, count), 'published');
    if (!isShown(page)) continue;
    const title = page.kind === 'entry' ? page.entry.document.title : null;
    found.push({ path: `/${segments.slice(0, count).join('/')}`, title });
  }
  return found;
}
