import { signInFactorsSchema } from '#server/core/admin/people';
import { requireAccounts } from '#server/http/sign-in-routes';
import { route } from '#server/http/route';

export const GET = route(
  {
    summary: 'What you sign in with: password, passkeys, one-time codes',
    answer: signInFactorsSchema,
    access: 'person',
  },
  async ({ services, request }) => requireAccounts(services).factors.of(request.headers),
);
