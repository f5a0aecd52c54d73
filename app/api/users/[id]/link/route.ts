import { passwordLinkSchema } from '#server/core/people';
import { requireAccounts } from '#server/http/sign-in-routes';
import { created } from '#server/http/schemas/answer';
import { route } from '#server/http/route';
import { personParams } from '#server/http/schemas/access';

/** An invitation for who has none yet. The link is mailed, or told to the administrator where it cannot be. */
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
    const link = await services.letters!.sendPasswordLink(person, token, principal.name);
    const { purpose } = token;
    await audit('password-link-made', {
      target: person.email,
      details: { id: person.id, purpose, mailed: link.mailedTo !== null },
    });
    return created(link);
  },
);
