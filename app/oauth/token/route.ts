import { oauthErrorResponse } from '#server/http/oauth/oauth-error';
import { formOf, noteDisconnected, OAUTH_BODY_BYTES, requireOAuth } from '#server/http/oauth/oauth-routes';
import { bytesBody } from '#server/http/read-body';
import { route } from '#server/http/route';
import { oauthAnswer } from '#server/http/schemas/oauth';

export const POST = route(
  {
    summary: 'Exchanges a code or a refresh token for tokens (OAuth 2.1)',
    access: 'public',
    body: bytesBody,
    mediaTypes: ['application/x-www-form-urlencoded'],
    bodyLimit: OAUTH_BODY_BYTES,
    answer: { 200: oauthAnswer },
    refusal: oauthErrorResponse,
  },
  async ({ body, services, audit }) => {
    const answer = await requireOAuth(services).token(formOf(body), (revoked, sign) =>
      noteDisconnected(services, audit, revoked, sign),
    );
    return Response.json(answer, { headers: { 'cache-control': 'no-store' } });
  },
);
