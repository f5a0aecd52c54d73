import { NotFoundError } from '#server/core/errors';
import { oauthErrorResponse } from '#server/http/oauth/oauth-error';
import { route } from '#server/http/route';

/** Clients that found no metadata try this address, and fail at an answer that is not JSON. */
export const POST = route(
  {
    summary: 'Says that programs do not register here',
    access: 'public',
    answer: {},
    ignoresBody: true,
    refusal: oauthErrorResponse,
  },
  async () => {
    throw new NotFoundError('address', '/register');
  },
);
