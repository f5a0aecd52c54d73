import { oauthErrorResponse } from '#server/http/oauth/oauth-error';
import { formOf, noteDisconnected, OAUTH_BODY_BYTES, requireOAuth } from '#server/http/oauth/oauth-routes';
import { bytesBody } from '#server/http/read-body';
import { route } from '#server/http/route';
import { oauthAnswer } from '#server/http/schemas/oauth';

export const POST = route(
  {
    summary: 'Disconnects a program that presents one of its tokens (RFC 7009)',
    access: 'public',
    body: bytesBody,
    mediaTypes: ['application/x-www-form-urlencoded'],
    bodyLimit: OAUTH_BODY_BYTES,
    answer: { 200: oauthAnswer },
    refusal: oauthErrorResponse,
  },
  async ({ body, services, audit }) => {
    const revoked = await requireOAuth(services).revoke(formOf(body));
    if (revoked) await noteDisconnected(services, audit, revoked);
    return {};
  },
);
