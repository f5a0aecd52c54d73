import useSWR from 'swr';
import { useMe } from '#components/access/use-me';
import { api } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import type { CallRequest } from '#server/core/call-requests';
import type { EditorialCall } from '#server/core/messages';

/** Calls in the conversations of authors, for whoever may decide them; without data for anybody else. */
export function useEditorialCalls(refreshInterval: number) {
  const me = useMe();
  const isAsked = me?.kind === 'user' && me.role !== 'author';
  const path = isAsked ? paths.editorialCalls : null;
  return useSWR<{ readonly items: readonly EditorialCall[] }, Error>(path, { refreshInterval });
}

/** Address that SWR caches by. */
export const CALL_REQUESTS_PATH = paths.callRequests;

export interface CallRequestList {
  readonly items: readonly CallRequest[];
}

/** Calls that nobody has decided. */
export function waitingOf({ items }: CallRequestList): readonly CallRequest[] {
  return items.filter(({ status }) => status === 'pending');
}

/** Agrees to a call in an author's conversation, or denies it; its turn goes on. */
export function decideEditorial({ sessionId, toolCallId }: EditorialCall, approved: boolean) {
  const path = `${paths.session(sessionId)}/approvals`;
  return api.json<unknown>('POST', path, { decisions: [{ toolCallId, approved }] });
}

/** Agrees to a call of another assistant, or denies it. */
export function decideCall(id: string, decision: { readonly approved: boolean }) {
  return api.json<CallRequest>('POST', `${CALL_REQUESTS_PATH}/${id}`, decision);
}
