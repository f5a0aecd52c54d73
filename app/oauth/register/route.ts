import { z } from 'zod';
import { created } from '#server/http/json-responses';
import { oauthErrorResponse } from '#server/http/oauth/oauth-error';
import { countRegistration, OAUTH_BODY_BYTES, requireOAuth } from '#server/http/oauth/oauth-routes';
import { route } from '#server/http/route';
import { oauthAnswer } from '#server/http/schemas/oauth';

/** A registration grants nothing: a person has to agree on our page. */
export const POST = route(
  {
    summary: 'Registers a program that wants to be connected (RFC 7591)',
    access: 'public',
    body: z.unknown(),
    bodyLimit: OAUTH_BODY_BYTES,
    answer: { 201: oauthAnswer },
    refusal: oauthErrorResponse,
  },
  async ({ body, request, services }) => {
    const oauth = requireOAuth(services);
    await countRegistration(services, request);
    return created(await oauth.register(body));
  },
);
