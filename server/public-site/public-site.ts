import type { ContentBackend } from '#server/content/content-backend';
import { pageAddress } from '#server/core/addresses';
import { NotFoundError, RateLimitedError } from '#server/core/errors';
import { WHEN_SENT } from '#server/core/site-forms';
import { once } from '#server/core/async';
import type { Forms } from '#server/forms/forms';
import { showPicture, showVariant, siteIcon } from '#server/public-site/pictures';
import { mediaFileParams, mediaFileQuery, pictureVariantParams } from '#server/http/schemas/files';
import { formParams } from '#server/http/schemas/submissions';
import {
  feedXml,
  findSitePage,
  readSite,
  type SitePage,
  sitemapXml,
  statusOfPage,
} from '#server/public-site/site-page';
import type { PictureVariants } from '#server/media/picture-variants';
import { answerFor, type KeptAnswer, keptAnswer, KeptAnswers, type SentAnswer } from '#server/public-site/kept-answers';
import { followPublished } from '#server/public-site/published-states';
import type { ShownPage, SiteAsset, SiteLook } from '#server/public-site/site-look';

export interface PublicSiteOptions {
  readonly content: ContentBackend;
  /** Goes up with each write of this process to the content. */
  readonly writes: () => number;
  /** Address of the site, without a slash at its end: `https://example.org`. */
  readonly address: string;
  readonly look: SiteLook;
  /** Makes pictures in the sizes that pages ask for. */
  readonly pictures: PictureVariants;
  /** Takes the forms of the site, or where that is done; null: nobody takes any. */
  readonly forms: Pick<Forms, 'receive' | 'ofPage'> | { readonly origin: string } | null;
  /** Pictures are made before they are answered, however long that takes. Default: what takes long is made afterwards. */
  readonly waitsForPictures?: boolean;
  /** Counts work for a visitor, given by network address. @throws RateLimitedError */
  readonly limits: { page(client: string): Promise<void>; publicRequest(client: string): Promise<void> };
  readonly onFault: (message: string, error: unknown) => void;
}

/** A request as it came in. */
export interface SiteRequest {
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly target: string;
  readonly header: (name: string) => string | undefined;
  /** Network address of the visitor. */
  readonly client: string;
  /** Reads its body; null: more than any form sends. Left out: it has none. */
  readonly body?: () => Promise<Uint8Array | null>;
}

/** Bytes of answers that are kept, compressed ones included: some thousand pages. */
const KEPT_BYTES = 64_000_000;
/** Kept, and asked for again each time: a published change is seen at once. */
const ASK_AGAIN = { 'cache-control': 'public, no-cache' };
const FOR_GOOD = { 'cache-control': 'public, max-age=31536000, immutable' };
const GONE_FORM = 'This form is not there any more. Go back, and load its page again.';
const HTML = { 'content-type': 'text/html; charset=utf-8' };
const PLAIN = { 'content-type': 'text/plain; charset=utf-8' };

/**
 * The published site as visitors get it under its own host: its pages, pictures, feeds and look, and nothing of the app.
 * What has been rendered is kept until something that visitors see changes.
 */
