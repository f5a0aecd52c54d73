import { ConflictError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';
import { accountsForPage, passwordAttempt } from '#server/http/sign-in-routes';
import { noContent } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { forgottenBody } from '#server/http/schemas/access';
import type { Services } from '#server/services';

/**
 * The response and its duration are the same whether or not the address has an account. Everyone may send this request,
 * so earlier links, including invitations, stay valid.
 */
export const POST = route(
  {
    summary: 'Mails a link for a new password to this address, if somebody has it',
    answer: { 204: null },
    access: 'public',
    body: forgottenBody,
  },
  async ({ body: { email }, services, request }) => {
    const accounts = accountsForPage(services, request);
    if (!services.mailer) throw new ConflictError(serverText('no-mail'));
    const attempt = await passwordAttempt(accounts, email, request);
    const mayMail = await services.limits.passwordLink(attempt);
    if (mayMail) void sendLink(services, attempt, request.headers);
    return noContent();
  },
);

/** Runs after the response, so that the duration does not reveal whether the address is known. Never rejects. */
async function sendLink(
  { accounts, notifications, limits, audit, log }: Services,
  attempt: Awaited<ReturnType<typeof passwordAttempt>>,
  headers: Headers,
): Promise<void> {
  const { email } = attempt;
  try {
    const found = (await accounts?.people.list())?.find((person) => person.email === email && !person.banned);
    if (!accounts || !notifications || !found) return;
    // The request still counts: otherwise nothing would limit requests while the mail server refuses mails for now.
    if (notifications.isRetrying(found.id)) return;
    const { person, token } = await accounts.people.makePasswordToken(found.id, 'keep');
    const { problem, isRetried } = await notifications.sendRequestedLink(person, token);
    if (isRetried) await limits.linkNotMailed(attempt);
    if (problem !== null) log.error({ problem }, 'A link for a forgotten password could not be mailed');
    const details = { id: person.id, purpose: token.purpose, mailed: problem === null };
    await audit.record(null, 'password-link-made', { actorName: email, target: email, details, headers });
  } catch (error) {
    log.error({ err: error }, 'A link for a forgotten password could not be made');
  }
}
