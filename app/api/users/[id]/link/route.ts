import { passwordLinkSchema } from '#server/core/admin/people';
import { requireAccounts } from '#server/http/sign-in-routes';
import { created } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { personParams } from '#server/http/schemas/access';

/**
 * Sends an invitation to people without a password, else a reset link. The link is mailed, or returned to the
 * administrator if it cannot be mailed.
 */
export const POST = route(
  {
    summary: 'Makes a link for somebody to choose a password with, and mails it where a mail server is set',
    answer: { 201: passwordLinkSchema },
    access: 'administrator',
    isFresh: true,
    params: personParams,
  },
  async ({ params, services, principal, audit }) => {
    const { people } = requireAccounts(services);
    const { person, token } = await people.makePasswordToken(params.id);
    const link = await services.notifications!.sendPasswordLink(person, token, principal.name);
    const { purpose } = token;
    await audit('password-link-made', {
      target: person.email,
      details: { id: person.id, purpose, mailed: link.mailedTo !== null },
    });
    return created(link);
  },
);
