import { clientOf } from '#server/platform/auth/trusted-headers';
import { plainErrorResponse } from '#server/http/error-response';
import { route } from '#server/http/route';
import { content as file } from '#server/http/schemas/route-answer';
import { sharedDraftParams } from '#server/http/schemas/content';

export const GET = route(
  {
    summary: 'The draft that a preview link shows to everybody who has its address',
    answer: {
      200: file('text/html', 'The page, without scripts. An address that is unknown, expired or revoked: 404.'),
    },
    access: 'public',
    params: sharedDraftParams,
    refusal: plainErrorResponse,
  },
  async ({ params, request: { headers }, services: { env, limits, sharedDrafts } }) => {
    if (env.AUTH_MODE === 'accounts') await limits.page(clientOf(headers).address);
    return sharedDrafts.page(params.secret);
  },
);
