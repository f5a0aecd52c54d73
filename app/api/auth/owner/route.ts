import { principalOf } from '#server/core/people';
import { requireAccounts, withCookies } from '#server/http/accounts';
import { requireOwnersMachine } from '#server/http/may-create-owner';
import { route } from '#server/http/route';
import { ownerSchema } from '#server/http/schemas/answers/people';
import { ownerBody } from '#server/http/schemas/people';

/** Makes the first account, for whoever sits at the machine of the server, and signs it in. */
export const POST = route(
  {
    summary: 'Makes the first account, at the machine of the server, and signs it in',
    answer: ownerSchema,
    access: 'public',
    body: ownerBody,
  },
  async ({ body, services, request }) => {
    const accounts = requireAccounts(services);
    requireOwnersMachine(request.headers);
    const person = await accounts.people.createOwner(body);
    await services.audit.record(principalOf(person), 'owner-created', {
      target: person.email,
      headers: request.headers,
    });
    const { cookies } = await accounts.signIn(body.email, body.password);
    return withCookies({ person, origin: accounts.origin }, cookies);
  },
);
