import { requireAccounts } from '#server/http/sign-in-routes';
import { noContent } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { passkeyParams } from '#server/http/schemas/access';

export const DELETE = route(
  {
    summary: 'Forgets one of your passkeys',
    answer: { 204: null },
    access: 'person',
    isFresh: true,
    params: passkeyParams,
  },
  async ({ params, services, request, audit }) => {
    const { id, name } = await requireAccounts(services).factors.removePasskey(request.headers, params.id);
    await audit('second-factor-removed', { target: name, details: { kind: 'passkey', id } });
    return noContent();
  },
);
