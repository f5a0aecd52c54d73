'use client';

import useSWR from 'swr';
import { paths } from '#components/api/paths.ts';
import type { ConnectableId, ProviderId } from '#server/core/admin/provider-names';
import type { ConnectOutcome, LocalServers, ProviderTest } from '#server/core/admin/providers';
import { api } from '#components/api/api-client.ts';
import type { SettingsReport } from '#server/core/admin/settings-report';

/** A provider's settings while they are being edited; missing fields keep their stored value. */
interface ProviderDraft {
  readonly apiKey?: string;
  readonly baseUrl?: string;
  /** The model for the test; null: the recommended one. */
  readonly modelId: string | null;
  /** True to connect even if the model could not use a tool. */
  readonly anyway?: boolean;
}

const provider = (id: ProviderId) => `${paths.engineSettings}/providers/${id}`;

/** Requests about the model providers, for administrators. All throw ApiError. */
export const providerApi = {
  /** Tests the provider and stores it if the test succeeds. */
  connect: (id: ConnectableId, draft: ProviderDraft) => api.json<ConnectOutcome>('PUT', provider(id), draft),
  disconnect: (id: ConnectableId) => api.json<undefined>('DELETE', provider(id)),
  test: (id: ProviderId) => api.json<ProviderTest>('POST', `${provider(id)}/test`),
  /** Model servers, such as Ollama, that were found on the machine of this server. */
  localServers: async () => (await api.get<LocalServers>('/api/settings/local-servers')).items,
};

/** All providers, without secrets; undefined while loading. */
export function useProviders() {
  const providers = useSWR<SettingsReport, Error>(paths.engineSettings);
  return { providers: providers.data?.providers, error: providers.error, reload: () => providers.mutate() };
}
