import type { FaultLog } from '#server/core/process';
import { pageAddress } from '#server/core/addresses';
import { NotFoundError, RateLimitedError } from '#server/core/errors';
import { siteTexts, type SiteTexts } from '#server/core/messages/site-texts';
import { once } from '#server/core/async';
import { showPicture, showVariant } from '#server/site/public/pictures';
import { formParams } from '#server/http/schemas/submissions';
import { findSitePage, statusOfPage } from '#server/site/public/find-page';
import { sitemapXml } from '#server/site/public/sitemap';
import type { PictureVariants } from '#server/site/media/picture-variants';
import { ResponseCache } from '#server/site/public/response-cache';
import { followPublished } from '#server/site/public/published-states';
import { type RenderedSite, renderPage } from '#server/site/public/render-page';
import type { SiteAsset } from '#server/site/public/site-theme';
import { siteIcon } from '#server/site/public/site-icon';
import { feedXml } from '#server/site/public/feed';
import {
  responseFor,
  type CachedResponse,
  cacheableResponse,
  playersIn,
  type SentResponse,
} from '#server/site/public/cached-response';
import { mediaFileParams, mediaFileQuery, pictureVariantParams } from '#server/http/schemas/media';

/** What the public site needs. */
export interface PublicSiteOptions extends FaultLog, RenderedSite {
  /** Increases with each write of this process to the content. */
  readonly writes: () => number;
  /** Creates pictures in the sizes that pages request. */
  readonly pictures: PictureVariants;
  /**
   * True: waits until a picture is created before responding. Default: pictures that take long are created afterwards.
   */
  readonly waitsForPictures?: boolean;
  /** Counts work for a visitor, identified by network address. @throws RateLimitedError */
  readonly limits: { page(client: string): Promise<void>; publicRequest(client: string): Promise<void> };
}

/** An incoming request. */
export interface SiteRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  /** Value of a request header, by its name in lower case; undefined if it was not sent. */
  readonly header: (name: string) => string | undefined;
  /** Network address of the visitor. */
  readonly client: string;
  /** Reads its body; null: larger than any form. Omitted: the request has no body. */
  readonly body?: () => Promise<Uint8Array | null>;
}

/**
 * Size limit of the cached responses in bytes, compressed ones included: a few thousand pages. A choice, not measured.
 */
const CACHE_BYTES = 64_000_000;
/** Browsers cache the response but revalidate it each time, so that a published change is visible immediately. */
const REVALIDATED = { 'cache-control': 'public, no-cache' };
/** For assets of the theme, whose path changes with their content: a year is the longest that caches honour. */
const IMMUTABLE = { 'cache-control': 'public, max-age=31536000, immutable' };
const HTML = { 'content-type': 'text/html; charset=utf-8' };
const PLAIN = { 'content-type': 'text/plain; charset=utf-8' };

/**
 * The published site under its own host, as visitors get it: its pages, pictures, feeds and theme, and nothing of the
 * app. Rendered responses are cached until something changes that visitors see.
 */
