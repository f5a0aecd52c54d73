import { meSchema } from '#server/core/people';
import { meOf, requireAccounts, withCookies } from '#server/http/page-access';
import { clientOf } from '#server/auth/client';
import { route } from '#server/http/route';
import { meChangesBody } from '#server/http/schemas/access';

/** The authenticated caller. Asking extends their sign-in. */
export const GET = route(
  { summary: 'Who asks', answer: meSchema, access: 'signed-in' },
  async ({ principal, services, request }) => {
    const cookies = principal.kind === 'user' ? await services.accounts?.prolong(request.headers) : [];
    return withCookies(await meOf(services, principal), cookies ?? []);
  },
);

/**
 * Changes the caller's own name or password; a new password signs them out in every other browser and, unless they are
 * to be kept, revokes their API keys.
 */
export const PATCH = route(
  { summary: 'Changes your own name or password', answer: meSchema, access: 'person', body: meChangesBody },
  async ({ body: { name, password }, principal, services, request, audit }) => {
    const accounts = requireAccounts(services);
    if (password) {
      const { email } = await meOf(services, principal);
      const attempt = { address: clientOf(request.headers).address, email: email ?? principal.userId };
      // Who finds a browser open must not find out the password, either.
      await services.limits.attempts.take(attempt);
      await accounts.changePassword(request.headers, password);
      await services.limits.attempts.succeeded(attempt);
      await services.chat.endLapsedKeyWork();
      await audit('password-changed', { details: { apiKeys: password.apiKeys } });
    }
    if (name !== undefined) await accounts.people.update(principal.userId, { name });
    return meOf(services, principal);
  },
);
