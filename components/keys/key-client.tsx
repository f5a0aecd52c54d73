import { api } from '#components/api/api-client';
import type { ApiKey, NewApiKey, OwnedApiKey } from '#server/core/people';

/** Addresses that SWR caches by. */
export const keyPaths = { own: '/api/keys', all: '/api/keys?all=1' };

export interface ApiKeyList {
  readonly items: readonly OwnedApiKey[];
}

export interface CreatedApiKey {
  /** The key itself, this one time. */
  readonly key: string;
  readonly apiKey: ApiKey;
}

/** API keys. */
export const keys = {
  create: (key: NewApiKey) => api.json<CreatedApiKey>('POST', keyPaths.own, key),
  revoke: (id: string) => api.json<undefined>('DELETE', `${keyPaths.own}/${id}`),
};
