import { createHash } from 'node:crypto';
import type { Env } from '#server/config/env';
import type { ContentBackend } from '#server/content/content-backend';
import { deadRedirects } from '#server/content/dead-ends';
import { leadsOnIn, NOT_FOUND_SLUG, pageAddress, POSTS_SEGMENT } from '#server/core/addresses';
import { ConflictError } from '#server/core/errors';
import { escapeAttribute } from '#server/markup/html-tree';
import { createPublicSite, type PublicSiteOptions } from '#server/public-site/public-site';
import { type DocumentNode, parseOwnDocument } from '#server/markup/parse-html';

/** A file of a static site. */
export interface StaticFile {
  /** Below the folder: `pricing/index.html`. */
  readonly path: string;
  readonly data: Uint8Array;
}

/** A link that leads nowhere, or a picture that is not there. */
export interface ExportProblem {
  /** The page that has it: its title and path. */
  readonly page: string;
  readonly message: string;
}

/** A site that was looked through, ready to be written. */
export interface StaticExport {
  readonly pages: number;
  readonly problems: readonly ExportProblem[];
  /** Differences from a server of ours, in sentences. */
  readonly notes: readonly string[];
  /** All its files, made as they are taken. @throws ConflictError that names the problems, where there are any */
  readonly files: () => AsyncGenerator<StaticFile>;
}

/** Problems that a refusal names in its message. */
const MAX_NAMED = 5;

function broken(problems: readonly ExportProblem[]): ConflictError {
  const lines = problems.slice(0, MAX_NAMED).map(({ page, message }) => `- ${page}: ${message.slice(0, 100)}`);
  const rest = problems.length - lines.length;
  const all = [...lines, ...(rest > 0 ? [`- and ${rest} more`] : [])].join('\n');
  return new ConflictError(`The site was not exported. Correct this, publish, and export again:\n${all}`);
}

/** Addresses that lead on and are followed one after the other. */
const MAX_HOPS = 5;
/** A path where nothing can be. */
const NOWHERE = '/-';
/** Files of every site beside its pages. */
const ALONGSIDE = ['/sitemap.xml', '/feed.xml', '/robots.txt', '/favicon.png', '/favicon.ico'];

type Visit = (
  path: string,
  method?: 'GET' | 'HEAD',
) => Promise<{ status: number; location: string; type: string; data: Uint8Array }>;

type ExportOptions = Omit<PublicSiteOptions, 'limits' | 'writes' | 'forms' | 'waitsForPictures'> & {
  /** Origin of a server of ours that takes the forms; null: there is none. */
  readonly formsOrigin: string | null;
};

/**
 * The server that takes the forms of a static site: not the one that its files are on.
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

/** Renders a whole published site and checks every address in it. Nobody is counted, and nothing is written. */
export async function prepareExport({ formsOrigin, ...given }: ExportOptions): Promise<StaticExport> {
  const forms = formsOrigin === null ? null : { origin: formsOrigin };
  const options = { ...given, forms, waitsForPictures: true };
  const { content, address } = options;
  const free = () => Promise.resolve();
  const answer = createPublicSite({ ...options, writes: () => 0, limits: { page: free, publicRequest: free } });
  const visit: Visit = async (target, method = 'GET') => {
    const { status, headers, body } = await answer({ method, target, header: () => undefined, client: '' });
    const { location = '', 'content-type': type = '' } = headers;
    if (status >= 500) throw new Error(`${target} could not be rendered.`);
    return { status, location, type, data: body ?? new Uint8Array() };
  };
  const pages = await pagesOf(content, visit);
  const used = new Map<string, string>();
  const problems: ExportProblem[] = [];
  for (const { path, title } of [...pages, { path: NOWHERE, title: 'The page for addresses where there is nothing' }]) {
    for (const use of addressesIn(await htmlAt(visit, path))) {
      const target = targetOf(use.address, address, path);
      if (target === null) continue;
      // Pictures are made when they are written.
      const found = await follow(visit, target, address, use.kind === 'file' ? 'HEAD' : 'GET');
      if (found.status >= 400) problems.push({ page: `"${title}" (${path})`, message: problemText(use) });
      else if (use.kind === 'file') used.set(use.address, target);
    }
  }
  return {
    pages: pages.length,
    problems,
    notes: [...(await notesOf(content, pages, formsOrigin)), ...(await redirectNotes(content))],
    async *files() {
      if (problems.length > 0) throw broken(problems);
      const taken = new Set<string>();
      for await (const file of filesOf({ options, visit, pages, used })) {
        if (taken.has(file.path)) continue;
        taken.add(file.path);
        yield file;
      }
    },
  };
}

