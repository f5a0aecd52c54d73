import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { permanentRedirect } from 'next/navigation';
import { cache } from 'react';
import { siteMetadata } from '#components/content/head-metadata.ts';
import { SiteScreen } from '#components/content/site-screen';
import { siteAddress } from '#components/content/text/site-href.ts';
import { siteTexts } from '#server/core/messages/site-texts';
import { sitePlace } from '#server/http/page-access';
import { setPageStatus } from '#server/http/page-status';
import { statusOfPage } from '#server/site/public/find-page';
import { services } from '#server/services';
import { readSite } from '#server/site/public/read-site';
import { publishedAddress } from '#server/http/request-origin';

export const dynamic = 'force-dynamic';

interface PageProps {
  readonly params: Promise<{ slug?: string[] }>;
  readonly searchParams: Promise<Readonly<Record<string, string | string[] | undefined>>>;
}

/** The site as the page shows it. Cached per request, shared by the metadata and the page. */
const siteAt = cache(async (path: string) => {
  const place = await sitePlace('/site', path === '' ? [] : path.split('/'));
  const { forVisitors } = await services();
  return { ...place, ...(await readSite(await forVisitors(place.siteId), place.segments, 'published')) };
});

export async function generateMetadata({ params }: PageProps): Promise<Metadata> {
  const { slug = [] } = await params;
  const path = slug.join('/');
  const address = publishedAddress(await services(), await headers());
  const { instead, segments, ...site } = await siteAt(path);
  return siteMetadata({
    ...site,
    texts: siteTexts(site.settings.language),
    page: instead ?? site.page,
    path: `/${segments.join('/')}`,
    address,
  });
}

/** The published site. An old address redirects to the current one (308). */
export default async function SitePage({ params, searchParams }: PageProps) {
  const { slug = [] } = await params;
  const site = await siteAt(slug.join('/'));
  const { page, root, segments } = site;
  if (page?.kind === 'redirect') permanentRedirect(/^https?:/.test(page.to) ? page.to : siteAddress(page.to, root));
  const status = statusOfPage(page);
  if (status !== 200) await setPageStatus(status);
  const missing = page?.kind === 'gone' ? { missing: siteTexts(site.settings.language).gone } : {};
  const shown = page?.kind === 'gone' ? null : page;
  const { forms, sites } = await services();
  // A WordPress form is shown as a list of its fields: this server does not accept submissions to it.
  const formsOfPage = sites.wordPress(site.siteId) ? null : forms.ofPage(await searchParams);
  return (
    <SiteScreen
      {...site}
      page={site.instead ?? shown}
      {...missing}
      root={root}
      segments={segments}
      forms={formsOfPage}
    />
  );
}