export function createPublicSite(options: PublicSiteOptions): (request: SiteRequest) => Promise<SentResponse> {
  const { content, theme, limits, onFault } = options;
  const published = followPublished(options);
  const assets = new Map(theme.assets.map((asset) => [asset.path, once(() => assetResponse(asset))]));
  /** Number of the published state whose responses are in `cache`. */
  let cachedState = 0;
  let cache = new ResponseCache(CACHE_BYTES);

  /** Texts of responses without a page, in the language of the site; in English if the settings cannot be read. */
  async function plainTexts(): Promise<SiteTexts['plain']> {
    const language = await content.settings().then(
      (settings) => settings.language,
      () => 'en',
    );
    return siteTexts(language).plain;
  }

  /** The cache of the present published state; empty after a change that visitors see. */
  async function currentCache(): Promise<ResponseCache> {
    const now = await published();
    if (now > cachedState) {
      cachedState = now;
      cache = new ResponseCache(CACHE_BYTES);
    }
    return cache;
  }

  async function pageResponse(path: string, query: string, client: string): Promise<CachedResponse> {
    const current = await currentCache();
    const known = current.get(path);
    if (known) return withQuery(await known, query);
    await limits.page(client);
    const made = current.keep(path, () => createResponse(options, path, current));
    return withQuery(await made, query);
  }

  /** Receives a form and redirects the visitor to a page that shows the outcome. */
  async function formResponse({ target, client, body }: SiteRequest): Promise<SentResponse> {
    const [, area, entry, section, ...more] = target.split('/');
    const named = formParams.safeParse({ entry, section });
    const { forms } = options;
    if (area !== 'forms' || more.length > 0 || !named.success || forms === null || !('receive' in forms) || !body)
      // The body of such a request is not read.
      return plain(404, 'There is nothing at this address.', { connection: 'close' });
    const sent = await body();
    if (sent === null) return plain(413, (await plainTexts()).formLarge, { connection: 'close' });
    const given = new URLSearchParams(new TextDecoder().decode(sent));
    const { entry: entryId, section: sectionId } = named.data;
    const location = await forms.receive({ entryId, sectionId, given, client }).catch((error: unknown) => {
      if (error instanceof NotFoundError) return null;
      throw error;
    });
    return location === null
      ? plain(404, (await plainTexts()).formGone)
      : plain(303, 'The page at Location tells what has become of it.', { location });
  }

  /**
   * A page that shows the outcome of a form (accepted or refused), which the query names after the redirect
   * of `formResponse`. It is rendered for this visitor only. Null: the query names no outcome, or the path has no page.
   */
  async function pageWithForm(
    path: string,
    { search, searchParams }: URL,
    client: string,
  ): Promise<SentResponse | null> {
    const { forms } = options;
    const query = Object.fromEntries(searchParams);
    if (search === '' || forms === null || !('ofPage' in forms)) return null;
    const outcome = forms.ofPage(query);
    if (outcome.state === undefined) return null;
    const page = await findSitePage(content, path.split('/').filter(Boolean), 'published');
    if (page?.kind !== 'entry') return null;
    await limits.page(client);
    const html = await renderPage(options, path, outcome);
    const body = Buffer.from(html);
    const headers = { ...HTML, 'cache-control': 'no-store', 'content-length': String(body.length) };
    return { status: 200, headers, players: playersIn(HTML['content-type'], html), body };
  }

  async function respond(incoming: SiteRequest): Promise<SentResponse> {
    const { method, target, header, client } = incoming;
    const request = { method, header };
    if (method === 'POST') return formResponse(incoming);
    // No address of the site has other methods, so the answer is that of an unknown address. Its body is not read.
    if (method !== 'GET' && method !== 'HEAD')
      return plain(404, 'There is nothing at this address.', { connection: 'close' });
    const url = URL.parse(target.startsWith('/') ? `http://site.invalid${target}` : target);
    const path = url && decoded(url.pathname);
    if (!url || path === null) return plain(400, 'This is no address.');
    const asset = assets.get(path);
    if (asset) return responseFor(await asset(), request);
    if (path.startsWith('/media/')) {
      await limits.publicRequest(client);
      const picture = await pictureResponseFor(options, path, url.searchParams, request);
      if (picture) return picture;
    }
    const clean = `/${path.split('/').filter(Boolean).join('/')}`;
    const withOutcome = await pageWithForm(clean, url, client);
    if (withOutcome) return method === 'HEAD' ? { ...withOutcome, body: null } : withOutcome;
    const page = await pageResponse(clean, url.search, client);
    if (clean !== path && page.status === 200)
      return responseFor(withQuery(await redirectTo(options.address, clean), url.search), request);
    return responseFor(page, request);
  }

  return async (request) => {
    try {
      return await respond(request);
    } catch (error) {
      if (error instanceof RateLimitedError) {
        const after = { 'retry-after': String(error.retryAfterSeconds) };
        return plain(429, (await plainTexts()).often, after);
      }
      onFault('A page of the published site could not be shown', error);
      return plain(500, (await plainTexts()).failed);
    }
  };
}

function plain(status: number, text: string, more: Readonly<Record<string, string>> = {}): SentResponse {
  const body = Buffer.from(text);
  const headers = { ...PLAIN, 'cache-control': 'no-store', 'content-length': String(body.length), ...more };
  return { status, headers, body };
}

/** The path of an address; null if it is not UTF-8, or contains characters that our addresses never have. */
function decoded(pathname: string): string | null {
  try {
    const path = decodeURIComponent(pathname);
    return /[\p{C}\\]/u.test(path) ? null : path;
  } catch {
    return null;
  }
}