function problemText({ kind, address }: AddressUse): string {
  return kind === 'file' ? `the picture ${address} is not there` : `the link ${address} leads nowhere`;
}

/** Says which addresses lead on to nothing. */
async function redirectNotes(content: ContentBackend): Promise<string[]> {
  const { redirects } = await content.settings();
  return deadRedirects(leadsOnIn(redirects), (path, state) => content.findByPath(path, state));
}

interface ExportedPage {
  readonly path: string;
  readonly title: string;
  readonly hasForm: boolean;
}

/** Says what becomes of forms, where there are any. */
async function notesOf(
  content: ContentBackend,
  pages: readonly ExportedPage[],
  formsOrigin: string | null,
): Promise<string[]> {
  const places = pages.filter(({ hasForm }) => hasForm).map(({ title, path }) => `"${title}" (${path})`);
  if (places.length === 0) return [];
  const on = `On ${places.join(', ')}.`;
  if (formsOrigin !== null) return [`Forms are sent to ${formsOrigin}, which has to stay there. ${on}`];
  const { contactEmail } = await content.settings();
  const why = 'no server takes what they send: that needs AUTH_MODE=accounts and PUBLIC_URL';
  return [
    contactEmail === ''
      ? `Forms are left out: ${why}. ${on}`
      : `Forms open the mail program of whoever fills them in: ${why}. ${on}`,
  ];
}

/** Every page that visitors see, those included that search engines are asked to leave out. */
async function pagesOf(content: ContentBackend, visit: Visit): Promise<ExportedPage[]> {
  const found: ExportedPage[] = [];
  for (const type of ['page', 'post'] as const) {
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: Awaited<ReturnType<ContentBackend['query']>> = await content.query({
        type,
        state: 'published',
        sort: 'created',
        order: 'asc',
        select: ['sections'],
        limit: 100,
        cursor,
      });
      found.push(
        ...page.items.map(({ path, title, selected }) => {
          const hasForm = selected?.sections?.some((section) => section.type === 'form') === true;
          return { path, title, hasForm };
        }),
      );
      cursor = page.nextCursor;
    }
  }
  const posts = `/${POSTS_SEGMENT}`;
  const listed = found.filter(({ path }) => path !== `/${NOT_FOUND_SLUG}` && path !== '/' && path !== posts);
  const start = found.find(({ path }) => path === '/');
  return [
    start ?? { path: '/', title: 'Start page', hasForm: false },
    ...((await visit(posts)).status === 200 ? [{ path: posts, title: 'Posts', hasForm: false }] : []),
    ...listed,
  ];
}

async function htmlAt(visit: Visit, path: string): Promise<string> {
  return Buffer.from((await visit(path)).data).toString('utf8');
}

/** The path and query of an address of the site; null: it is elsewhere, or on the same page. */
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
    // Somebody chose an address elsewhere.
    if (next === null) return { ...found, status: 200 };
    found = await visit(next, method);
  }
  return found;
}

interface Prepared {
  readonly options: Pick<PublicSiteOptions, 'look' | 'address' | 'content'>;
  readonly visit: Visit;
  readonly pages: readonly ExportedPage[];
  /** Files that pages name, by how they write them: their path and query. */
  readonly used: ReadonlyMap<string, string>;
}

async function* filesOf({ options, visit, pages, used }: Prepared): AsyncGenerator<StaticFile> {
  const { look, address } = options;
  // The longest first: one may begin as another.
  const queried = [...used].filter(([, target]) => target.includes('?')).toSorted(([a], [b]) => b.length - a.length);
  const withNames = (html: string) =>
    queried.reduce((text, [written, target]) => {
      const name = written.startsWith('/') ? `/${fileName(target)}` : `${address}/${fileName(target)}`;
      return text.replaceAll(written.replaceAll('&', '&amp;'), name);
    }, html);
  for (const { path } of pages) yield { path: pageFile(path), data: bytes(withNames(await htmlAt(visit, path))) };
  yield { path: '404.html', data: bytes(withNames(await htmlAt(visit, NOWHERE))) };
  for (const { path, data } of look.assets) yield { path: path.slice(1), data };
  for (const target of new Set(used.values())) yield { path: fileName(target), data: (await visit(target)).data };
  for (const path of ALONGSIDE) yield { path: path.slice(1), data: (await visit(path)).data };
  const moved = await movedAddresses(options.content, visit, address);
  for (const { from, to } of moved) yield { path: pageFile(from), data: bytes(leadOn(to, pageAddress(address, '/'))) };
  const lines = moved.map(({ from, to }) => `${from} ${to} 301\n`);
  if (lines.length > 0) yield { path: '_redirects', data: bytes(lines.join('')) };
}

