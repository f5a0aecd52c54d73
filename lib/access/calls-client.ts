import { api } from '#lib/api/api-client';
import type { CallRequest } from '#server/core/call-requests';

/** Address that SWR caches by. */
export const CALL_REQUESTS_PATH = '/api/call-requests';

export interface CallRequestList {
  readonly items: readonly CallRequest[];
}

/** Those that nobody has decided. */
export function waitingOf({ items }: CallRequestList): readonly CallRequest[] {
  return items.filter(({ status }) => status === 'pending');
}

/** Agrees to a call of another assistant, or denies it. */
export function decideCall(id: string, decision: { readonly approved: boolean; readonly reason?: string }) {
  return api.json<CallRequest>('POST', `${CALL_REQUESTS_PATH}/${id}`, decision);
}
