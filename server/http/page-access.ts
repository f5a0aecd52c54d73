import { headers } from 'next/headers';
import { forbidden, notFound, redirect } from 'next/navigation';
import { cache } from 'react';
import { ADDRESS_HEADER } from '#server/auth/client';
import { chosenSite, percentDecoded, signInPath } from '#server/core/addresses';
import { NotFoundError } from '#server/core/errors';
import { allows, type Principal, type Scope } from '#server/core/access-rights';
import type { SiteChoices } from '#server/core/remote-site';
import { wishedSite } from '#server/http/route';
import { services } from '#server/services';

/**
 * Lets a page be rendered for who may see it: first thing in every page, and in a layout that shows something itself
 * (Next renders a page without its layouts when a client says it has them). Without a sign-in it leads to the page to
 * sign in at. In local mode the server has looked at the `Host` before it came here.
 */
export const requirePage = cache(async (scope: Scope): Promise<void> => {
  const { accounts } = await services();
  if (!accounts) return;
  const principal = await visitor();
  if (!principal) redirect(signInPath(pageOf((await headers()).get(ADDRESS_HEADER))));
  if (!allows(principal.scopes, scope)) forbidden();
});

/** The signed-in user, for a page that anybody may see; looked up once for all of a page. */
export const visitor = cache(async (): Promise<Principal | null> => {
  const { accounts } = await services();
  return accounts ? accounts.signedIn(await headers()) : null;
});

/** Sites that whoever asks for a page may work on; null: all. */
const theirSites = async () => (await visitor())?.sites ?? null;

const CONVERSATION = /^\/c\/(ses_\w+)/;

/**
 * The site that a page of ours is about: that of the conversation at its address, else the one that was chosen in the
 * browser, else the standard one. Null: there is none for whoever asks.
 */
export const pageSite = cache(async (): Promise<string | null> => {
  const { sites, sessions } = await services();
  const sent = await headers();
  const [, sessionId = ''] = CONVERSATION.exec(pageOf(sent.get(ADDRESS_HEADER))) ?? [];
  const session = sessionId === '' ? null : await sessions.find(sessionId);
  const theirs = await theirSites();
  const ofSession = session && (await wishedSite(sites, theirs, session.siteId));
  // One that is gone changes nothing of what was chosen.
  const isThere = ofSession !== null && ofSession === session?.siteId;
  return isThere ? ofSession : wishedSite(sites, theirs, chosenSite(sent.get('cookie')));
});

/** The sites to choose from on a page, the one that the page is about, and the one of visitors. */
export async function siteChoices(currentId: string | null): Promise<SiteChoices> {
  const { sites } = await services();
  return { items: await sites.choices(await theirSites()), currentId, standardId: sites.standardId };
}

/** A page of the site at an address below `/preview` or `/site`. */
export interface SitePlace {
  readonly siteId: string;
  /** Beginning of all addresses of this site: `/preview/~wps_…`. */
  readonly root: `/preview${string}` | `/site${string}`;
  /** Path on the site. */
  readonly segments: readonly string[];
}

/**
 * Finds the site that an address names in front of the path (`/preview/~wps_…/about`); without a name it is the chosen
 * one and, below `/site`, the standard one, which everybody may see. A page that may not be seen is not found.
 */
export async function sitePlace(base: '/preview' | '/site', slug: readonly string[]): Promise<SitePlace> {
  const { sites } = await services();
  const [first = '', ...rest] = slug.map(percentDecoded);
  const isNamed = first.startsWith('~');
  const isPublic = base === '/site' && !isNamed;
  if (!isPublic) await requirePage('content:read');
  if (isPublic) return { siteId: sites.standardId, root: base, segments: slug };
  if (!isNamed) return { siteId: (await pageSite()) ?? redirect('/'), root: base, segments: slug };
  const siteId = await sites.choose(await theirSites(), first.slice(1)).catch(notFoundPage);
  return { siteId: siteId ?? forbidden(), root: `${base}/${first}`, segments: rest };
}

function notFoundPage(error: unknown): never {
  if (error instanceof NotFoundError) notFound();
  throw error;
}

/** Without what Next adds to fetch a page's data. */
function pageOf(address: string | null): string {
  if (address === null || !URL.canParse(address, 'http://localhost')) return '/';
  const { pathname, search, searchParams } = new URL(address, 'http://localhost');
  if (!searchParams.has('_rsc')) return `${pathname}${search}`;
  searchParams.delete('_rsc');
  return searchParams.size === 0 ? pathname : `${pathname}?${searchParams}`;
}
