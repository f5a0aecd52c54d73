import { accountsForPage, setCookies } from '#server/http/sign-in-routes';
import { noContent } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { signOutBody } from '#server/http/schemas/access';

/** Succeeds also if the sign-in has already ended. */
export const POST = route(
  {
    summary: 'Ends the sign-in of this browser, or all of its user’s',
    answer: { 204: null },
    access: 'public',
    body: signOutBody,
  },
  async ({ body: { everywhere }, services, request }) => {
    const accounts = accountsForPage(services, request);
    const principal = await accounts.signedIn(request.headers);
    const cookies = await accounts.signOut(request.headers, everywhere);
    const facts = { headers: request.headers, ...(everywhere && { details: { everywhere } }) };
    if (principal) {
      services.rightsChanged(principal.userId);
      await services.audit.record(principal, 'sign-out', facts);
    }
    return setCookies(noContent(), cookies);
  },
);
