import type { ServerText } from '#server/core/coded-message';
import { distinctTexts } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';
import type { EntryPage } from '#server/core/site/site-lists';
import { createHash } from 'node:crypto';
import type { Env } from '#server/platform/config/env';
import type { ContentBackend } from '#server/site/content-backend';
import { deadRedirects, flatItems } from '#server/site/dead-links';
import { linksOf } from '#server/site/entry-links';
import { unreadable } from '#server/site/validate-entry';
import { isReadableAddress, NOT_FOUND_SLUG, pageAddress, POSTS_SEGMENT } from '#server/core/addresses';
import { parseRedirects } from '#server/core/site/manual-redirects';
import { ConflictError } from '#server/core/errors';
import { createPublicSite, type PublicSiteOptions } from '#server/site/public/public-site';
import { usedAssets } from '#server/site/public/site-theme';
import { escapeAttribute } from '#server/markup/write-html';
import { documentAddresses, type AddressUse } from '#server/site/public/document-addresses';

/** A file of a static site. */
export interface StaticFile {
  /** Below the folder: `pricing/index.html`. */
  readonly path: string;
  readonly data: Uint8Array;
}

/** A dead link, a missing picture, or a page that cannot be rendered. */
export interface ExportProblem {
  /** The affected page: its title and path. */
  readonly page: string;
  readonly reason: ServerText;
}

/** A checked site, ready to be written. */
export interface StaticExport {
  readonly pages: number;
  readonly problems: readonly ExportProblem[];
  /** Differences from a running server. */
  readonly notes: readonly ServerText[];
  /** All its files, created one by one on demand. @throws ConflictError that names the problems, if any */
  readonly files: () => AsyncGenerator<StaticFile>;
}

/** Largest number of problems that the message of a refusal names. A choice, not measured. */
const MAX_NAMED = 5;

function exportRefusal(problems: readonly ExportProblem[]): ConflictError {
  const named = problems.slice(0, MAX_NAMED).map(({ page, reason }) => serverText('export-problem', { page, reason }));
  const rest = problems.length - named.length;
  const lines = [...named, ...(rest > 0 ? [serverText('list-more', { count: rest })] : [])];
  return new ConflictError(serverText('export-refused', { lines }));
}

/** Largest number of successive redirects that are followed. A choice, not measured. */
const MAX_HOPS = 5;
/** A path that never has content, to render the page for missing addresses. */
const MISSING_PATH = '/-';
const MISSING_TITLE = 'The page for addresses where there is nothing';
/** Files of every site in addition to its pages. */
const EXTRA_FILES = ['/sitemap.xml', '/feed.xml', '/robots.txt', '/favicon.png', '/favicon.ico'];

type Visit = (
  path: string,
  method?: 'GET' | 'HEAD',
) => Promise<{ status: number; location: string; type: string; data: Uint8Array }>;

type ExportOptions = Omit<PublicSiteOptions, 'limits' | 'writes' | 'forms' | 'waitsForPictures'> & {
  /** Origin of one of our servers that receives the forms; null: forms are not received. */
  readonly formsOrigin: string | null;
};

/**
 * The server that receives the forms of a static site: not the one that serves its files.
 * @param address of the static site
 */
export function formsOriginFor(
  address: string,
  { AUTH_MODE, SITE_URL, PUBLIC_URL }: Pick<Env, 'AUTH_MODE' | 'SITE_URL' | 'PUBLIC_URL'>,
): string | null {
  if (AUTH_MODE !== 'accounts') return null;
  const origins = [SITE_URL, PUBLIC_URL].flatMap((url) => (url === undefined ? [] : new URL(url).origin));
  return origins.find((origin) => origin !== address) ?? null;
}

/**
 * Renders a whole published site and checks every address in it. Writes nothing; the files are rendered again when they
 * are read. A page that cannot be rendered is left out with a note.
 */