const bytes = (text: string) => Buffer.from(text);

/** File of a page on a server that knows folders only. */
function pageFile(path: string): string {
  if (path === '/') return 'index.html';
  return /\.[a-z0-9]+$/i.test(path) ? path.slice(1) : `${path.slice(1)}/index.html`;
}

/** A file for what is asked for with a query: servers of files do not look at those. */
function fileName(target: string): string {
  const [path = '', query] = target.slice(1).split('?', 2);
  if (query === undefined) return path;
  const mark = createHash('sha256').update(query).digest('hex').slice(0, 8);
  return path.replace(/(\.[a-z0-9]+)?$/i, (ending) => `-${mark}${ending}`);
}

/** Parts of a path that stand for a folder of that name, and for nothing else, on every system. */
const PLAIN_NAME = /^(?!\.{1,2}$)[^\p{C}/\\:*?"<>|]{1,120}$/u;

/** Addresses that lead on, as far as a folder can hold them. */
async function movedAddresses(
  content: ContentBackend,
  visit: Visit,
  address: string,
): Promise<{ readonly from: string; readonly to: string }[]> {
  const { redirects } = await content.settings();
  const former = await content.redirects();
  const found: { from: string; to: string }[] = [];
  const addresses = new Set([...leadsOnIn(redirects), ...former].map(({ from }) => from));
  for (const from of addresses) {
    const names = from.split('/').slice(1);
    if (!names.every((name) => PLAIN_NAME.test(name))) continue;
    const { status, location } = await visit(encodeURI(from));
    if (status === 301) found.push({ from, to: targetOf(location, address, '/') ?? location });
  }
  return found;
}

/** A page that leads on, for servers that cannot. */
function leadOn(to: string, site: string): string {
  const shown = escapeAttribute(to);
  const whole = escapeAttribute(new URL(to, site).href);
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="refresh" content="0; url=${shown}"><link rel="canonical" href="${whole}">`,
    `<title>${shown}</title></head><body><a href="${shown}">${shown}</a></body></html>`,
  ].join('');
}

/** An address in a document of ours, as it is written there. */
interface AddressUse {
  /** `file`: loaded with the page. `link`: somewhere to go. */
  readonly kind: 'file' | 'link';
  readonly address: string;
}

/** Attributes that name one file, by element. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  img: ['src'],
  source: ['src'],
  video: ['src', 'poster'],
  audio: ['src'],
};
/** `rel` values of a `link` that is loaded; others say where something is. */
const LOADED = /^(?:stylesheet|icon|apple-touch-icon|preload)$/;

/** Every address in a document that we rendered ourselves, in its order: each once. Not for what others wrote. */
function addressesIn(html: string): AddressUse[] {
  const found = new Map<string, AddressUse>();
  const add = (kind: AddressUse['kind'], address: string | undefined) => {
    if (address !== undefined && address !== '') found.set(`${kind} ${address}`, { kind, address });
  };
  const visit = (node: DocumentNode): void => {
    if ('tagName' in node) {
      const { tagName } = node;
      const value = (name: string) => node.attrs.find((attribute) => attribute.name === name)?.value;
      if (tagName === 'a') add('link', value('href'));
      if (tagName === 'link') add(LOADED.test(value('rel') ?? '') ? 'file' : 'link', value('href'));
      if (tagName === 'meta' && value('property') === 'og:image') add('file', value('content'));
      for (const name of FILES[tagName] ?? []) add('file', value(name));
      for (const candidate of (value('srcset') ?? value('imagesrcset') ?? '').split(','))
        add('file', candidate.trim().split(/\s+/, 1)[0]);
    }
    if ('childNodes' in node) for (const child of node.childNodes) visit(child);
  };
  visit(parseOwnDocument(html));
  return [...found.values()];
}
