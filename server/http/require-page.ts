import { headers } from 'next/headers';
import { forbidden, redirect } from 'next/navigation';
import { cache } from 'react';
import { allows, type Principal, type Scope } from '#server/core/principal';
import { signInPath } from '#server/core/sign-in-path';
import { ADDRESS_HEADER } from '#server/http/client';
import { services } from '#server/services';

/**
 * Lets a page be rendered for who may see it: first thing in every page, and in a layout that shows something itself
 * (Next renders a page without its layouts when a client says it has them). Without a sign-in it leads to the page to
 * sign in at. In local mode the server has looked at the `Host` before it came here.
 */
export const requirePage = cache(async (scope: Scope): Promise<void> => {
  const { accounts } = await services();
  const sent = await headers();
  if (!accounts) return;
  const principal = await accounts.signedIn(sent);
  if (!principal) redirect(signInPath(pageOf(sent.get(ADDRESS_HEADER))));
  if (!allows(principal.scopes, scope)) forbidden();
});

/** Who has signed in, for a page that anybody may see. */
export async function visitor(): Promise<Principal | null> {
  const { accounts } = await services();
  return accounts ? accounts.signedIn(await headers()) : null;
}

/** Without what Next adds to fetch a page's data. */
function pageOf(address: string | null): string {
  if (address === null || !URL.canParse(address, 'http://localhost')) return '/';
  const { pathname, search, searchParams } = new URL(address, 'http://localhost');
  if (!searchParams.has('_rsc')) return `${pathname}${search}`;
  searchParams.delete('_rsc');
  return searchParams.size === 0 ? pathname : `${pathname}?${searchParams}`;
}
