import { changedValues } from '#server/core/admin/audit';
import { hasAllSites, sitesFor } from '#server/core/admin/site-access';
import { personSchema } from '#server/core/admin/people';
import { requireAccounts } from '#server/http/sign-in-routes';
import { noContent } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { personChangesBody, personParams } from '#server/http/schemas/access';

/**
 * A ban and a new password sign the person out everywhere. A ban, the role of an author and access to fewer sites stop
 * their turns. A new password revokes their API keys, unless the request keeps them. A role applies from their next
 * request on.
 */
export const PATCH = route(
  {
    summary: 'Changes an account',
    answer: personSchema,
    access: 'administrator',
    isFresh: true,
    params: personParams,
    body: personChangesBody,
  },
  async ({ params, body, services, audit }) => {
    const { people } = requireAccounts(services);
    const former = await people.find(params.id);
    // Only added sites must exist: former ones may be gone, and sending a person back unchanged must not fail.
    const added = body.sites?.filter((id) => former?.sites?.includes(id) !== true);
    await services.sites.requireAll(added ?? []);
    const person = await people.update(params.id, body);
    const { id, email, role, banned } = person;
    const roles = former === null || former.role === role ? { role } : { role, formerRole: former.role };
    const keys = body.password === undefined ? {} : { apiKeys: body.apiKeys ?? 'revoke' };
    const changes = changedValues(['role', 'banned', 'sites'], former, person);
    await audit('user-changed', {
      target: email,
      details: { id, changed: Object.keys(body), changes, banned, ...roles, ...keys },
    });
    if (body.password !== undefined) await services.chat.endLapsedKeyWork();
    const losesSite = role === 'author' && former?.role !== role;
    const isNarrowed = !hasAllSites(sitesFor(role, person.sites), former && sitesFor(former.role, former.sites));
    services.rightsChanged(id);
    if (banned || losesSite || isNarrowed) await services.chat.cancelAllOf(id);
    return person;
  },
);

/**
 * Signs them out, revokes their API keys and stops their turns. Their conversations stay accessible to administrators.
 */
export const DELETE = route(
  {
    summary: 'Deletes an account',
    answer: { 204: null },
    access: 'administrator',
    isFresh: true,
    params: personParams,
  },
  async ({ params, services, audit }) => {
    const { email } = await requireAccounts(services).people.remove(params.id);
    await audit('user-deleted', { target: email, details: { id: params.id } });
    services.rightsChanged(params.id);
    await services.chat.cancelAllOf(params.id);
    return noContent();
  },
);