const assetResponse = ({ mediaType, data }: SiteAsset) =>
  cacheableResponse(200, { 'content-type': mediaType, ...IMMUTABLE }, data);

/** @param to a path of the site, or a whole address */
function redirectTo(site: string, to: string): Promise<CachedResponse> {
  const { origin, pathname, search, hash, href } = new URL(to, site);
  const location = origin === site ? `${pathname}${search}${hash}` : href;
  return cacheableResponse(301, { ...PLAIN, ...REVALIDATED, location }, `The page is at ${location} now.`);
}

/** A redirect keeps the query of the request. */
function withQuery(response: CachedResponse, query: string): CachedResponse {
  const { location } = response.headers;
  if (location === undefined || query === '' || /[?#]/.test(location)) return response;
  return { ...response, headers: { ...response.headers, location: `${location}${query}` } };
}

/** A picture of the library that published content shows; null: no such picture. */
async function pictureResponseFor(
  { content, pictures, waitsForPictures: waits = false }: PublicSiteOptions,
  path: string,
  query: URLSearchParams,
  { method, header }: Pick<SiteRequest, 'method' | 'header'>,
): Promise<SentResponse | null> {
  const [, , id, filename, ...more] = path.split('/');
  const variant = pictureVariantParams.safeParse({ id, filename, variant: more[0] });
  if (more.length === 1 && variant.success) {
    const { id: assetId, filename: version, variant: name } = variant.data;
    const how = method === 'HEAD' ? 'headers only' : waits ? 'wait' : 'at once';
    return sentPicture(
      method,
      showVariant({ content, pictures }, { id: assetId, version, name }, async () => false, how),
    );
  }
  const address = mediaFileParams.safeParse({ id, filename });
  const picture = mediaFileQuery.safeParse(Object.fromEntries(query));
  if (more.length > 0 || !address.success || !picture.success) return null;
  const headers = new Headers();
  for (const name of ['if-none-match', 'accept']) headers.set(name, header(name) ?? '');
  const request = new Request('http://site.invalid', { headers });
  return sentPicture(
    method,
    showPicture(content, { ...address.data, ...picture.data }, request, async () => false),
  );
}

async function sentPicture(method: string, showing: Promise<Response>): Promise<SentResponse | null> {
  try {
    const shown = await showing;
    const body = method === 'HEAD' ? null : new Uint8Array(await shown.arrayBuffer());
    return { status: shown.status, headers: Object.fromEntries(shown.headers), body };
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

/** Creates the response for a path. A response that many addresses share is created once. */
async function createResponse(options: PublicSiteOptions, path: string, cache: ResponseCache): Promise<CachedResponse> {
  const { content, address, theme } = options;
  const xml = (kind: string, text: string) => cacheableResponse(200, { 'content-type': kind, ...REVALIDATED }, text);
  switch (path) {
    case '/sitemap.xml':
      return xml('application/xml; charset=utf-8', await sitemapXml(content, address));
    case '/feed.xml':
      return xml('application/rss+xml; charset=utf-8', await feedXml(content, address));
    case '/robots.txt':
      return cacheableResponse(200, { ...PLAIN, ...REVALIDATED }, robotsTxt(address));
  }
  const icon = await siteIcon(content, path);
  if (icon) return cacheableResponse(200, { 'content-type': 'image/png', ...REVALIDATED }, icon);
  const image = path.startsWith('/images/') ? await theme.readImage(path) : null;
  if (image) return cacheableResponse(200, { 'content-type': image.mediaType, ...REVALIDATED }, image.data);
  const page = await findSitePage(content, path.split('/').filter(Boolean), 'published');
  if (page?.kind === 'redirect') return redirectTo(address, page.to);
  const status = statusOfPage(page);
  if (status === 200) return htmlResponse(status, await renderPage(options, path));
  return cache.keep(String(status), async () => htmlResponse(status, await renderPage(options, path)));
}

const htmlResponse = (status: number, html: string) => cacheableResponse(status, { ...HTML, ...REVALIDATED }, html);

function robotsTxt(address: string): string {
  return `User-agent: *\nAllow: /\nSitemap: ${pageAddress(address, '/sitemap.xml')}\n`;
}
