import type { ApiKey, NewApiKey, OwnedApiKey } from '#server/core/admin/api-keys';
import { api } from '#components/api/api-client.ts';

/** API paths of the lists of keys, the user's own or all; also the SWR cache keys. */
export const keyPaths = { own: '/api/keys', all: '/api/keys?all=1' };

/** API keys with their owners. */
export interface ApiKeyList {
  readonly items: readonly OwnedApiKey[];
}

interface CreatedApiKey {
  /** The key itself, returned only once. */
  readonly key: string;
  readonly apiKey: ApiKey;
}

/** Requests that create and revoke API keys. All throw ApiError. */
export const apiKeyRequests = {
  create: (key: NewApiKey) => api.json<CreatedApiKey>('POST', keyPaths.own, key),
  revoke: (id: string) => api.json<undefined>('DELETE', `${keyPaths.own}/${id}`),
};
