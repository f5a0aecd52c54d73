import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { SectionHighlight } from '#components/content/section-highlight';
import { SiteScreen } from '#components/content/site-screen';
import { siteMetadata } from '#lib/site-metadata';
import { readSite } from '#server/http/site-page';
import { services } from '#server/services';

export const dynamic = 'force-dynamic';

interface PageProps {
  readonly params: Promise<{ slug?: string[] }>;
  readonly searchParams: Promise<{ section?: string | string[] }>;
}

/** Once per request, for the metadata and the page. */
const siteAt = cache(async (path: string) => {
  const { content } = await services();
  return readSite(content, path === '' ? [] : path.split('/'), 'draft');
});

export async function generateMetadata({ params }: PageProps): Promise<Metadata> {
  const { slug = [] } = await params;
  return { ...siteMetadata(await siteAt(slug.join('/'))), robots: { index: false } };
}

/** The site as its drafts are, unpublished entries too; `?section=` marks the section that was just edited. */
export default async function PreviewPage({ params, searchParams }: PageProps) {
  const { slug = [] } = await params;
  const { section } = await searchParams;
  const site = await siteAt(slug.join('/'));
  if (site.page === null) notFound();
  return (
    <>
      <SiteScreen {...site} root="/preview" segments={slug} />
      {typeof section === 'string' && <SectionHighlight sectionId={section} />}
    </>
  );
}
