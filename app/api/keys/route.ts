import { apiKeysAnswer, createdApiKeyAnswer } from '#server/core/admin/api-keys';
import { requireAdmin } from '#server/http/admission';
import { created } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { apiKeysQuery, createApiKeyBody } from '#server/http/schemas/access';

export const GET = route(
  {
    summary: 'Your API keys; with all=1 everybody’s, for administrators',
    access: 'person',
    query: apiKeysQuery,
    answer: apiKeysAnswer,
  },
  async ({ query, principal, services }) => {
    if (query.all) requireAdmin(principal);
    return { items: await services.keys.list(query.all ? null : principal.userId) };
  },
);

export const POST = route(
  {
    summary: 'Makes an API key and shows it, this one time',
    access: 'person',
    isFresh: true,
    body: createApiKeyBody,
    answer: { 201: createdApiKeyAnswer },
  },
  async ({ body, principal, services, audit }) => {
    const { key, stored } = await services.keys.create(principal, body);
    await audit('key-created', { target: stored.name, details: { keyId: stored.id, scopes: [...stored.scopes] } });
    return created({ key, apiKey: stored });
  },
);
