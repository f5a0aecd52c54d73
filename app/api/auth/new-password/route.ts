import { ForbiddenError } from '#server/core/errors';
import { personSchema, principalOf } from '#server/core/people';
import { accountsForPage } from '#server/http/sign-in-routes';
import { route } from '#server/http/route';
import { newPasswordBody } from '#server/http/schemas/access';

/** Whoever has chosen one signs in with it as always: a second factor is asked for then. */
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
      return person;
    } catch (error) {
      if (error instanceof ForbiddenError) await audit('sign-in-failed', { actorName: 'Unknown', target: 'link' });
      throw error;
    }
  },
);
