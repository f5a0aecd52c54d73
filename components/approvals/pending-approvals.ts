import { useMe } from '#components/access/access-client.ts';
import type { Answer, Body } from '#components/api/routes.ts';
import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { useApi } from '#components/api/use-api.ts';
import type { CallRequest } from '#server/core/conversation/pending-approvals';
import type { EditorialCall } from '#server/core/conversation/approvals';

/**
 * Calls in conversations of authors, for people who may decide them; for others nothing is requested, and `data` stays
 * undefined.
 * @param refreshInterval polling interval; milliseconds
 */
export function useEditorialCalls(refreshInterval: number) {
  const me = useMe();
  const isAsked = me?.kind === 'user' && me.role !== 'author';
  const path = isAsked ? paths.editorialCalls : null;
  return useApi(path, { refreshInterval });
}

/** Calls of other assistants. */
export type CallRequestList = Answer<'GET', '/api/call-requests'>;

/** Calls without a decision. */
export function waitingOf({ items }: CallRequestList): readonly CallRequest[] {
  return items.filter(({ status }) => status === 'pending');
}

/** Approves or denies a call in an author's conversation; its turn continues. */
export function decideEditorial({ sessionId, approvalId }: EditorialCall, approved: boolean, reason?: string) {
  return api.decide(sessionId, [{ approvalId, approved, ...(reason !== undefined && { reason }) }]);
}

/** Approves or denies a call of another assistant. */
export function decideCall(id: string, body: Body<'POST', '/api/call-requests/{id}'>) {
  return api.request('POST', '/api/call-requests/{id}', { params: { id }, body });
}
