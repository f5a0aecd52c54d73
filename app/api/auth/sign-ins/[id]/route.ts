import { requireAccounts } from '#server/http/sign-in-routes';
import { noContent } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { signInParams } from '#server/http/schemas/access';

/** The person in that browser has to sign in again. `POST /api/auth/sign-out` with `everywhere` ends all sign-ins. */
export const DELETE = route(
  { summary: 'Signs you out in another browser', answer: { 204: null }, access: 'person', params: signInParams },
  async ({ params, services, principal, request, audit }) => {
    await requireAccounts(services).endSignIn(request.headers, params.id);
    services.rightsChanged(principal.userId);
    await audit('sign-out', { details: { signIn: params.id } });
    return noContent();
  },
);
