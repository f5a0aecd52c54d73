import { allows } from '#server/core/admin/access-rights';
import { noContent } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { apiKeyParams } from '#server/http/schemas/access';

/**
 * Your own key; an administrator may revoke any key. The key is invalid from the next request on, and work started with
 * it stops.
 */
export const DELETE = route(
  {
    summary: 'Revokes an API key: its next request is refused, what it began is stopped or held',
    access: 'person',
    params: apiKeyParams,
    answer: { 204: null },
  },
  async ({ params, principal, services, audit }) => {
    const whose = allows(principal.scopes, 'admin') ? null : principal.userId;
    const { id, name, userId } = await services.keys.revoke(params.id, whose);
    services.rightsChanged(userId);
    await services.chat.endLapsedKeyWork();
    await audit('key-revoked', { target: name, details: { keyId: id, userId } });
    return noContent();
  },
);
