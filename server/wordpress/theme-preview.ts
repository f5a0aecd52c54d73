import { randomBytes } from 'node:crypto';
import type { CmsTheme, ThemeFile, ThemeGap, ThemeRoots } from '#server/core/site/theme';
import { type Entry, sameDocument } from '#server/core/site/content';
import { NotFoundError, ThroughlineError } from '#server/core/errors';
import { htmlFromText } from '#server/markup/html-text';
import { type ForeignAddresses, safeForeignPage } from '#server/markup/foreign-page';
import { bookOf, draftContent } from '#server/wordpress/draft-content';
import type { AddressBook } from '#server/wordpress/mirror/address-book';
import { knownEntryOf, type SiteAccess } from '#server/wordpress/mirror/mirror';
import { safeCss } from '#server/markup/safe-css';
import type { MarkedParts } from '#server/markup/mark-parts';

/** Largest page for visitors, and largest file of a page; bytes. */
const [MAX_PAGE_BYTES, MAX_FILE_BYTES] = [5_000_000, 10_000_000];

/** Types of files that a page loads, by file extension. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  svg: 'image/svg+xml',
  ico: 'image/x-icon',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  otf: 'font/otf',
};

function mediaTypeOf(path: string): string | undefined {
  return MEDIA_TYPES[/\.([a-z\d]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''];
}

/** Our address for a file of the site; null: it is on another site, or not a file that a page loads. */
function fileOn(siteUrl: string, { files }: ThemeRoots): ForeignAddresses['file'] {
  const { host } = new URL(siteUrl);
  return ({ host: its, pathname, search }) =>
    its === host && mediaTypeOf(pathname) !== undefined ? `${files}${pathname}${search}` : null;
}

/** A page of WordPress, and the replacements of its addresses. */
interface Received {
  readonly address: string;
  readonly html: string;
  readonly roots: ThemeRoots;
}

async function addressesOn(
  { siteUrl }: SiteAccess,
  addressBook: AddressBook,
  { address, html, roots }: Received,
): Promise<ForeignAddresses> {
  const book = await addressBook.contextFor([], html);
  return {
    page: address,
    file: fileOn(siteUrl, roots),
    link({ href, hash }) {
      const path = book.toLocal(href);
      return path === href || path.startsWith('/media/')
        ? null
        : `${roots.pages}${path === '/' ? '' : path}${hash && !path.includes('#') ? hash : ''}`;
    },
  };
}

/** The page as visitors get it; missing if it differs from the draft. */
async function published(
  site: SiteAccess,
  entry: Entry,
  book: AddressBook,
  gap: ThemeGap,
  roots: ThemeRoots,
): Promise<CmsTheme> {
  const { address = '' } = knownEntryOf(await site.mirror.link(entry.id)) ?? {};
  const isSeen = entry.published !== null && sameDocument(entry.draft, entry.published);
  const isOpen = !(entry.marks ?? []).some((mark) => mark === 'private' || mark === 'password');
  if (!isSeen || !isOpen || address === '') return { html: null, gap };
  const html = new TextDecoder().decode(await site.client.visit(address, MAX_PAGE_BYTES));
  const shown = await addressesOn(site, book, { address, html, roots });
  return { html: safeForeignPage(html, `published ${gap}`, shown) };
}

function asFailed(error: unknown): { readonly gap: ThemeGap } {
  if (error instanceof ThroughlineError) return { gap: 'failed' };
  throw error;
}

/** A line of the draft as HTML: with its marks, if its text equals that in WordPress. */
function lineAs(raw: string | undefined, words = '', wanted = ''): string {
  return raw !== undefined && words === wanted ? raw : htmlFromText(wanted);
}

/**
 * The draft of an entry as WordPress would show it with its theme, with marked sections. If our plugin is not installed
 * to render it, the page that visitors see, provided the draft is equal to it. Writes nothing.
 */
export async function themePreview(site: SiteAccess, entry: Entry, roots: ThemeRoots): Promise<CmsTheme> {
  try {
    const bookOnce = bookOf(site);
    const content = await draftContent(site, entry, bookOnce);
    if (content === null) return { html: null, gap: 'no-page' };
    const { remoteId, pieces, cover, known } = content;
    const mark = randomBytes(12).toString('hex');
    const contentRaw = pieces.map(({ raw }, index) => `<!--${mark} ${index}-->${raw}<!--/${mark} ${index}-->`).join('');
    const titleRaw = lineAs(known.fields?.title, known.document.title, entry.draft.title);
    const excerptRaw = lineAs(known.fields?.excerpt, known.document.excerpt, entry.draft.excerpt);
    const draft = { titleRaw, contentRaw, excerptRaw, cover };
    const look = await site.client.entries.render(remoteId, draft).catch(asFailed);
    const book = await bookOnce();
    if ('gap' in look) return await published(site, entry, book, look.gap, roots);
    const parts: MarkedParts = { mark, ids: pieces.map(({ sectionId }) => sectionId) };
    const address = known.address || `${site.siteUrl}/`;
    const addresses = await addressesOn(site, book, { address, html: look.html, roots });
    return { html: safeForeignPage(look.html, 'draft', addresses, parts) };
  } catch (error) {
    // A host that is down, a plugin that fails, a page beyond every limit: our own preview is shown instead, with the
    // reason.
    return { html: null, ...asFailed(error) };
  }
}

/** A style sheet, picture or font of the site, as a visitor gets it. @throws NotFoundError, SiteUnavailableError, TooLargeError */
export async function themeFile({ siteUrl, client }: SiteAccess, path: string, roots: ThemeRoots): Promise<ThemeFile> {
  const url = URL.parse(path, siteUrl);
  const { origin } = new URL(siteUrl);
  const mediaType = url?.origin === origin ? mediaTypeOf(url.pathname) : undefined;
  if (url === null || mediaType === undefined) throw new NotFoundError('file of the site', path.slice(0, 80));
  const data = await client.visit(url.href, MAX_FILE_BYTES);
  if (!mediaType.startsWith('text/css')) return { mediaType, data };
  const css = safeCss(new TextDecoder().decode(data), url.href, fileOn(siteUrl, roots));
  return { mediaType, data: new TextEncoder().encode(css) };
}
