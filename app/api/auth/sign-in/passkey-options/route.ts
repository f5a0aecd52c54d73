import { passkeyOptionsSchema } from '#server/core/admin/people';
import { accountsForPage, withCookies } from '#server/http/sign-in-routes';
import { route } from '#server/http/route';

export const POST = route(
  { summary: 'What a browser needs to sign in with a passkey', answer: passkeyOptionsSchema, access: 'public' },
  async ({ services, request }) => {
    const { options, cookies } = await accountsForPage(services, request).factors.signInOptions(request.headers);
    return withCookies(options, cookies);
  },
);
