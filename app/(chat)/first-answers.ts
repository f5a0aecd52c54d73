import { headers } from 'next/headers';
import { GET as editorialCalls } from '#app/api/approvals/route';
import { GET as budgets } from '#app/api/budgets/route';
import { GET as callRequests } from '#app/api/call-requests/route';
import { GET as entries } from '#app/api/content/[collection]/route';
import { GET as changes } from '#app/api/content/changes/route';
import { GET as siteSettings } from '#app/api/content/settings/route';
import { GET as models } from '#app/api/models/route';
import { GET as sessions } from '#app/api/sessions/route';
import { paths } from '#components/api/paths';
import { SITE_HEADER } from '#components/api/tab-site';
import type { FirstAnswer } from '#components/shell/first-answers';
import { pageSite } from '#server/http/page-access';
import type { Handler } from '#server/http/route';

/** Newest changes of the site that the desk compares later ones with. */
const NEWEST = 20;

interface Asked {
  /** Default: the path. */
  readonly key?: FirstAnswer['key'];
  readonly params?: Readonly<Record<string, string>>;
}

/** Answers to the desk's first requests to the API, sent with the page itself: by the same routes, for the same caller. */
export async function firstAnswers(): Promise<readonly FirstAnswer[]> {
  const sent = new Headers(await headers());
  const siteId = await pageSite();
  if (siteId !== null) sent.set(SITE_HEADER, siteId);
  const ask = async (handler: Handler, path: string, { key = path, params = {} }: Asked = {}) => {
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
    ask(changes, paths.changes({}, NEWEST), { key: paths.changesKey({}, NEWEST, 1) }),
    ask(callRequests, paths.callRequests),
    ask(editorialCalls, paths.editorialCalls),
  ]);
  return all.flat();
}