export async function prepareExport({ formsOrigin, ...given }: ExportOptions): Promise<StaticExport> {
  const forms = formsOrigin === null ? null : { origin: formsOrigin };
  const options = { ...given, forms, waitsForPictures: true };
  const { content, address } = options;
  const free = () => Promise.resolve();
  const answer = createPublicSite({ ...options, writes: () => 0, limits: { page: free, publicRequest: free } });
  const visit: Visit = async (target, method = 'GET') => {
    const { status, headers, body } = await answer({ method, target, header: () => undefined, client: '' });
    const { location = '', 'content-type': type = '' } = headers;
    return { status, location, type, data: body ?? new Uint8Array() };
  };
  const found = await pagesOf(content, visit);
  const used = new Map<string, string>();
  const problems: ExportProblem[] = [];
  const omitted: string[] = [];
  for (const { path, title } of [...found, { path: MISSING_PATH, title: MISSING_TITLE }]) {
    const page = await visit(path);
    if (page.status >= 500) {
      omitted.push(path);
      continue;
    }
    for (const use of documentAddresses(textOf(page))) {
      const target = targetOf(use.address, address, path);
      if (target === null) continue;
      // Pictures are created when they are written.
      const { status } = await follow(visit, target, address, use.kind === 'file' ? 'HEAD' : 'GET');
      // A target that cannot be rendered is reported where it is omitted.
      if (status >= 400 && status < 500) problems.push({ page: `"${title}" (${path})`, reason: problemText(use) });
      else if (use.kind === 'file') used.set(use.address, target);
    }
  }
  for (const path of [...EXTRA_FILES, ...new Set(used.values())])
    if ((await visit(path, 'HEAD')).status >= 500) omitted.push(path);
  const pages = found.filter(({ path }) => !omitted.includes(path));
  return {
    pages: pages.length,
    problems,
    notes: [
      ...omitted.map((path) => omissionNote(path, found)),
      ...(await addressNotes(content, pages)),
      ...(await notesOf(content, pages, formsOrigin)),
      ...(await redirectNotes(content)),
    ],
    async *files() {
      if (problems.length > 0) throw exportRefusal(problems);
      const taken = new Set<string>();
      for await (const file of filesOf({ options, visit, pages, used, omitted: new Set(omitted) })) {
        if (taken.has(file.path)) continue;
        taken.add(file.path);
        yield file;
      }
    },
  };
}

function problemText({ kind, address }: AddressUse): ServerText {
  return serverText(kind === 'file' ? 'export-picture-missing' : 'export-link-nowhere', { address });
}

function omissionNote(path: string, pages: readonly ExportedPage[]): ServerText {
  const title = path === MISSING_PATH ? MISSING_TITLE : pages.find((page) => page.path === path)?.title;
  const name = title === undefined ? path : `"${title}" (${path})`;
  return serverText('export-left-out', { page: name });
}

/** Names the links and pictures that pages and the menu leave out because their address is not valid. */
async function addressNotes(content: ContentBackend, pages: readonly ExportedPage[]): Promise<ServerText[]> {
  const inPages = pages.flatMap(({ title, path, unreadable: found }) =>
    found.map((reason) => serverText('export-on-page', { page: `"${title}" (${path})`, reason })),
  );
  const inMenu = flatItems(await content.navigation())
    .filter(({ href }) => !isReadableAddress(href))
    .map(({ label, href }) => serverText('export-in-menu', { label, reason: unreadable({ kind: 'link', href }) }));
  return distinctTexts([...inPages, ...inMenu]);
}

/** Names the redirects that lead nowhere. */
async function redirectNotes(content: ContentBackend): Promise<ServerText[]> {
  const { redirects } = await content.settings();
  return deadRedirects(parseRedirects(redirects), (path, state) => content.findByPath(path, state));
}

interface ExportedPage {
  readonly path: string;
  readonly title: string;
  readonly hasForm: boolean;
  /** Links and pictures that it omits because their addresses are not valid, in sentences. */
  readonly unreadable: readonly ServerText[];
}

/** Explains what happens to the forms, if the site has any. */
async function notesOf(
  content: ContentBackend,
  pages: readonly ExportedPage[],
  formsOrigin: string | null,
): Promise<ServerText[]> {
  const targets = pages.filter(({ hasForm }) => hasForm).map(({ title, path }) => `"${title}" (${path})`);
  if (targets.length === 0) return [];
  if (formsOrigin !== null) return [serverText('export-forms-sent', { origin: formsOrigin, targets })];
  const { contactEmail } = await content.settings();
  return [serverText(contactEmail === '' ? 'export-forms-left-out' : 'export-forms-open-mail', { targets })];
}

/** Every page that visitors see, including those that search engines are asked to leave out. */
async function pagesOf(content: ContentBackend, visit: Visit): Promise<ExportedPage[]> {
  const found: ExportedPage[] = [];
  for (const type of ['page', 'post'] as const) {
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: EntryPage = await content.query({
        type,
        state: 'published',
        sort: 'created',
        order: 'asc',
        select: ['sections', 'image', 'seo'],
        limit: 100,
        cursor,
      });
      found.push(
        ...page.items.map(({ path, title, selected }) => {
          const { sections = [], image, seo } = selected ?? {};
          const links = linksOf({ title, slug: '', sections, ...(image && { image }), ...(seo && { seo }) });
          return {
            path,
            title,
            hasForm: sections.some((section) => section.type === 'form'),
            unreadable: links.filter(({ href }) => !isReadableAddress(href)).map((link) => unreadable(link)),
          };
        }),
      );
      cursor = page.nextCursor;
    }
  }
  const posts = `/${POSTS_SEGMENT}`;
  const listed = found.filter(({ path }) => path !== `/${NOT_FOUND_SLUG}` && path !== '/' && path !== posts);
  const start = found.find(({ path }) => path === '/');
  return [
    start ?? { path: '/', title: 'Start page', hasForm: false, unreadable: [] },
    ...((await visit(posts)).status === 200 ? [{ path: posts, title: 'Posts', hasForm: false, unreadable: [] }] : []),
    ...listed,
  ];
}

const textOf = ({ data }: { readonly data: Uint8Array }) => Buffer.from(data).toString('utf8');

