import { headers } from 'next/headers';
import { GET as editorialCalls } from '#app/api/approvals/route';
import { GET as budgets } from '#app/api/budgets/route';
import { GET as callRequests } from '#app/api/call-requests/route';
import { GET as entries } from '#app/api/content/[collection]/route';
import { GET as changes } from '#app/api/content/changes/route';
import { GET as siteSettings } from '#app/api/content/settings/route';
import { GET as models } from '#app/api/models/route';
import { GET as sessions } from '#app/api/sessions/route';
import { paths } from '#components/api/paths.ts';
import { SITE_HEADER } from '#components/api/tab-site.ts';
import type { InitialResponse } from '#components/shell/initial-responses';
import { pageSite } from '#server/http/page-access';
import type { Handler } from '#server/http/route';

/** Number of newest site changes that the workspace compares later ones with. */
const NEWEST_CHANGES = 20;

/** What a request needs besides its path. */
interface RequestOptions {
  /** Key under which the workspace looks for the response. Default: the path. */
  readonly key?: InitialResponse['key'];
  readonly params?: Readonly<Record<string, string>>;
}

/**
 * Responses to the workspace's first API requests, sent with the page: from the same routes and for the same caller.
 */
export async function initialResponses(): Promise<readonly InitialResponse[]> {
  const sent = new Headers(await headers());
  const siteId = await pageSite();
  if (siteId !== null) sent.set(SITE_HEADER, siteId);
  /** The response of a route under its key; none if the route refuses. */
  const ask = async (handler: Handler, path: string, { key = path, params = {} }: RequestOptions = {}) => {
    const answer = await handler(new Request(`http://localhost${path}`, { headers: sent }), {
      params: Promise.resolve(params),
    });
    return answer.ok ? [{ key, body: (await answer.json()) as unknown }] : [];
  };
  const all = await Promise.all([
    ask(sessions, paths.sessions),
    ask(models, paths.models),
    ask(budgets, paths.budgets(null)),
    ask(entries, paths.entries('page'), { params: { collection: 'pages' } }),
    ask(entries, paths.entries('post'), { params: { collection: 'posts' } }),
    ask(siteSettings, paths.settings),
    ask(changes, paths.changes({}, NEWEST_CHANGES), { key: paths.changesKey({}, NEWEST_CHANGES, 1) }),
    ask(callRequests, paths.callRequests),
    ask(editorialCalls, paths.editorialCalls),
  ]);
  return all.flat();
}
