import useSWR from 'swr';
import { api } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import type { ConnectableId, ProviderId } from '#server/core/provider-words';
import type { ConnectOutcome, LocalServers, ProviderTest } from '#server/core/providers';
import type { SettingsReport } from '#server/core/settings-report';

/** A provider as it is typed; a field that is left out stays as it is stored. */
export interface ProviderDraft {
  readonly apiKey?: string;
  readonly baseUrl?: string;
  /** The model to try; null: the recommended one. */
  readonly modelId: string | null;
  /** Connect although the model could not use a tool. */
  readonly anyway?: boolean;
}

const provider = (id: ProviderId) => `${paths.engineSettings}/providers/${id}`;

/** Providers of models, for administrators. */
export const providerApi = {
  /** Tries it and keeps it where that works. */
  connect: (id: ConnectableId, draft: ProviderDraft) => api.json<ConnectOutcome>('PUT', provider(id), draft),
  disconnect: (id: ConnectableId) => api.json<undefined>('DELETE', provider(id)),
  test: (id: ProviderId) => api.json<ProviderTest>('POST', `${provider(id)}/test`),
  /** Model servers that answer on the server's machine. */
  localServers: async () => (await api.get<LocalServers>('/api/settings/local-servers')).items,
};

/** All providers, without any secret; undefined until they are loaded. */
export function useProviders() {
  const { data, error, mutate } = useSWR<SettingsReport, Error>(paths.engineSettings);
  return { providers: data?.providers, error, reload: () => mutate() };
}