/** The path and query of an address of the site; null: it is on another site, or on the same page. */
function targetOf(address: string, site: string, page: string): string | null {
  const base = pageAddress(site, page);
  if (address.startsWith('#') || !URL.canParse(address, base)) return null;
  const { origin, pathname, search } = new URL(address, base);
  return origin === new URL(site).origin ? `${pathname}${search}` : null;
}

async function follow(visit: Visit, target: string, site: string, method: 'GET' | 'HEAD') {
  let found = await visit(target, method);
  for (let hop = 0; found.status === 301 && hop < MAX_HOPS; hop += 1) {
    const next = targetOf(found.location, site, '/');
    // A person chose an address on another site.
    if (next === null) return { ...found, status: 200 };
    found = await visit(next, method);
  }
  return found;
}

interface Prepared {
  readonly options: Pick<PublicSiteOptions, 'theme' | 'address' | 'content'>;
  readonly visit: Visit;
  readonly pages: readonly ExportedPage[];
  /** Files that pages refer to, keyed by their spelling there; the values are path and query. */
  readonly used: ReadonlyMap<string, string>;
  /** Paths that cannot be rendered. */
  readonly omitted: ReadonlySet<string>;
}

async function* filesOf({ options, visit, pages, used, omitted }: Prepared): AsyncGenerator<StaticFile> {
  const { theme, address } = options;
  // The longest first, because one may be the beginning of another.
  const queried = [...used].filter(([, target]) => target.includes('?')).toSorted(([a], [b]) => b.length - a.length);
  const withNames = (html: string) =>
    queried.reduce((text, [written, target]) => {
      const name = written.startsWith('/') ? `/${fileName(target)}` : `${address}/${fileName(target)}`;
      return text.replaceAll(written.replaceAll('&', '&amp;'), name);
    }, html);
  for (const { path } of pages) yield { path: pageFile(path), data: toBytes(withNames(textOf(await visit(path)))) };
  if (!omitted.has(MISSING_PATH))
    yield { path: '404.html', data: toBytes(withNames(textOf(await visit(MISSING_PATH)))) };
  const { published: design } = await options.content.design();
  for (const { path, data } of usedAssets(theme, design)) yield { path: path.slice(1), data };
  for (const target of [...new Set(used.values()), ...EXTRA_FILES])
    if (!omitted.has(target)) yield { path: fileName(target), data: (await visit(target)).data };
  const moved = await movedAddresses(options.content, visit, address);
  const { language } = await options.content.settings();
  for (const { from, to } of moved)
    yield { path: pageFile(from), data: toBytes(redirectPage(to, pageAddress(address, '/'), language)) };
  const lines = moved.map(({ from, to }) => `${from} ${to} 301\n`);
  if (lines.length > 0) yield { path: '_redirects', data: toBytes(lines.join('')) };
}

const toBytes = (text: string) => Buffer.from(text);

/** The file of a page for a server that serves only folders. */
function pageFile(path: string): string {
  if (path === '/') return 'index.html';
  return /\.[a-z0-9]+$/i.test(path) ? path.slice(1) : `${path.slice(1)}/index.html`;
}

/** The file for an address with a query, because file servers ignore queries. */
function fileName(target: string): string {
  const [path = '', query] = target.slice(1).split('?', 2);
  if (query === undefined) return path;
  const mark = createHash('sha256').update(query).digest('hex').slice(0, 8);
  return path.replace(/(\.[a-z0-9]+)?$/i, (ending) => `-${mark}${ending}`);
}

/** Parts of a path that are valid folder names with the same meaning on every system. */
const PLAIN_NAME = /^(?!\.{1,2}$)[^\p{C}/\\:*?"<>|]{1,120}$/u;

/** Redirects, as far as folders can represent them. */
async function movedAddresses(
  content: ContentBackend,
  visit: Visit,
  address: string,
): Promise<{ readonly from: string; readonly to: string }[]> {
  const { redirects } = await content.settings();
  const former = await content.redirects();
  const found: { from: string; to: string }[] = [];
  const addresses = new Set([...parseRedirects(redirects), ...former].map(({ from }) => from));
  for (const from of addresses) {
    const names = from.split('/').slice(1);
    if (!names.every((name) => PLAIN_NAME.test(name))) continue;
    const { status, location } = await visit(encodeURI(from));
    if (status === 301) found.push({ from, to: targetOf(location, address, '/') ?? location });
  }
  return found;
}

/** A page that redirects, for servers that cannot. */
function redirectPage(to: string, site: string, language: string): string {
  const shown = escapeAttribute(to);
  const whole = escapeAttribute(new URL(to, site).href);
  return [
    `<!doctype html><html lang="${escapeAttribute(language)}"><head><meta charset="utf-8">`,
    `<meta http-equiv="refresh" content="0; url=${shown}"><link rel="canonical" href="${whole}">`,
    `<title>${shown}</title></head><body><a href="${shown}">${shown}</a></body></html>`,
  ].join('');
}
