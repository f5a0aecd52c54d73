import { peopleSchema, personSchema } from '#server/core/admin/people';
import { requireAccounts } from '#server/http/sign-in-routes';
import { created } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { invitedPersonBody } from '#server/http/schemas/access';

export const GET = route(
  { summary: 'The people who may sign in', answer: peopleSchema, access: 'administrator' },
  async ({ services }) => ({
    items: await requireAccounts(services).people.list(),
  }),
);

/**
 * No self-registration: an administrator creates the account and invites its owner (`users/[id]/link`) or gives them a
 * password.
 */
export const POST = route(
  {
    summary: 'Makes an account; without a password its owner is invited by the link of `POST /api/users/{id}/link`',
    answer: { 201: personSchema },
    access: 'administrator',
    isFresh: true,
    body: invitedPersonBody,
  },
  async ({ body, services, audit }) => {
    const { people } = requireAccounts(services);
    await services.sites.requireAll(body.sites ?? []);
    const person = await people.create(body);
    await audit('user-created', { target: person.email, details: { id: person.id, role: person.role } });
    return created(person);
  },
);
