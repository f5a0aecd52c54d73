import type { Metadata } from 'next';
import { notFound, redirect } from 'next/navigation';
import { cache } from 'react';
import { SectionHighlight } from '#components/content/section-highlight';
import { siteMetadata } from '#components/content/site-metadata';
import { SiteScreen } from '#components/content/site-screen';
import { siteAddress } from '#components/content/text/site-href';
import { siteStrings } from '#components/settings/site-words';
import { requirePage } from '#server/http/page-access';
import { readSite } from '#server/http/site-page';
import { services } from '#server/services';

export const dynamic = 'force-dynamic';

interface PageProps {
  readonly params: Promise<{ slug?: string[] }>;
  readonly searchParams: Promise<{ section?: string | string[] }>;
}

/** Once per request, for the metadata and the page. */
const siteAt = cache(async (path: string) => {
  await requirePage('content:read');
  const { content } = await services();
  return readSite(content, path === '' ? [] : path.split('/'), 'draft');
});

export async function generateMetadata({ params }: PageProps): Promise<Metadata> {
  const { slug = [] } = await params;
  const path = slug.join('/');
  return { ...siteMetadata({ ...(await siteAt(path)), path: `/${path}`, origin: null }), robots: { index: false } };
}

/** The site as its drafts are, unpublished entries too; `?section=` marks the section that was just edited. */
export default async function PreviewPage({ params, searchParams }: PageProps) {
  const { slug = [] } = await params;
  const { section } = await searchParams;
  const site = await siteAt(slug.join('/'));
  const { sites } = await services();
  const { page } = site;
  if (page === null) notFound();
  if (page.kind === 'redirect') {
    const mark = typeof section === 'string' ? `?section=${encodeURIComponent(section)}` : '';
    redirect(`${siteAddress(page.to, '/preview')}${mark}`);
  }
  return (
    <>
      <SiteScreen {...site} page={page} root="/preview" segments={slug} />
      {sites.activeWordPress && <p className="site-badge">{siteStrings.badge(sites.activeWordPress.name)}</p>}
      {typeof section === 'string' && <SectionHighlight sectionId={section} />}
    </>
  );
}
