import { ForbiddenError } from '#server/core/errors';
import { personSchema, principalOf } from '#server/core/admin/people';
import { accountsForPage, passwordAttempt, withCookies } from '#server/http/sign-in-routes';
import { serverText } from '#server/core/messages/server-text';
import { route } from '#server/http/route';
import { newPasswordBody } from '#server/http/schemas/access';

/**
 * The person signs in with the new password afterwards, with a second factor if they have one. From here on the browser
 * is known for the account, so wrong passwords tried by others do not lock its owner out.
 */
export const POST = route(
  {
    summary: 'Chooses a password with a link; it ends all sign-ins and API keys of before',
    answer: personSchema,
    access: 'public',
    body: newPasswordBody,
  },
  async ({ body: { token, password }, services, request, audit }) => {
    const accounts = accountsForPage(services, request);
    try {
      const person = await accounts.people.usePasswordToken(token, password);
      services.rightsChanged(person.id);
      await services.chat.endLapsedKeyWork();
      const { headers } = request;
      await services.audit.record(principalOf(person), 'password-link-used', { target: person.email, headers });
      await services.limits.attempts.forget(await passwordAttempt(accounts, person.email, request));
      return withCookies(person, accounts.rememberBrowser(headers, person.email));
    } catch (error) {
      if (error instanceof ForbiddenError) await audit('sign-in-failed', { target: serverText('audit-password-link') });
      throw error;
    }
  },
);
