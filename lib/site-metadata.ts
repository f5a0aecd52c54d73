import type { Metadata } from 'next';
import type { EntryDocument, SiteSettings } from '#server/core/content';

interface SiteMetadataInput {
  readonly settings: SiteSettings;
  readonly page:
    | { readonly kind: 'entry'; readonly entry: { readonly document: EntryDocument } }
    | { readonly kind: 'post-index' }
    | null;
}

/** Title and description of an address of the site. */
export function siteMetadata({ settings, page }: SiteMetadataInput): Metadata {
  const { siteName, tagline, homeSlug } = settings;
  if (page === null) return { title: { absolute: `Not found · ${siteName}` } };
  if (page.kind === 'post-index') return { title: { absolute: `All posts · ${siteName}` }, description: tagline };
  const { title, slug, excerpt } = page.entry.document;
  const home = tagline === '' ? siteName : `${siteName} · ${tagline}`;
  return {
    title: { absolute: slug === homeSlug ? home : `${title} · ${siteName}` },
    description: excerpt ?? tagline,
  };
}
