import type { Metadata } from 'next';
import { cookies, headers } from 'next/headers';
import { notFound, redirect } from 'next/navigation';
import { cache } from 'react';
import { TabToolsLater } from '#components/editor/screen/lazy-tab-tools';
import { SiteOfPage } from '#components/workspace/site-of-page';
import { LAYOUT_COOKIE } from '#components/workspace/layout-preferences.ts';
import { parseLayout } from '#components/workspace/parse-layout.ts';
import { siteMetadata } from '#components/content/head-metadata.ts';
import { translator } from '#components/i18n.ts';
import { SiteScreen } from '#components/content/site-screen';
import { siteAddress } from '#components/content/text/site-href.ts';
import { siteTexts } from '#server/core/messages/site-texts';
import { themeGaps, themeRootsOf } from '#server/core/site/theme';
import { type Design, designSchema } from '#server/core/site/design/design';
import { NotFoundError } from '#server/core/errors';
import { allows } from '#server/core/admin/access-rights';
import { siteChoices, type SitePlace, sitePlace, visitor } from '#server/http/page-access';
import { setPageStatus } from '#server/http/page-status';
import { services } from '#server/services';
import { SectionHighlight } from './section-highlight';
import { readSite, readSiteAt } from '#server/site/public/read-site';

const tSites = translator('sites');

export const dynamic = 'force-dynamic';

const t = translator('draftPreview');

interface PageProps {
  readonly params: Promise<{ slug?: string[] }>;
  readonly searchParams: Promise<{
    section?: string | string[];
    at?: string | string[];
    look?: string | string[];
    design?: string | string[];
  }>;
}

/** The site as the page shows it. Cached per request, shared by the metadata and the page. */
const siteAt = cache(async (path: string, changeId: string | undefined) => {
  const place = await sitePlace('/preview', path === '' ? [] : path.split('/'));
  const { at } = await services();
  const { content } = at(place.siteId);
  if (changeId === undefined) return { ...place, ...(await readSite(content, place.segments, 'draft')) };
  const former = await readSiteAt(content, place.segments, changeId).catch((error: unknown) => {
    if (error instanceof NotFoundError) notFound();
    throw error;
  });
  return { ...place, ...former };
});

/** Id of the change whose state is shown; undefined: the current drafts. */
const changeIdOf = ({ at }: Awaited<PageProps['searchParams']>) => (typeof at === 'string' ? at : undefined);

export async function generateMetadata({ params, searchParams }: PageProps): Promise<Metadata> {
  const { slug = [] } = await params;
  const path = slug.join('/');
  const { instead, segments, ...site } = await siteAt(path, changeIdOf(await searchParams));
  return {
    ...siteMetadata({
      ...site,
      texts: siteTexts(site.settings.language),
      page: instead ?? site.page,
      path: `/${segments.join('/')}`,
      address: null,
    }),
    robots: { index: false },
  };
}

/** The message of a site without pages. */
const noPages = () => ({ missing: { heading: t('noPages.heading'), body: t('noPages.body') } });

/** The message at an address that had no page in an earlier state of the site. */
const notThen = () => ({
  missing: { heading: t('notThen.heading'), body: t('notThen.body'), home: t('notThen.home') },
});

/** True if the visitor may change drafts; in local mode every visitor may. */
async function mayDraft(): Promise<boolean> {
  const who = await visitor();
  return who === null || allows(who.scopes, 'content:draft');
}

/** Longest design in an address; characters. */
const MAX_DESIGN_CHARS = 12_000;

/**
 * The unsaved design that the page for the design shows in a frame; null: none. Links of other sites cannot name one: it would
 * show their links in the footer of ours.
 */
async function unsavedDesign({ design }: Awaited<PageProps['searchParams']>): Promise<Design | null> {
  if (typeof design !== 'string' || design.length > MAX_DESIGN_CHARS) return null;
  if ((await headers()).get('sec-fetch-site') !== 'same-origin') return null;
  try {
    return designSchema.parse(JSON.parse(design));
  } catch {
    return null;
  }
}

/** Redirects the workspace's frame to the page as its CMS shows it, unless the user chose our design. */
async function redirectToThemePage({ siteId, segments }: SitePlace): Promise<void> {
  if ((await headers()).get('sec-fetch-dest') !== 'iframe') return;
  const { previewLook } = parseLayout((await cookies()).get(LAYOUT_COOKIE)?.value);
  if (previewLook === 'theirs') redirect([themeRootsOf(siteId).pages, ...segments].join('/'));
}

/**
 * The site in its draft state, including unpublished entries. `?section=` marks the section that was just edited;
 * `?at=` shows everything in the state right after a change.
 */
export default async function PreviewPage({ params, searchParams }: PageProps) {
  const { slug = [] } = await params;
  const query = await searchParams;
  const { section } = query;
  const changeId = changeIdOf(query);
  const { sites } = await services();
  const gap = themeGaps.find((each) => each === query.look);
  const site = await siteAt(slug.join('/'), changeId);
  const unsaved = await unsavedDesign(query);
  const { page, root, segments } = site;
  const connected = sites.wordPress(site.siteId);
  if (changeId === undefined && gap === undefined && connected) await redirectToThemePage(site);
  if (page === null || page.kind === 'gone') {
    // A new site has no page yet, so its empty start page is not an error (404).
    const isNew = changeId === undefined && page === null && site.instead === null && segments.length === 0;
    if (changeId === undefined && !isNew) await setPageStatus(404);
    const missing = isNew ? noPages() : changeId === undefined ? {} : notThen();
    return (
      <SiteScreen
        {...site}
        design={unsaved ?? site.design}
        page={site.instead}
        {...missing}
        root={root}
        segments={segments}
        forms={null}
      />
    );
  }
  if (page.kind === 'redirect') {
    const marks = new URLSearchParams({
      ...(typeof section === 'string' && { section }),
      ...(changeId !== undefined && { at: changeId }),
    });
    if (/^https?:/.test(page.to)) redirect(page.to);
    redirect(`${siteAddress(page.to, root)}${marks.size > 0 ? `?${marks}` : ''}`);
  }
  return (
    <>
      <SiteScreen {...site} design={unsaved ?? site.design} page={page} root={root} segments={segments} forms={null} />
      {connected && (
        <p className="site-badge" data-look={gap ?? 'ours'}>
          {tSites('badge', { name: connected.name })}
        </p>
      )}
      {page.kind === 'entry' && changeId === undefined && unsaved === null && (await mayDraft()) && (
        <SiteOfPage isNamed choices={await siteChoices(site.siteId)}>
          <TabToolsLater nonce={(await headers()).get('x-nonce') ?? ''} />
        </SiteOfPage>
      )}
      {typeof section === 'string' && <SectionHighlight sectionId={section} />}
    </>
  );
}
