'use client';

import { paths } from '#components/api/paths.ts';
import type { ConnectableId, ProviderId } from '#server/core/admin/provider-names';
import type { Body } from '#components/api/routes.ts';
import { api } from '#components/api/api-client.ts';
import { useApi } from '#components/api/use-api.ts';

/** Requests about the model providers, for administrators. All throw ApiError. */
export const providerApi = {
  /** Tests the provider and stores it if the test succeeds. */
  connect: (id: ConnectableId, body: Body<'PUT', '/api/settings/providers/{id}'>) =>
    api.request('PUT', '/api/settings/providers/{id}', { params: { id }, body }),
  disconnect: (id: ConnectableId) => api.request('DELETE', '/api/settings/providers/{id}', { params: { id } }),
  test: (id: ProviderId) => api.request('POST', '/api/settings/providers/{id}/test', { params: { id } }),
  /** Model servers, such as Ollama, that were found on the machine of this server. */
  localServers: async () => (await api.get(paths.localServers)).items,
};

/** All providers, without secrets; undefined while loading. */
export function useProviders() {
  const providers = useApi(paths.engineSettings);
  return { providers: providers.data?.providers, error: providers.error, reload: () => providers.mutate() };
}