export function createPublicSite(options: PublicSiteOptions): (request: SiteRequest) => Promise<SentAnswer> {
  const { content, look, limits, onFault } = options;
  const published = followPublished(options);
  const assets = new Map(look.assets.map((asset) => [asset.path, once(() => assetAnswer(asset))]));
  let state = 0;
  let kept = new KeptAnswers(KEPT_BYTES);

  async function keptNow(): Promise<KeptAnswers> {
    const now = await published();
    if (now > state) {
      state = now;
      kept = new KeptAnswers(KEPT_BYTES);
    }
    return kept;
  }

  async function pageAnswer(path: string, query: string, client: string): Promise<KeptAnswer> {
    const answers = await keptNow();
    const known = answers.get(path);
    if (known) return withQuery(await known, query);
    await limits.page(client);
    const made = answers.keep(path, () => makeAnswer(options, path, answers));
    return withQuery(await made, query);
  }

  /** Takes a form, and leads on to where its visitor is told what has become of it. */
  async function formAnswer({ target, client, body }: SiteRequest): Promise<SentAnswer> {
    const [, area, entry, section, ...more] = target.split('/');
    const named = formParams.safeParse({ entry, section });
    const { forms } = options;
    if (area !== 'forms' || more.length > 0 || !named.success || forms === null || !('receive' in forms) || !body)
      // Nobody reads what comes with it.
      return plain(404, 'There is nothing at this address.', { connection: 'close' });
    const sent = await body();
    if (sent === null) return plain(413, 'This is more than a form may hold.', { connection: 'close' });
    const given = new URLSearchParams(new TextDecoder().decode(sent));
    const { entry: entryId, section: sectionId } = named.data;
    const location = await forms.receive({ entryId, sectionId, given, client }).catch((error: unknown) => {
      if (error instanceof NotFoundError) return null;
      throw error;
    });
    return location === null
      ? plain(404, GONE_FORM)
      : plain(303, 'The page at Location tells what has become of it.', { location });
  }

  /** A page that says what has become of a form: made for its visitor alone. */
  async function pageWithForm(path: string, { search, searchParams }: URL, client: string): Promise<SentAnswer | null> {
    const { forms } = options;
    const query = Object.fromEntries(searchParams);
    if (search === '' || forms === null || !('ofPage' in forms)) return null;
    const told = forms.ofPage(query);
    if (told.state === undefined) return null;
    const page = await findSitePage(content, path.split('/').filter(Boolean), 'published');
    if (page?.kind !== 'entry') return null;
    await limits.page(client);
    const body = Buffer.from(await renderPage(options, path, told));
    const headers = { ...HTML, 'cache-control': 'no-store', 'content-length': String(body.length) };
    return { status: 200, headers, body };
  }

  async function answer(asked: SiteRequest): Promise<SentAnswer> {
    const { method, target, header, client } = asked;
    const request = { method, header };
    if (method === 'POST') return formAnswer(asked);
    // Nobody reads what comes with it.
    if (method !== 'GET' && method !== 'HEAD')
      return plain(404, 'There is nothing at this address.', { connection: 'close' });
    const url = URL.parse(target.startsWith('/') ? `http://site.invalid${target}` : target);
    const path = url && decoded(url.pathname);
    if (!url || path === null) return plain(400, 'This is no address.');
    const asset = assets.get(path);
    if (asset) return answerFor(await asset(), request);
    if (path.startsWith('/media/')) {
      await limits.publicRequest(client);
      const picture = await pictureAnswer(options, path, url.searchParams, request);
      if (picture) return picture;
    }
    const clean = `/${path.split('/').filter(Boolean).join('/')}`;
    const told = await pageWithForm(clean, url, client);
    if (told) return method === 'HEAD' ? { ...told, body: null } : told;
    const page = await pageAnswer(clean, url.search, client);
    if (clean !== path && page.status === 200)
      return answerFor(withQuery(await moved(options.address, clean), url.search), request);
    return answerFor(page, request);
  }

  return async (request) => {
    try {
      return await answer(request);
    } catch (error) {
      if (error instanceof RateLimitedError) {
        const after = { 'retry-after': String(error.retryAfterSeconds) };
        return plain(429, 'You have asked for very many pages. Try again a little later.', after);
      }
      onFault('A page of the published site could not be shown', error);
      return plain(500, 'This page cannot be shown right now. Try again a little later.');
    }
  };
}

function plain(status: number, text: string, more: Readonly<Record<string, string>> = {}): SentAnswer {
  const body = Buffer.from(text);
  const headers = { ...PLAIN, 'cache-control': 'no-store', 'content-length': String(body.length), ...more };
  return { status, headers, body };
}

/** The path of an address; null where it is not UTF-8, or holds what no address of ours does. */
function decoded(pathname: string): string | null {
  try {
    const path = decodeURIComponent(pathname);
    return /[\p{C}\\]/u.test(path) ? null : path;
  } catch {
    return null;
  }
}

const assetAnswer = ({ mediaType, data }: SiteAsset) =>
  keptAnswer(200, { 'content-type': mediaType, ...FOR_GOOD }, data);

/** @param to a path of the site, or a whole address */
function moved(site: string, to: string): Promise<KeptAnswer> {
  const { origin, pathname, search, hash, href } = new URL(to, site);
  const location = origin === site ? `${pathname}${search}${hash}` : href;
  return keptAnswer(301, { ...PLAIN, ...ASK_AGAIN, location }, `The page is at ${location} now.`);
}

