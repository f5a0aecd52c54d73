import type { Metadata } from 'next';
import { cookies, headers } from 'next/headers';
import { notFound, redirect } from 'next/navigation';
import { cache } from 'react';
import { TabToolsLater } from '#components/editor/tab-entry';
import { SiteOfPage } from '#components/desk/site-of-page';
import { LAYOUT_COOKIE } from '#components/desk/layout-preferences';
import { parseLayout } from '#components/desk/parse-layout';
import { siteMetadata } from '#components/content/site-head';
import { SiteScreen } from '#components/content/site-screen';
import { siteAddress } from '#components/content/text/site-href';
import { editorStrings as contentStrings } from '#components/content/text/words';
import { sitesStrings } from '#components/settings/site-words';
import { lookGaps, lookRootsOf } from '#server/core/cms-look';
import { NotFoundError } from '#server/core/errors';
import { allows } from '#server/core/access-rights';
import { siteChoices, type SitePlace, sitePlace, visitor } from '#server/http/page-access';
import { answerWithStatus } from '#server/http/page-status';
import { readSite, readSiteAt } from '#server/public-site/site-page';
import { services } from '#server/services';
import { SectionHighlight } from './section-highlight';

export const dynamic = 'force-dynamic';

interface PageProps {
  readonly params: Promise<{ slug?: string[] }>;
  readonly searchParams: Promise<{ section?: string | string[]; at?: string | string[]; look?: string | string[] }>;
}

/** Once per request, for the metadata and the page. */
const siteAt = cache(async (path: string, changeId: string | undefined) => {
  const place = await sitePlace('/preview', path === '' ? [] : path.split('/'));
  const { at } = await services();
  const { content } = at(place.siteId);
  if (changeId === undefined) return { ...place, ...(await readSite(content, place.segments, 'draft')) };
  const then = await readSiteAt(content, place.segments, changeId).catch((error: unknown) => {
    if (error instanceof NotFoundError) notFound();
    throw error;
  });
  return { ...place, ...then };
});

const pointOf = ({ at }: Awaited<PageProps['searchParams']>) => (typeof at === 'string' ? at : undefined);

export async function generateMetadata({ params, searchParams }: PageProps): Promise<Metadata> {
  const { slug = [] } = await params;
  const path = slug.join('/');
  const { instead, segments, ...site } = await siteAt(path, pointOf(await searchParams));
  return {
    ...siteMetadata({ ...site, page: instead ?? site.page, path: `/${segments.join('/')}`, address: null }),
    robots: { index: false },
  };
}

/** True for those who may change drafts; in local mode whoever is there may. */
async function mayDraft(): Promise<boolean> {
  const who = await visitor();
  return who === null || allows(who.scopes, 'content:draft');
}

/** Leads the desk's frame to the page as its CMS shows it, unless our design is wanted. */
async function leadToTheirs({ siteId, segments }: SitePlace): Promise<void> {
  if ((await headers()).get('sec-fetch-dest') !== 'iframe') return;
  const { previewLook } = parseLayout((await cookies()).get(LAYOUT_COOKIE)?.value);
  if (previewLook === 'theirs') redirect([lookRootsOf(siteId).pages, ...segments].join('/'));
}

/**
 * The site as its drafts are, unpublished entries too; `?section=` marks the section that was just edited, `?at=` shows
 * everything as it was right after a change.
 */
export default async function PreviewPage({ params, searchParams }: PageProps) {
  const { slug = [] } = await params;
  const query = await searchParams;
  const { section } = query;
  const point = pointOf(query);
  const { sites } = await services();
  const gap = lookGaps.find((each) => each === query.look);
  const site = await siteAt(slug.join('/'), point);
  const { page, root, segments } = site;
  const connected = sites.wordPress(site.siteId);
  if (point === undefined && gap === undefined && connected) await leadToTheirs(site);
  if (page === null || page.kind === 'gone') {
    // A new site has no page: nothing that anybody has asked for is missing.
    const isNew = point === undefined && page === null && site.instead === null && segments.length === 0;
    if (point === undefined && !isNew) await answerWithStatus(404);
    const words = isNew ? contentStrings.noPages : point === undefined ? null : contentStrings.notThen;
    const missing = words && { missing: words };
    return <SiteScreen {...site} page={site.instead} {...missing} root={root} segments={segments} forms={null} />;
  }
  if (page.kind === 'redirect') {
    const marks = new URLSearchParams({
      ...(typeof section === 'string' && { section }),
      ...(point !== undefined && { at: point }),
    });
    if (/^https?:/.test(page.to)) redirect(page.to);
    redirect(`${siteAddress(page.to, root)}${marks.size > 0 ? `?${marks}` : ''}`);
  }
  return (
    <>
      <SiteScreen {...site} page={page} root={root} segments={segments} forms={null} />
      {connected && (
        <p className="site-badge" data-look={gap ?? 'ours'}>
          {sitesStrings.badge(connected.name)}
        </p>
      )}
      {page.kind === 'entry' && point === undefined && (await mayDraft()) && (
        <SiteOfPage isNamed choices={await siteChoices(site.siteId)}>
          <TabToolsLater nonce={(await headers()).get('x-nonce') ?? ''} />
        </SiteOfPage>
      )}
      {typeof section === 'string' && <SectionHighlight sectionId={section} />}
    </>
  );
}
