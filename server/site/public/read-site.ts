import { visibleMenu } from '#server/site/public/visible-menu';
import type { ContentBackend, PastSite } from '#server/site/content-backend';
import { NOT_FOUND_SLUG, POSTS_SEGMENT } from '#server/core/addresses';
import type { Design } from '#server/core/site/design/design';
import { NotFoundError } from '#server/core/errors';
import type { NavigationItem, SiteSettings } from '#server/core/site/content';
import type { PictureFacts } from '#server/core/site/pictures';
import { findSitePage, siteEntry, type SitePage, type SiteVersion } from '#server/site/public/find-page';
import { type SitePost, sitePosts } from '#server/site/public/site-posts';

/**
 * The page that is shown at an address without content: the one with the slug `404`, if an editor has created it.
 * @param page content of the address
 * @returns null if the address has content, or if there is no page with that slug
 */
async function notFoundPage(
  content: ContentBackend,
  page: SitePage | null,
  version: SiteVersion,
): Promise<Extract<SitePage, { kind: 'entry' }> | null> {
  if (page !== null && page.kind !== 'gone') return null;
  const found = await findSitePage(content, [NOT_FOUND_SLUG], version);
  return found?.kind === 'entry' ? found : null;
}

/** What a page needs of its site. */
export interface SiteAroundPage {
  readonly settings: SiteSettings;
  readonly navigation: readonly NavigationItem[];
  /** The design of this version; null: none was stored or published, and the site has the default. */
  readonly design: Design | null;
  readonly posts: readonly SitePost[];
  /** Pictures of the library that the page shows, by their ids. */
  readonly pictures: Readonly<Record<string, PictureFacts>>;
}

/** Everything that is needed to show an address of the site. */
export interface Site extends SiteAroundPage {
  /** Content of the address; null if it has none. */
  readonly page: SitePage | null;
  /**
   * The page of the editors that is shown at an address without content; null: the address has content, or no such page
   * exists.
   */
  readonly instead: Extract<SitePage, { kind: 'entry' }> | null;
}

/** Reads a version of the site for one path, given as its segments. */
export async function readSite(
  content: ContentBackend,
  segments: readonly string[],
  version: SiteVersion,
): Promise<Site> {
  const [settings, navigation, design, posts, page] = await Promise.all([
    content.settings(),
    visibleMenu(content, version),
    designOf(content, version),
    sitePosts(content, version),
    findSitePage(content, segments, version),
  ]);
  const instead = await notFoundPage(content, page, version);
  const pictures = await picturesOn(content, instead ?? page, posts, design);
  return { settings, navigation, design, posts, page, instead, pictures };
}

/** The design of a version of the site; null: the default. */
async function designOf(content: ContentBackend, version: SiteVersion): Promise<Design | null> {
  const { draft, published, revision } = await content.design();
  return version === 'published' ? published : revision === 0 ? null : draft;
}

/**
 * Largest number of pictures of one page whose sizes are read, because each costs a query; others are shown as
 * uploaded. A choice, not measured.
 */
const MAX_RESIZED_PICTURES = 300;
const PICTURE_ID = /\/media\/(ast_[0-9a-z]{6})\//g;

/** Facts of the pictures that a page shows, also within its text; for a list of posts, of the posts' pictures. */
async function picturesOn(
  { assets }: ContentBackend,
  page: SitePage | null,
  posts: readonly SitePost[],
  design: Design | null,
): Promise<Site['pictures']> {
  const document = page?.kind === 'entry' ? page.entry.document : null;
  const listsPosts = page?.kind === 'post-index' || document?.sections.some(({ type }) => type === 'posts-list');
  const shown = JSON.stringify([document, design?.logo, listsPosts ? posts.map((post) => post.document.image) : null]);
  const ids = [...new Set([...shown.matchAll(PICTURE_ID)].map(([, id = '']) => id))].slice(0, MAX_RESIZED_PICTURES);
  const found = await Promise.all(ids.map((id) => assets.get(id).catch(() => null)));
  return Object.fromEntries(
    found.flatMap((asset) => {
      if (asset === null) return [];
      const { id, version, width, height, mediaType } = asset;
      return [[id, { id, version, width, height, mediaType }]];
    }),
  );
}

/** The draft of one entry, and the published site around it. */
export interface EntryDraft extends SiteAroundPage {
  readonly page: Extract<SitePage, { kind: 'entry' }>;
  /** Path of the entry. */
  readonly path: string;
}

/**
 * Reads the draft of one entry and, around it, the published site: its lists contain no other draft.
 * @throws NotFoundError if the entry does not exist, or is in the trash
 */
export async function readDraft(content: ContentBackend, entryId: string): Promise<EntryDraft> {
  const found = await content.find(entryId);
  const entry = found?.id === entryId ? siteEntry(found, 'draft') : null;
  if (found === null || entry === null) throw new NotFoundError('entry', entryId);
  const [settings, navigation, design, posts, path] = await Promise.all([
    content.settings(),
    visibleMenu(content, 'published'),
    designOf(content, 'published'),
    sitePosts(content, 'published'),
    content.pathOf(found, 'draft'),
  ]);
  const page = { kind: 'entry' as const, entry };
  const pictures = await picturesOn(content, page, posts, design);
  return { settings, navigation, design, posts, page, path, pictures };
}

/** Reads the drafts of the site immediately after a change, for one path. */
export async function readSiteAt(
  content: ContentBackend,
  segments: readonly string[],
  changeId: string,
): Promise<Site> {
  const { settings, navigation, design, posts, find, formerPicture } = await content.at(changeId);
  const page = await find(`/${segments.join('/')}`);
  const isPostIndex = page === null && segments.length === 1 && segments[0] === POSTS_SEGMENT;
  const shown: SitePage | null = isPostIndex ? { kind: 'post-index' } : page;
  const pictures = await picturesOn(content, shown, posts, design);
  const site: Site = { settings, navigation, design, posts, page: shown, instead: null, pictures };
  return withFormerPictures(site, formerPicture);
}

/** Addresses of library pictures in any notation within a document; addresses with a query are skipped. */
const PICTURE_ADDRESS = /\/media\/(ast_[a-z0-9]{6})\/[\w.-]+(?![\w.?-])/g;

/** The site with the former bytes of pictures that have been replaced or deleted since. */
async function withFormerPictures(site: Site, formerPicture: PastSite['formerPicture']): Promise<Site> {
  const text = JSON.stringify(site);
  const former = new Map<string, string>();
  for (const id of new Set([...text.matchAll(PICTURE_ADDRESS)].map(([, name = '']) => name))) {
    const version = await formerPicture(id);
    if (version !== null) former.set(id, version);
  }
  if (former.size === 0) return site;
  const marked = text.replaceAll(PICTURE_ADDRESS, (address, id: string) =>
    former.has(id) ? `${address}?version=${former.get(id)}` : address,
  );
  return JSON.parse(marked) as Site;
}
