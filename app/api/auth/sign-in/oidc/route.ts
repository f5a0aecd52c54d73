import { serverText } from '#server/core/messages/server-text';
import { safeNext } from '#server/core/sign-in-paths';
import { ConflictError } from '#server/core/errors';
import { accountsForPage, withCookies } from '#server/http/sign-in-routes';
import { route } from '#server/http/route';
import { oidcAnswer, oidcBody } from '#server/http/schemas/access';

export const POST = route(
  {
    summary: 'Begins a sign-in with the OpenID Connect provider: the browser goes to this address',
    answer: oidcAnswer,
    access: 'public',
    body: oidcBody,
  },
  async ({ body: { next, isAfresh }, services, request }) => {
    const { oidc } = accountsForPage(services, request);
    if (!oidc) throw new ConflictError(serverText('no-openid'));
    const { url, cookies } = await oidc.begin(request.headers, safeNext(next), isAfresh);
    return withCookies({ url }, cookies);
  },
);
