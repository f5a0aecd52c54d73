import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { permanentRedirect } from 'next/navigation';
import { cache } from 'react';
import { siteMetadata } from '#components/content/site-head';
import { SiteScreen } from '#components/content/site-screen';
import { siteAddress } from '#components/content/text/site-href';
import { publishedAddress } from '#server/http/caller';
import { answerWithStatus } from '#server/http/page-status';
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
  const path = slug.join('/');
  const address = publishedAddress(await services(), await headers());
  return siteMetadata({ ...(await siteAt(path)), path: `/${path}`, address });
}

/** The published site. An address where something was leads on to where it is now (308). */
export default async function SitePage({ params }: PageProps) {
  const { slug = [] } = await params;
  const site = await siteAt(slug.join('/'));
  const { page } = site;
  if (page === null) await answerWithStatus(404);
  if (page?.kind === 'redirect') permanentRedirect(siteAddress(page.to, '/site'));
  return <SiteScreen {...site} page={page} root="/site" segments={slug} />;
}
