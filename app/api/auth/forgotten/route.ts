import { clientOf } from '#server/auth/client';
import { ConflictError } from '#server/core/errors';
import { accountsForPage } from '#server/http/sign-in-routes';
import { noContent } from '#server/http/schemas/answer';
import { route } from '#server/http/route';
import { forgottenBody } from '#server/http/schemas/access';
import type { Services } from '#server/services';

/** Answers the same, and as fast, whether somebody has this address or not. */
export const POST = route(
  {
    summary: 'Mails a link for a new password to this address, if somebody has it',
    answer: { 204: null },
    access: 'public',
    body: forgottenBody,
  },
  async ({ body: { email }, services, request }) => {
    accountsForPage(services, request);
    if (!services.mailer) throw new ConflictError('This server sends no mail. Ask an administrator for a link.');
    await services.limits.forgotten({ address: clientOf(request.headers).address, email });
    void sendLink(services, email, request.headers);
    return noContent();
  },
);

/** Never rejects: nobody waits for it. */
async function sendLink({ accounts, letters, audit, log }: Services, email: string, headers: Headers): Promise<void> {
  try {
    const found = (await accounts?.people.list())?.find((person) => person.email === email && !person.banned);
    if (!accounts || !letters || !found) return;
    const { person, token } = await accounts.people.makePasswordToken(found.id);
    const { problem } = await letters.sendPasswordLink(person, token, null);
    if (problem !== null) log.error({ problem }, 'A link for a forgotten password could not be mailed');
    const details = { id: person.id, purpose: token.purpose, mailed: problem === null };
    await audit.record(null, 'password-link-made', { actorName: email, target: email, details, headers });
  } catch (error) {
    log.error({ err: error }, 'A link for a forgotten password could not be made');
  }
}
