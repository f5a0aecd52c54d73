import { requireAccounts } from '#server/http/sign-in-routes';
import { noContent } from '#server/http/schemas/answer';
import { route } from '#server/http/route';
import { signInParams } from '#server/http/schemas/access';

/** Whoever had that browser has to sign in again; all at once end with a sign-out everywhere. */
export const DELETE = route(
  { summary: 'Signs you out in another browser', answer: { 204: null }, access: 'person', params: signInParams },
  async ({ params, services, principal, request, audit }) => {
    await requireAccounts(services).endSignIn(request.headers, params.id);
    services.rightsChanged(principal.userId);
    await audit('sign-out', { details: { signIn: params.id } });
    return noContent();
  },
);
