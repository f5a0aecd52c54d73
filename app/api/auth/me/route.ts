import { meSchema } from '#server/core/admin/people';
import { meOf, requireAccounts, withCookies, withLimitedAttempts } from '#server/http/sign-in-routes';
import { route } from '#server/http/route';
import { meChangesBody } from '#server/http/schemas/access';

/** The authenticated caller. The request extends their sign-in and marks the browser as known for their account. */
export const GET = route(
  { summary: 'The caller: name, role and language', answer: meSchema, access: 'signed-in' },
  async ({ principal, services, request }) => {
    const me = await meOf(services, principal);
    const { accounts } = services;
    if (principal.kind !== 'user' || !accounts || me.email === null) return withCookies(me, []);
    const known = accounts.rememberBrowser(request.headers, me.email);
    return withCookies(me, [...(await accounts.prolong(request.headers)), ...known]);
  },
);

/**
 * Changes the caller's own name, language or password. A new password signs them out in every other browser and revokes
 * their API keys, unless the request keeps them.
 */
export const PATCH = route(
  { summary: 'Changes your own name, language or password', answer: meSchema, access: 'person', body: meChangesBody },
  async ({ body: { password, ...changes }, principal, services, request, audit }) => {
    const accounts = requireAccounts(services);
    if (password) {
      await withLimitedAttempts({ services, request, principal }, () =>
        accounts.changePassword(request.headers, password),
      );
      services.rightsChanged(principal.userId);
      await services.chat.endLapsedKeyWork();
      await audit('password-changed', { details: { apiKeys: password.apiKeys } });
    }
    if (Object.keys(changes).length > 0) await accounts.people.update(principal.userId, changes);
    return meOf(services, principal);
  },
);
