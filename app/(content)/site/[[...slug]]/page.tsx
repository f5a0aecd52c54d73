import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { SiteScreen } from '#components/content/site-screen';
import { siteMetadata } from '#lib/site-metadata';
import { readSite } from '#server/http/site-page';
import { services } from '#server/services';

export const dynamic = 'force-dynamic';

interface PageProps {
  readonly params: Promise<{ slug?: string[] }>;
}

/** Once per request, for the metadata and the page. */
const siteAt = cache(async (path: string) => {
  const { content } = await services();
  return readSite(content, path === '' ? [] : path.split('/'), 'published');
});

export async function generateMetadata({ params }: PageProps): Promise<Metadata> {
  const { slug = [] } = await params;
  return siteMetadata(await siteAt(slug.join('/')));
}

/** The published site. */
export default async function SitePage({ params }: PageProps) {
  const { slug = [] } = await params;
  const site = await siteAt(slug.join('/'));
  if (site.page === null) notFound();
  return <SiteScreen {...site} root="/site" segments={slug} />;
}
