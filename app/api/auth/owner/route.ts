import { ForbiddenError } from '#server/core/errors';
import { principalOf, personSchema } from '#server/core/admin/people';
import { accountsForPage, withCookies } from '#server/http/sign-in-routes';
import { clientOf } from '#server/platform/auth/trusted-headers';
import { serverText } from '#server/core/messages/server-text';
import { route } from '#server/http/route';
import { ownerBody } from '#server/http/schemas/access';

/** Creates the first account, for the person who can read the server's log, and signs it in. */
export const POST = route(
  {
    summary: "Makes the first account, with the one-time code from the server's log, and signs it in",
    answer: personSchema,
    access: 'public',
    body: ownerBody,
  },
  async ({ body: { code, ...owner }, services, request, audit }) => {
    const accounts = accountsForPage(services, request);
    const { attempts } = services.limits;
    const attempt = { address: clientOf(request.headers).address, method: 'owner code' };
    await attempts.take(attempt);
    try {
      const person = await accounts.people.createOwner(owner, code);
      await attempts.succeeded(attempt);
      const { headers } = request;
      await services.audit.record(principalOf(person), 'owner-created', { target: person.email, headers });
      const { cookies } = await accounts.signIn(owner.email, owner.password, headers);
      return withCookies(person, [...cookies, ...accounts.rememberBrowser(headers, person.email)]);
    } catch (error) {
      if (error instanceof ForbiddenError)
        await audit('sign-in-failed', { actorName: owner.email, target: serverText('audit-owner-code') });
      throw error;
    }
  },
);
