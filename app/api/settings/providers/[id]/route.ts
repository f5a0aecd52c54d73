import { connectedSchema } from '#server/core/admin/providers';
import { route } from '#server/http/route';
import { noContent } from '#server/http/json-responses';
import { connectableParams, connectProviderBody } from '#server/http/schemas/settings';

export const PUT = route(
  {
    summary: 'Tries a provider of models with a key and keeps it if that works; the key is never shown again',
    answer: connectedSchema,
    access: 'admin',
    isFresh: true,
    params: connectableParams,
    body: connectProviderBody,
  },
  async ({ params: { id }, body, services: { providers }, audit, request }) => {
    const outcome = await providers.connect(id, body, request.signal);
    if (outcome.connected) {
      const details = { modelId: outcome.test.modelId, key: body.apiKey === undefined ? 'kept' : 'entered' };
      await audit('provider-connected', { target: id, details });
    }
    return { ...outcome, providers: providers.report() };
  },
);

export const DELETE = route(
  {
    summary: 'Forgets a provider of models, with its key',
    answer: { 204: null },
    access: 'admin',
    isFresh: true,
    params: connectableParams,
  },
  async ({ params: { id }, services: { providers }, audit }) => {
    await providers.disconnect(id);
    await audit('provider-disconnected', { target: id });
    return noContent();
  },
);
