import type { Metadata } from 'next';
import { siteAddress } from '#components/content/text/site-href';
import { siteStrings } from '#components/content/text/words';
import type { EntryDocument, EntryType, SiteSettings } from '#server/core/content';

interface SiteMetadataInput {
  readonly settings: SiteSettings;
  readonly page:
    | { readonly kind: 'entry'; readonly entry: { readonly type: EntryType; readonly document: EntryDocument } }
    | { readonly kind: 'post-index' }
    | { readonly kind: 'redirect' }
    | null;
  /** Path on the site: `/about/team`. */
  readonly path: string;
  /** Public address of this server, such as `https://example.org`; null if unknown. */
  readonly origin: string | null;
}

/** Metadata of a page of the site for search engines and link previews. */
export function siteMetadata({ settings, page, path, origin }: SiteMetadataInput): Metadata {
  const { siteName, tagline } = settings;
  if (page === null || page.kind === 'redirect') {
    return { title: { absolute: `${siteStrings.notFound.title} · ${siteName}` }, robots: { index: false } };
  }
  if (page.kind === 'post-index')
    return { title: { absolute: `${siteStrings.allPosts} · ${siteName}` }, description: tagline };
  const { title, excerpt, image, seo = {} } = page.entry.document;
  const home = tagline === '' ? siteName : `${siteName} · ${tagline}`;
  const shown = seo.title ?? (path === '/' ? home : `${title} · ${siteName}`);
  const description = seo.description ?? excerpt ?? tagline;
  const picture = seo.image ?? image;
  const url = siteAddress(path, '/site');
  return {
    ...(origin !== null && { metadataBase: new URL(origin), alternates: { canonical: url } }),
    title: { absolute: shown },
    description,
    ...(seo.noIndex === true && { robots: { index: false } }),
    openGraph: {
      title: seo.title ?? title,
      description,
      siteName,
      type: page.entry.type === 'post' ? 'article' : 'website',
      // Addresses in link previews are whole ones or none.
      ...(origin !== null && { url }),
      ...(picture !== undefined && (origin !== null || /^https?:/i.test(picture)) && { images: [picture] }),
    },
  };
}
