import { api } from '#components/api/api-client.ts';
import type { Body } from '#components/api/routes.ts';

/** Requests that create and revoke API keys. All throw ApiError. */
export const apiKeyRequests = {
  create: (body: Body<'POST', '/api/keys'>) => api.request('POST', '/api/keys', { body }),
  revoke: (id: string) => api.request('DELETE', '/api/keys/{id}', { params: { id } }),
};
