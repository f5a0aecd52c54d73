import { serverText } from '#server/core/messages/server-text';
import { ConflictError } from '#server/core/errors';
import { meOf, requireAccounts, setCookies } from '#server/http/sign-in-routes';
import { content } from '#server/http/schemas/route-answer';
import { route } from '#server/http/route';
import { oidcCallbackQuery } from '#server/http/schemas/access';

/**
 * The provider redirects the browser here, so the request comes from another site. The cookie set at departure
 * identifies the browser.
 */
export const GET = route(
  {
    summary: 'Ends a sign-in with the OpenID Connect provider, and leads on',
    answer: {
      200: content('text/html', 'Leads on to the page that was asked for, or to the sign-in page, which says why not.'),
    },
    access: 'public',
    query: oidcCallbackQuery,
  },
  async ({ query, services, request, audit }) => {
    const accounts = requireAccounts(services);
    const { oidc } = accounts;
    if (!oidc) throw new ConflictError(serverText('no-openid'));
    const { location, cookies, principal, refusal } = await oidc.finish(request.headers, query);
    const facts = { headers: request.headers, details: { method: oidc.name } };
    if (principal) await services.audit.record(principal, 'sign-in', facts);
    else
      await audit('sign-in-failed', {
        actorName: refusal?.email ?? undefined,
        target: oidc.name,
        details: { cause: refusal?.cause ?? 'unknown' },
      });
    const email = principal && (await meOf(services, principal)).email;
    const known = email === null ? [] : accounts.rememberBrowser(request.headers, email);
    return setCookies(new Response(null, { status: 303, headers: { location } }), [...cookies, ...known]);
  },
);