/** An address that leads on takes along what was asked with it. */
function withQuery(answer: KeptAnswer, query: string): KeptAnswer {
  const { location } = answer.headers;
  if (location === undefined || query === '' || /[?#]/.test(location)) return answer;
  return { ...answer, headers: { ...answer.headers, location: `${location}${query}` } };
}

/** A picture of the library that something published shows; null: there is none. */
async function pictureAnswer(
  { content, pictures, waitsForPictures: waits = false }: PublicSiteOptions,
  path: string,
  query: URLSearchParams,
  { method, header }: Pick<SiteRequest, 'method' | 'header'>,
): Promise<SentAnswer | null> {
  const [, , id, filename, ...more] = path.split('/');
  const variant = pictureVariantParams.safeParse({ id, filename, variant: more[0] });
  if (more.length === 1 && variant.success) {
    const { id: assetId, filename: version, variant: name } = variant.data;
    const how = method === 'HEAD' ? 'only look' : waits ? 'wait' : 'at once';
    return sentPicture(
      method,
      showVariant({ content, pictures }, { id: assetId, version, name }, async () => false, how),
    );
  }
  const address = mediaFileParams.safeParse({ id, filename });
  const asked = mediaFileQuery.safeParse(Object.fromEntries(query));
  if (more.length > 0 || !address.success || !asked.success) return null;
  const headers = new Headers();
  for (const name of ['if-none-match', 'accept']) headers.set(name, header(name) ?? '');
  const request = new Request('http://site.invalid', { headers });
  return sentPicture(
    method,
    showPicture(content, { ...address.data, ...asked.data }, request, async () => false),
  );
}

async function sentPicture(method: string, showing: Promise<Response>): Promise<SentAnswer | null> {
  try {
    const shown = await showing;
    const body = method === 'HEAD' ? null : new Uint8Array(await shown.arrayBuffer());
    return { status: shown.status, headers: Object.fromEntries(shown.headers), body };
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

/** Makes what is answered at a path. What is the same for many addresses is made once. */
async function makeAnswer(options: PublicSiteOptions, path: string, answers: KeptAnswers): Promise<KeptAnswer> {
  const { content, address, look } = options;
  const xml = (kind: string, text: string) => keptAnswer(200, { 'content-type': kind, ...ASK_AGAIN }, text);
  switch (path) {
    case '/sitemap.xml':
      return xml('application/xml; charset=utf-8', await sitemapXml(content, address));
    case '/feed.xml':
      return xml('application/rss+xml; charset=utf-8', await feedXml(content, address));
    case '/robots.txt':
      return keptAnswer(200, { ...PLAIN, ...ASK_AGAIN }, robotsTxt(address));
    case '/favicon.png':
    case '/favicon.ico':
      return keptAnswer(200, { 'content-type': 'image/png', ...ASK_AGAIN }, await siteIcon(content));
  }
  const image = path.startsWith('/images/') ? await look.readImage(path) : null;
  if (image) return keptAnswer(200, { 'content-type': image.mediaType, ...ASK_AGAIN }, image.data);
  const page = await findSitePage(content, path.split('/').filter(Boolean), 'published');
  if (page?.kind === 'redirect') return moved(address, page.to);
  const status = statusOfPage(page);
  if (status === 200) return htmlAnswer(status, await renderPage(options, path));
  return answers.keep(String(status), async () => htmlAnswer(status, await renderPage(options, path)));
}

const htmlAnswer = (status: number, html: string) => keptAnswer(status, { ...HTML, ...ASK_AGAIN }, html);

function robotsTxt(address: string): string {
  return `User-agent: *\nAllow: /\nSitemap: ${pageAddress(address, '/sitemap.xml')}\n`;
}

/**
 * Renders what is published at a path, or that there is nothing.
 * @param told what has become of a form; default: none was sent
 */
async function renderPage(
  { content, address, look, forms: taken }: PublicSiteOptions,
  path: string,
  told?: ReturnType<Forms['ofPage']>,
): Promise<string> {
  const forms = told ?? (taken && { origin: 'origin' in taken ? taken.origin : '', opened: WHEN_SENT });
  const { instead, page, ...site } = await readSite(content, path.split('/').filter(Boolean), 'published');
  const { stylesheet, fonts } = look;
  const common = { ...site, address, stylesheet, fonts, forms, isGone: page?.kind === 'gone' };
  if (statusOfPage(page) !== 200 || !isShown(page)) {
    return look.render({ ...common, page: isShown(page) ? page : instead, path: '', above: [] });
  }
  return look.render({ ...common, page, path, above: await pagesAbove(content, path) });
}

function isShown(page: SitePage | null): page is ShownPage {
  return page?.kind === 'entry' || page?.kind === 'post-index';
}

/** The pages above a path, the start page first. */
async function pagesAbove(content: ContentBackend, path: string): Promise<{ path: string; title: string | null }[]> {
  const segments = path.split('/').filter(Boolean);
  const found: { path: string; title: string | null }[] = [];
  for (let count = 0; count < segments.length; count += 1) {
    const page = await findSitePage(content, segments.slice(0, count), 'published');
    if (!isShown(page)) continue;
    const title = page.kind === 'entry' ? page.entry.document.title : null;
    found.push({ path: `/${segments.slice(0, count).join('/')}`, title });
  }
  return found;
}
