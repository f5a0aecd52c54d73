import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { permanentRedirect } from 'next/navigation';
import { cache } from 'react';
import { siteMetadata } from '#components/content/site-metadata';
import { SiteScreen } from '#components/content/site-screen';
import { siteAddress } from '#components/content/text/site-href';
import { requestOrigin } from '#server/http/caller';
import { answerWithStatus } from '#server/http/page-status';
import { readSite } from '#server/http/site-page';
import { services } from '#server/services';

export const dynamic = 'force-dynamic';

interface PageProps {
  readonly params: Promise<{ slug?: string[] }>;
  readonly searchParams: Promise<Readonly<Record<string, string | string[] | undefined>>>;
}

/** Once per request, for the metadata and the page. */
const siteAt = cache(async (path: string) => {
  const { content } = await services();
  return readSite(content, path === '' ? [] : path.split('/'), 'published');
});

export async function generateMetadata({ params }: PageProps): Promise<Metadata> {
  const { slug = [] } = await params;
  const path = slug.join('/');
  return siteMetadata({ ...(await siteAt(path)), path: `/${path}`, origin: requestOrigin(await headers()) });
}

/** The published site. An address where something was leads on to where it is now (308). */
export default async function SitePage({ params, searchParams }: PageProps) {
  const { slug = [] } = await params;
  const site = await siteAt(slug.join('/'));
  const { page } = site;
  if (page === null) await answerWithStatus(404);
  if (page?.kind === 'redirect') permanentRedirect(siteAddress(page.to, '/site'));
  const { forms, sites } = await services();
  // Forms of a WordPress site are lists there, and nothing of this server takes what they ask for.
  const taken = sites.activeWordPress ? null : forms.ofPage(await searchParams);
  return <SiteScreen {...site} page={page} root="/site" segments={slug} forms={taken} />;
}
