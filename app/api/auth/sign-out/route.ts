import { accountsForPage, setCookies } from '#server/http/page-access';
import { noContent } from '#server/http/schemas/answer';
import { route } from '#server/http/route';

/** Ends the sign-in of this browser; one that has ended already is fine too. */
export const POST = route(
  { summary: 'Ends the sign-in of this browser', answer: { 204: null }, access: 'public' },
  async ({ services, request }) => {
    const accounts = accountsForPage(services, request);
    const principal = await accounts.signedIn(request.headers);
    const cookies = await accounts.signOut(request.headers);
    if (principal) await services.audit.record(principal, 'sign-out', { headers: request.headers });
    return setCookies(noContent(), cookies);
  },
);
