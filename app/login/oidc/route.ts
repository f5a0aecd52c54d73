import { ConflictError } from '#server/core/errors';
import { requireAccounts, setCookies } from '#server/http/sign-in-routes';
import { content } from '#server/http/schemas/answer';
import { route } from '#server/http/route';
import { oidcCallbackQuery } from '#server/http/schemas/access';

/** A browser comes here from the provider, so from another site; the cookie that it left with is what it is known by. */
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
    const { oidc } = requireAccounts(services);
    if (!oidc) throw new ConflictError('No OpenID Connect provider is set here (OIDC_ISSUER).');
    const { location, cookies, principal } = await oidc.finish(request.headers, query);
    const facts = { headers: request.headers, details: { method: oidc.name } };
    if (principal) await services.audit.record(principal, 'sign-in', facts);
    else await audit('sign-in-failed', { actorName: 'Unknown', target: oidc.name });
    return setCookies(new Response(null, { status: 303, headers: { location } }), cookies);
  },
);
