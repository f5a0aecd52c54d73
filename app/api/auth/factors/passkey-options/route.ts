import { passkeyOptionsSchema } from '#server/core/admin/people';
import { requireAccounts, withCookies } from '#server/http/sign-in-routes';
import { route } from '#server/http/route';

export const POST = route(
  {
    summary: 'What a browser needs to make a passkey',
    answer: passkeyOptionsSchema,
    access: 'person',
    isFresh: 'or-first-factor',
  },
  async ({ services, request }) => {
    const { options, cookies } = await requireAccounts(services).factors.passkeyOptions(request.headers);
    return withCookies(options, cookies);
  },
);
