import useSWR from 'swr';
import { useMe } from '#components/access/access-client';
import { api } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import type { CallRequest } from '#server/core/call-requests';
import type { EditorialCall } from '#server/core/approvals';
import { ShieldQuestionMark } from 'lucide-react';
import Link from 'next/link';
import { ACCOUNT_PATH } from '#components/desk/navigation';
import { strings } from '#components/words';

/** Calls in the conversations of authors, for whoever may decide them; without data for anybody else. */
export function useEditorialCalls(refreshInterval: number) {
  const me = useMe();
  const isAsked = me?.kind === 'user' && me.role !== 'author';
  const path = isAsked ? paths.editorialCalls : null;
  return useSWR<{ readonly items: readonly EditorialCall[] }, Error>(path, { refreshInterval });
}

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
  return api.json<CallRequest>('POST', `${paths.callRequests}/${id}`, decision);
}

/** Polling interval in ms: people who work elsewhere need not know within seconds. */
const REFRESH_MS = 20_000;

/** Link to the calls that wait for whoever looks; nothing if there are none. */
export function WaitingMark() {
  const { data } = useSWR<CallRequestList, Error>(paths.callRequests, { refreshInterval: REFRESH_MS });
  const { data: editorial } = useEditorialCalls(REFRESH_MS);
  const count = (data ? waitingOf(data).length : 0) + (editorial?.items.length ?? 0);
  if (count === 0) return null;
  return (
    <Link
      href={ACCOUNT_PATH}
      aria-label={strings.waitingCalls(count)}
      title={strings.waitingCalls(count)}
      className="flex h-8 items-center gap-1 rounded-md px-2 text-sm text-amber hover:bg-ink/6"
    >
      <ShieldQuestionMark aria-hidden className="size-4" />
      {count}
    </Link>
  );
}
