import { meSchema } from '#server/core/people';
import { meOf, requireAccounts, withCookies, withPassword } from '#server/http/sign-in-routes';
import { route } from '#server/http/route';
import { meChangesBody } from '#server/http/schemas/access';

/** The authenticated caller. Asking extends their sign-in. */
export const GET = route(
  { summary: 'The caller: name, role and language', answer: meSchema, access: 'signed-in' },
  async ({ principal, services, request }) => {
    const cookies = principal.kind === 'user' ? await services.accounts?.prolong(request.headers) : [];
    return withCookies(await meOf(services, principal), cookies ?? []);
  },
);

/**
 * Changes the caller's own name, language or password; a new password signs them out in every other browser and, unless they are
 * to be kept, revokes their API keys.
 */
export const PATCH = route(
  { summary: 'Changes your own name, language or password', answer: meSchema, access: 'person', body: meChangesBody },
  async ({ body: { password, ...changes }, principal, services, request, audit }) => {
    const accounts = requireAccounts(services);
    if (password) {
      await withPassword({ services, request, principal }, () => accounts.changePassword(request.headers, password));
      services.rightsChanged(principal.userId);
      await services.chat.endLapsedKeyWork();
      await audit('password-changed', { details: { apiKeys: password.apiKeys } });
    }
    if (Object.keys(changes).length > 0) await accounts.people.update(principal.userId, changes);
    return meOf(services, principal);
  },
);
