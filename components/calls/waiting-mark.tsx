import { ShieldQuestionMark } from 'lucide-react';
import Link from 'next/link';
import useSWR from 'swr';
import { callStrings as text } from '#components/calls/words';
import { ACCOUNT_PATH } from '#components/desk/navigation';
import {
  CALL_REQUESTS_PATH,
  type CallRequestList,
  useEditorialCalls,
  waitingOf,
} from '#components/calls/call-requests-client';

/** Polling interval in ms: people who work elsewhere need not know within seconds. */
const REFRESH_MS = 20_000;

/** Link to the calls that wait for whoever looks; nothing if there are none. */
export function WaitingMark() {
  const { data } = useSWR<CallRequestList, Error>(CALL_REQUESTS_PATH, { refreshInterval: REFRESH_MS });
  const { data: editorial } = useEditorialCalls(REFRESH_MS);
  const count = (data ? waitingOf(data).length : 0) + (editorial?.items.length ?? 0);
  if (count === 0) return null;
  return (
    <Link
      href={ACCOUNT_PATH}
      aria-label={text.mark(count)}
      title={text.mark(count)}
      className="flex h-8 items-center gap-1 rounded-md px-2 text-sm text-amber hover:bg-ink/6"
    >
      <ShieldQuestionMark aria-hidden className="size-4" />
      {count}
    </Link>
  );
}
