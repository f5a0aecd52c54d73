import { headers } from 'next/headers';
import { forbidden, notFound, redirect } from 'next/navigation';
import { cache } from 'react';
import { ADDRESS_HEADER } from '#server/platform/auth/trusted-headers';
import { chosenSite } from '#server/core/site-cookie';
import { percentDecoded } from '#server/core/addresses';
import { signInPath } from '#server/core/sign-in-paths';
import { NotFoundError } from '#server/core/errors';
import { allows, type Principal, type Scope } from '#server/core/admin/access-rights';
import type { SiteChoices } from '#server/core/site/remote-site';
import { requestedSite } from '#server/http/request-site';
import { services } from '#server/services';

/**
 * Checks that the visitor may see a page. It must be the first call in every page, and in a layout that shows data itself,
 * because Next renders a page without its layouts when a client claims to have them. Redirects to the sign-in page
 * without a sign-in, and answers 403 without the right. In local mode the server has already checked the `Host`.
 */
export const requirePage = cache(async (scope: Scope): Promise<void> => {
  const { accounts } = await services();
  if (!accounts) return;
  const principal = await visitor();
  if (!principal) redirect(signInPath(pageOf((await headers()).get(ADDRESS_HEADER))));
  if (!allows(principal.scopes, scope)) forbidden();
});

/** The signed-in user, for a page that everyone may see; looked up once per page. */
export const visitor = cache(async (): Promise<Principal | null> => {
  const { accounts } = await services();
  return accounts ? accounts.signedIn(await headers()) : null;
});

/** Query of the page's address, without the parameters that Next adds to fetch a page's data. */
export async function pageQuery(): Promise<string> {
  const [, ...query] = pageOf((await headers()).get(ADDRESS_HEADER)).split('?');
  return query.join('?');
}

/** Sites that the visitor of a page may work on; null: all. */
const visitorSites = async () => (await visitor())?.sites ?? null;

/** Path of a conversation, with its id. */
const CONVERSATION = /^\/c\/(ses_\w+)/;

/**
 * The site of one of our pages: that of the conversation in its address, else the one chosen in the browser, else the
 * default one. Null if the visitor has access to no site.
 */
export const pageSite = cache(async (): Promise<string | null> => {
  const { sites, sessions } = await services();
  const sent = await headers();
  const [, sessionId = ''] = CONVERSATION.exec(pageOf(sent.get(ADDRESS_HEADER))) ?? [];
  const session = sessionId === '' ? null : await sessions.find(sessionId);
  const accessible = await visitorSites();
  const ofSession = session && (await requestedSite(sites, accessible, session.siteId));
  // If the site of the conversation was deleted, the chosen site is used.
  const isThere = ofSession !== null && ofSession === session?.siteId;
  return isThere ? ofSession : requestedSite(sites, accessible, chosenSite(sent.get('cookie')));
});

/** The sites to choose from on a page, the site of the page, and the site that visitors see. */
export async function siteChoices(currentId: string | null): Promise<SiteChoices> {
  const { sites } = await services();
  return { items: await sites.choices(await visitorSites()), currentId, standardId: sites.standardId };
}

/** A page of the site at an address below `/preview` or `/site`. */
export interface SitePlace {
  readonly siteId: string;
  /** Prefix of all addresses of this site: `/preview/~wps_…`. */
  readonly root: `/preview${string}` | `/site${string}`;
  /** Path on the site. */
  readonly segments: readonly string[];
}

/**
 * Finds the site that an address names before the path (`/preview/~wps_…/about`); without a name it is the chosen one
 * and, below `/site`, the default one, which everyone may see. A page without access answers 404.
 */
export async function sitePlace(base: '/preview' | '/site', slug: readonly string[]): Promise<SitePlace> {
  const { sites } = await services();
  const [first = '', ...rest] = slug.map(percentDecoded);
  const isNamed = first.startsWith('~');
  const isPublic = base === '/site' && !isNamed;
  if (!isPublic) await requirePage('content:read');
  if (isPublic) return { siteId: sites.standardId, root: base, segments: slug };
  if (!isNamed) return { siteId: (await pageSite()) ?? redirect('/'), root: base, segments: slug };
  const siteId = await sites.choose(await visitorSites(), first.slice(1)).catch(notFoundPage);
  return { siteId: siteId ?? forbidden(), root: `${base}/${first}`, segments: rest };
}

function notFoundPage(error: unknown): never {
  if (error instanceof NotFoundError) notFound();
  throw error;
}

/** Address without the parameters that Next adds to fetch a page's data. */
function pageOf(address: string | null): string {
  if (address === null || !URL.canParse(address, 'http://localhost')) return '/';
  const { pathname, search, searchParams } = new URL(address, 'http://localhost');
  if (!searchParams.has('_rsc')) return `${pathname}${search}`;
  searchParams.delete('_rsc');
  return searchParams.size === 0 ? pathname : `${pathname}?${searchParams}`;
}
